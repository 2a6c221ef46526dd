import { messageOf, SluiceError } from '../../base/run/errors.ts'
import type { FileLines, Log } from '../../base/text/log.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import { troubleSubject } from '../../domain/trouble.ts'
import type { PromptReport } from '../../prompts/run-tools.ts'
import type { SyncReport } from '../../sync/report.ts'

const same_fault_ms = minute_ms
/** Number of different faults remembered. */
const max_faults = 200

/** Logs the events of sync: a line per file, or a summary when there are many; every refusal. */
export function logReport(log: Log, lines: FileLines, clock: Clock): SyncReport {
  return {
    ready: (name) => lines.passed('ready', name),
    sent: (name, bytes) => lines.passed('sent', name, { bytes }),
    linked: (name) => lines.passed('known to the service already', name),
    removed: (name) => lines.passed('removed on the service', name),
    skipped: (reason, name) => log.debug({ reason }, `skipped: ${name}: ${reason}`),
    blocked: (reason, name) => lines.stopped('blocked', reason, name),
    refused: (reason, name) => lines.stopped('refused', reason, name),
    later: (reason, name) => log.debug({ reason }, `deferred: ${name}: ${reason}`),
    folder: (name, what, level) => log[level]({ folder: name }, `Folder "${name}" ${what}`),
    trouble: (about, what, level, code) =>
      log[level]({ about, code }, `${troubleSubject(about)}: ${what}`),
    audit: (project_id, what, level) =>
      log[level]({ project_id }, `audit of ${project_id}: ${what}`),
    fault: logFaults(log, clock),
  }
}

/** Logs the events of prompts: one line for each step of a run, and for every failure. */
export function logPromptReport(log: Log, clock: Clock): PromptReport {
  return {
    asked: (run) => log.info(`question sent: ${run}`),
    answered: (run) => log.info(`answer received: ${run}`),
    written: (run, path) => log.info({ path }, `report written: ${run}`),
    skipped: (reason, run) => log.info({ reason }, `run skipped: ${run}: ${reason}`),
    failed: (reason, run) => log.error({ reason }, `failed: ${run}: ${reason}`),
    delivered: (run, target) => log.info({ target }, `delivered: ${run} to ${target}`),
    later: (reason, run) => log.warn({ reason }, `deferred: ${run}: ${reason}`),
    fault: logFaults(log, clock),
  }
}

/** A fault of the machine (a full disk) hits every file, so log it once a minute. */
function logFaults(log: Log, clock: Clock): (where: string, error: unknown) => void {
  const logged_ms = new Map<string, number>()
  return (where, error) => {
    const what = `${where}: ${messageOf(error)}`
    const now_ms = clock.monotonic_ms()
    if (now_ms - (logged_ms.get(what) ?? Number.NEGATIVE_INFINITY) < same_fault_ms) return
    if (logged_ms.size >= max_faults) logged_ms.clear()
    logged_ms.set(what, now_ms)
    const hint = error instanceof SluiceError ? error.hint : undefined
    log.error({ err: error, hint }, what)
  }
}
