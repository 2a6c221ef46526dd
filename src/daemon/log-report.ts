import { messageOf, SluiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { FileLines } from '../base/log-rate.ts'
import type { SyncReport } from '../sync/report.ts'

/** What sync tells, as log lines: a line a file while there are few, a summary when there are many, refusals always. */
export function logReport(log: Log, lines: FileLines): SyncReport {
  return {
    ready: (name) => lines.passed('ready', name),
    sent: (name, bytes) => lines.passed('sent', name, { bytes }),
    linked: (name) => lines.passed('known to the service already', name),
    skipped: (reason, name) => log.debug({ reason }, `skipped: ${name}`),
    blocked: (reason, name) => lines.refused(reason, name),
    refused: (reason, name) => lines.refused(reason, name),
    later: (reason, name) => log.debug({ reason }, `later: ${name}`),
    folder: (name, what, level) => log[level]({ folder: name }, `folder ${name} ${what}`),
    trouble: (about, what, level) => log[level]({ about }, `${about}: ${what}`),
    fault: (where, error) => {
      const hint = error instanceof SluiceError ? error.hint : undefined
      log.error({ err: error, ...(hint === undefined ? {} : { hint }) }, `${where}: ${messageOf(error)}`)
    },
  }
}
