import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { afterAll, expect, inject } from 'vitest'

/**
 * Fails a test file that leaves something running: what is not closed in a test is not closed in the daemon either. Loaded
 * before every test file; its afterAll was registered first and so runs last.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** Where closing is known to be quick or never to come. */
    leak_grace_ms?: number
  }
}

/** How long closing may take once the last test has ended: a socket's FIN, a child's exit, a thread's end, on a busy machine. */
const grace_ms = inject('leak_grace_ms') ?? 10_000
const check_again_ms = 20

const meanings: Record<string, string> = {
  TCPServerWrap: 'a listening server',
  TCPSocketWrap: 'an open socket',
  PipeWrap: 'a unix socket or a pipe to a child process',
  FSEventWrap: 'a file watcher',
  StatWatcher: 'a polling file watcher',
  ProcessWrap: 'a child process',
  Timeout: 'a timer',
  FSReqCallback: 'a file operation under way',
}

// Threads are unref'd and so hidden from getActiveResourcesInfo; Node announces each on this channel.
const threads = new Set<Worker>()
const noteThread = (message: unknown) => {
  const { worker } = message as { worker: Worker & { is_host?: true } }
  // What it serves is announced each time; it outlives them all (warm-threads/).
  if (worker.is_host) return
  threads.add(worker)
  worker.once('exit', () => threads.delete(worker))
}
subscribe('worker_threads', noteThread)

/** What vitest itself holds before the test file is loaded: its pipes. Its timers come and go within the grace. */
const before = countResources()

afterAll(async () => {
  const began = performance.now()
  let left = leftOver()
  while (left.length > 0 && performance.now() - began < grace_ms) {
    await new Promise((resolve) => setTimeout(resolve, check_again_ms))
    left = leftOver()
  }
  // The next file of this process listens for itself.
  unsubscribe('worker_threads', noteThread)
  if (left.length === 0) return
  const file = expect.getState().testPath ?? 'this test file'
  throw new Error(`${file} leaves running: ${left.join(', ')}. Close in the test (or afterEach) what it opens.`)
}, grace_ms + 10_000)

function leftOver(): string[] {
  const left: string[] = []
  for (const [resource, count] of countResources()) {
    const more = count - (before.get(resource) ?? 0)
    if (more > 0) left.push(`${more} ${resource}${resource in meanings ? ` (${meanings[resource]})` : ''}`)
  }
  if (threads.size > 0) left.push(`${threads.size} Worker (a thread)`)
  return left
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const resource of process.getActiveResourcesInfo()) counts.set(resource, (counts.get(resource) ?? 0) + 1)
  return counts
}
