import { statSync } from 'node:fs'
import { codeOf, messageOf, SluiceError } from '../base/errors.ts'
import type { Clock } from '../base/time.ts'
import { ledgerFile } from './state-directory.ts'

export interface LedgerFault {
  error: SluiceError
  since_ms: number
}

/**
 * Whether the file that was opened is still the one at its place. An open file goes on when it is removed, and everything is recorded in
 * it, until its process ends and nothing of it is left. Called when the ledger has been opened; the answer looks each time it is asked.
 * Errors answered: `ledger.removed`, `ledger.replaced`, `ledger.out_of_sight`.
 */
export function watchLedgerPlace(state_dir: string, clock: Clock): () => LedgerFault | undefined {
  const file = ledgerFile(state_dir)
  const opened = identityOf(file)
  let known: LedgerFault | undefined
  return () => {
    const error = faultOf(file, opened)
    known = error && { error, since_ms: known?.since_ms ?? clock.now_ms() }
    return known
  }
}

function identityOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev} ${ino}`
}

function faultOf(file: string, opened: string): SluiceError | undefined {
  const lost = 'what is recorded from then on is lost when this daemon ends'
  try {
    if (identityOf(file) === opened) return undefined
    return new SluiceError({
      code: 'ledger.replaced',
      message: `another file is in the place of ${file}, which this daemon has open: ${lost}`,
      hint: 'stop the daemon; start it again if the new file is right, else run `sluice restore FILE` or `sluice rebuild` first',
    })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      return new SluiceError({
        code: 'ledger.out_of_sight',
        message: `${file} cannot be looked at: ${messageOf(error)}`,
        hint: 'see that the daemon can enter state_dir, and that its disk is there',
        cause: error,
      })
    }
    return new SluiceError({
      code: 'ledger.removed',
      message: `${file} was removed while this daemon has it open: ${lost}`,
      hint: 'stop the daemon, then run `sluice restore FILE` or `sluice rebuild` before it starts again',
      cause: error,
    })
  }
}
