import { spawn } from 'node:child_process'
import type { Clock } from '../../base/time/time.ts'

/**
 * Accesses each path in its own thread, and prints the number of each that answers, even with an
 * error. It runs in a child process: a call on an unresponsive mount cannot be cancelled and would
 * keep this process from ending.
 */
const script = `
const { promises } = require('node:fs')
let paths = ''
process.stdin.on('data', (piece) => { paths += piece })
process.stdin.on('end', () => {
  JSON.parse(paths).forEach(async (path, at) => {
    try {
      await promises.statfs(path)
      await promises.stat(path)
      const directory = await promises.opendir(path)
      await directory.read()
      await directory.close()
    } catch {}
    process.stdout.write(at + '\\n')
  })
})`

/** The maximum of libuv (threadpool, docs.libuv.org). */
const max_threads = 1_024

/** Returns the paths without an answer in time, usually on an unresponsive mount. */
export async function unresponsivePlaces(
  paths: readonly string[],
  limit_ms: number,
  clock: Clock,
): Promise<string[]> {
  const asked = [...new Set(paths)]
  if (asked.length === 0) return []
  const env = { UV_THREADPOOL_SIZE: String(Math.min(max_threads, asked.length + 1)) }
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new AbortController()
  let said = ''
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString('latin1')
    if (said.split('\n').length > asked.length) ended.abort()
  })
  child.on('error', () => ended.abort())
  child.on('close', () => ended.abort())
  child.stdin.on('error', () => {}) // It has ended without an answer: all paths count as unresponsive.
  child.stdin.end(JSON.stringify(asked))
  await clock.sleep(limit_ms, ended.signal)
  child.kill('SIGKILL')
  child.unref()
  child.stdin.destroy()
  child.stdout.destroy()
  const alive = new Set(said.split('\n').slice(0, -1).map(Number))
  return asked.filter((_, at) => !alive.has(at))
}
