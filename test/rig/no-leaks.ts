import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { afterAll, expect, inject } from 'vitest'

/**
 * Fails a test file that leaves something running, since an unclosed resource of a test stays open
 * in the daemon, too. Loaded before every test file: its afterAll is registered first and so runs
 * last.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** A shorter grace, for tests that close quickly or never. */
    leak_grace_ms?: number
  }
}

/**
 * Time for closing after the last test: a socket's FIN, a child's exit, a thread's end, on a busy
 * machine.
 */
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

// getActiveResourcesInfo does not list threads without ref. Node announces each thread on this
// channel.
const threads = new Map<Worker, string>()
const noteThread = (message: unknown) => {
  const { worker } = message as { worker: Worker & { is_host?: true } }
  // A host outlives all tests; it announces each module that it serves (warm-threads/).
  if (worker.is_host) return
  threads.set(worker, startedAt())
  worker.once('exit', () => threads.delete(worker))
}
subscribe('worker_threads', noteThread)

/**
 * Resources that vitest itself holds before the test file is loaded: its pipes. Its timers end
 * within the grace.
 */
const before = countResources()

afterAll(async () => {
  const began = performance.now()
  let left = leftOver()
  while (left.length > 0 && performance.now() - began < grace_ms) {
    await new Promise((resolve) => setTimeout(resolve, check_again_ms))
    left = leftOver()
  }
  // The next file of this process subscribes by itself.
  unsubscribe('worker_threads', noteThread)
  if (left.length === 0) return
  const file = expect.getState().testPath ?? 'this test file'
  throw new Error(
    `${file} leaves running: ${left.join(', ')}. Close in the test (or afterEach) what it opens.`,
  )
}, grace_ms + 10_000)

function leftOver(): string[] {
  const left: string[] = []
  for (const [resource, count] of countResources()) {
    const more = count - (before.get(resource) ?? 0)
    if (more > 0)
      left.push(`${more} ${resource}${resource in meanings ? ` (${meanings[resource]})` : ''}`)
  }
  for (const place of threads.values()) left.push(`1 Worker (a thread), started ${place}`)
  return left
}

/** The calls within the program that start a thread now. */
function startedAt(): string {
  const calls = new Error('here').stack?.split('\n') ?? []
  const own = calls.filter((call) => /\/(src|test)\//.test(call) && !call.includes('no-leaks'))
  return own.map((call) => call.trim()).join(' ')
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const resource of process.getActiveResourcesInfo())
    counts.set(resource, (counts.get(resource) ?? 0) + 1)
  return counts
}
