import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { sqliteDriver } from '../../../dist/base/files/sqlite-driver.js'
import { environment } from './measured-process.mjs'

const Database = sqliteDriver()
const loop_delay = new URL('peak-memory.mjs?loop', import.meta.url).href
/** The ledger says when a scan ended; this is only how often it is read. */
const check_every_ms = 50
/** No row measures a scan that takes longer. */
const max_scan_ms = 300_000
/**
 * The unit of the kernel's times in /proc: sysconf(_SC_CLK_TCK), the same on every Linux that Node
 * runs on.
 */
const ticks_per_s = 100

/**
 * Starts `sluice run`.
 * @param {string} program
 * @param {{ config_file: string, state_dir: string, ledger_file: string }} about
 */
export function startDaemon(program, { config_file, state_dir, ledger_file }) {
  const began_ms = Date.now()
  const child = spawn(
    process.execPath,
    ['--import', loop_delay, program, 'run', '--config', config_file],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: environment,
    },
  )
  const errors = text(child.stderr)
  const delays = createInterface(child.stdio[3])
  const exit = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    began_ms,
    /** Resolves to the time at which a scan ended that began after `since_ms`, by Date.now(). */
    async scanned(since_ms = began_ms) {
      const database = new Database(ledger_file, { readonly: true, fileMustExist: true })
      try {
        const last = database.prepare('SELECT scan_began_ms, scan_ended_ms FROM folders')
        while (Date.now() < since_ms + max_scan_ms) {
          const scan = last.get()
          if (scan?.scan_began_ms >= since_ms) return scan.scan_ended_ms
          if (child.exitCode !== null)
            throw new Error(`sluice run ended with ${child.exitCode}:\n${await errors}`)
          await setTimeout(check_every_ms)
        }
        throw new Error(`no scan within ${max_scan_ms} ms`)
      } finally {
        database.close()
      }
    },
    /** Asks for a scan now, by the control socket. */
    async rescan() {
      const dist = pathToFileURL(dirname(dirname(program)))
      const { connectControl } = await import(`${dist.href}/control/control-client.js`)
      const control = await connectControl(state_dir)
      await control.rescan({ folder: 'bench' })
      await control.close()
    },
    /** Resident memory, now and at its peak so far. */
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const mb = (name) =>
        (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)[1]) * 1.024) / 1_000
      return { rss_mb: mb('VmRSS'), peak_mb: mb('VmHWM') }
    },
    /** utime and stime of all its threads, and of its children that have ended. */
    cpu_s() {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // utime is the 14th field of proc(5); the third is the first after the name.
      return (
        fields
          .slice(11, 15)
          .map(Number)
          .reduce((sum, ticks) => sum + ticks) / ticks_per_s
      )
    },
    /** The delay of its event loop since the last call. @returns {Promise<{ loop_p99_ms: number }>} */
    async loopDelay() {
      const line = once(delays, 'line')
      child.kill('SIGUSR2')
      return JSON.parse((await line)[0])
    },
    async stop() {
      child.kill('SIGTERM')
      const code = await exit
      if (code !== 0)
        throw new Error(`sluice run ended with ${code}:\n${(await errors).slice(-2_000)}`)
    },
  }
}
