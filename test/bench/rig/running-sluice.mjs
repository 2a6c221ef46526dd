import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { sqliteDriver } from '../../../dist/base/files/sqlite-driver.js'
import { environment } from './measured-process.mjs'

const Database = sqliteDriver()
const peak_memory = new URL('peak-memory.mjs?loop', import.meta.url).href
const check_each_ms = 50
const patience_ms = 120_000

/**
 * Starts the daemon on a known folder, and resolves when it watches the folder and has scanned it.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {string} ledger_file
 */
export async function startSluice(program, words, ledger_file) {
  const began_ms = Date.now()
  const child = spawn(process.execPath, ['--import', peak_memory, program, ...words], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: environment,
  })
  const exit = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const errors = text(child.stderr)
  const usage = text(child.stdio[3])
  const sluice = {
    pid: child.pid,
    hold: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    /**
     * Ends it and returns its resource usage.
     * @returns {Promise<{ peak_mb: number, cpu_s: number, loop_p99_ms: number }>}
     */
    async stop() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const code = await exit
      if (code !== 0)
        throw new Error(`the daemon ended with ${code}:\n${(await errors).slice(-2_000)}`)
      return JSON.parse(await usage)
    },
  }
  while (!hasScannedSince(ledger_file, began_ms)) {
    if (child.exitCode !== null)
      throw new Error(`the daemon ended:\n${(await errors).slice(-2_000)}`)
    if (Date.now() - began_ms > patience_ms) {
      child.kill('SIGKILL')
      throw new Error('the daemon did not come to the end of its first scan')
    }
    await setTimeout(check_each_ms)
  }
  return sluice
}

/** @param {string} ledger_file @param {number} since_ms */
function hasScannedSince(ledger_file, since_ms) {
  const database = new Database(ledger_file, { readonly: true, fileMustExist: true })
  try {
    return (
      database
        .prepare(
          'SELECT 1 FROM folders WHERE scan_began_ms >= ? AND scan_ended_ms >= scan_began_ms',
        )
        .get(since_ms) !== undefined
    )
  } finally {
    database.close()
  }
}
