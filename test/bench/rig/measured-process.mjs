import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * @typedef {object} Measurement
 * @property {number} seconds from the start of the process to its end
 * @property {number} [peak_mb] largest resident memory, megabytes (programs of Node only)
 * @property {number} [cpu_s] processor time of all its threads
 * @property {number} [loop_p99_ms] delay of its event loop, where the caller asks for it
 * @property {number} [max_loop_ms] the longest such delay
 */

const peak_memory = new URL('peak-memory.mjs', import.meta.url).href

/** The settings of a user for another Sluice must not reach this one. */
export const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')),
)

/**
 * Runs a program of Node to its end. Throws where its exit code is not 0.
 * @param {string} script
 * @param {readonly string[]} words
 * @param {{ loop?: boolean }} also
 * @returns {Promise<Measurement>}
 */
export async function measureNode(script, words, { loop = false } = {}) {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    ['--import', loop ? `${peak_memory}?loop` : peak_memory, script, ...words],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: environment,
    },
  )
  const exit = ended(child)
  const [seconds, errors, usage] = await Promise.all([
    exit.then(() => since(began)),
    text(child.stderr),
    text(child.stdio[3]),
  ])
  await refuseFault(script, exit, errors)
  return { seconds, ...JSON.parse(usage) }
}

/**
 * Runs a command to its end, its output to /dev/null.
 * @param {string} command
 * @param {readonly string[]} words
 * @returns {Promise<Measurement>}
 */
export async function measureCommand(command, words) {
  const began = performance.now()
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = ended(child)
  const [seconds, errors] = await Promise.all([exit.then(() => since(began)), text(child.stderr)])
  await refuseFault(command, exit, errors)
  return { seconds }
}

/**
 * Starts a script that prints one line of JSON when it is ready, and another one when it ends after
 * SIGTERM.
 * @param {URL} script
 * @param {readonly string[]} words
 * @returns {Promise<{ ready: any, pid: number, stop: () => Promise<any> }>}
 */
export async function startServer(script, words) {
  const child = spawn(process.execPath, [script.pathname, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  })
  const lines = []
  const exit = ended(child)
  const first = new Promise((resolve) => {
    let rest = ''
    child.stdout.on('data', (data) => {
      const parts = `${rest}${data}`.split('\n')
      rest = parts.pop()
      lines.push(...parts)
      if (lines.length > 0) resolve(undefined)
    })
  })
  await Promise.race([
    first,
    exit.then((code) => Promise.reject(new Error(`${script.pathname} ended with ${code}`))),
  ])
  return {
    ready: JSON.parse(lines[0]),
    pid: child.pid,
    async stop() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
      return lines[1] === undefined ? undefined : JSON.parse(lines[1])
    },
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function ended(child) {
  return once(child, 'exit').then(([code, signal]) => code ?? signal)
}

/** @param {number} began */
function since(began) {
  return (performance.now() - began) / 1_000
}

/** @param {string} what @param {Promise<number | string>} exit @param {string} errors */
async function refuseFault(what, exit, errors) {
  const code = await exit
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${errors.slice(-2_000)}`)
}
