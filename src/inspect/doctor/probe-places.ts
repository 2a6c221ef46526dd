import { spawn } from 'node:child_process'
import type { Clock } from '../../base/time/time.ts'

/**
 * Looks at each path at once, a thread each, and prints the number of every one that has answered, with an error or without.
 * A process of its own: a call to a dead share cannot be ended, and would keep ours from ending, too.
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

/** libuv takes no more (threadpool, docs.libuv.org). */
const max_threads = 1_024

/** The paths that give no answer within the time: on a share that hangs, most likely. */
export async function unresponsivePlaces(paths: readonly string[], limit_ms: number, clock: Clock): Promise<string[]> {
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
  child.stdin.on('error', () => {}) // It has ended: then it has said nothing, and all count as dead.
  child.stdin.end(JSON.stringify(asked))
  await clock.sleep(limit_ms, ended.signal)
  child.kill('SIGKILL')
  child.unref()
  child.stdin.destroy()
  child.stdout.destroy()
  const alive = new Set(said.split('\n').slice(0, -1).map(Number))
  return asked.filter((_, at) => !alive.has(at))
}
