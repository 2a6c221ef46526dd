import type { Clock } from '../time/time.ts'
import { second_ms } from '../time/time.ts'
import { counted, formatBytes, formatCount, formatDuration } from './format.ts'
import type { Log } from './log.ts'

export interface FileLinesOptions {
  log: Log
  clock: Clock
  files_per_second: number
  summary_ms?: number
}

/** Soon enough to follow, and at most 360 lines an hour. */
const usual_summary_ms = 10 * second_ms
/** Paths per reason; `sluice ls` has them all. */
const most_examples = 3
/** Reasons in one summary. A service's text may be a reason and differ for every file. */
const most_reasons = 50
const other_reasons = 'other reasons'

/** Files of one state and reason since the last summary. */
interface Stopped {
  state: 'refused' | 'blocked'
  reason: string
  files: number
  examples: string[]
}

export type FileLines = ReturnType<typeof createFileLines>

/**
 * Log lines about single files, limited in number. The first day on an old share would give a
 * million lines, and journald drops all above 10,000 in 30 s. Above `files_per_second`, files are
 * counted. A summary every `summary_ms` reports them, one line for each reason of a refusal.
 */
export function createFileLines(options: FileLinesOptions) {
  const { log, clock, files_per_second, summary_ms = usual_summary_ms } = options
  const passed_rate = createRate(clock, files_per_second)
  const stopped_rate = createRate(clock, files_per_second)
  const closing = new AbortController()
  let steps = new Map<string, { files: number; bytes: number }>()
  let reasons = new Map<string, Stopped>()
  let counting_since_ms: number | undefined

  /** Starts a summary period. `passed` logs no single lines until its end. */
  function beginCounting(): void {
    if (counting_since_ms !== undefined) return
    counting_since_ms = clock.monotonic_ms()
    void clock.sleep(summary_ms, closing.signal).then(() => {
      if (!closing.signal.aborted) tellSummary()
    })
  }

  function tellSummary(): void {
    if (counting_since_ms === undefined) return
    const over = formatDuration(clock.monotonic_ms() - counting_since_ms)
    if (steps.size > 0) log.info({ files: Object.fromEntries(steps) }, `${summaryOf(steps)} in the last ${over}`)
    for (const { state, reason, files, examples } of reasons.values()) {
      const more = files > examples.length ? ' and others' : ''
      const what = counted(files, 'file')
      log.warn({ reason, files, examples }, `${what} ${state}: ${reason}: ${examples.join(', ')}${more}`)
    }
    steps = new Map()
    reasons = new Map()
    counting_since_ms = undefined
  }

  return {
    /** A file took one step; `step` is its past participle: sent, linked, ready, gone. */
    passed(step: string, path: string, fields: { bytes?: number; [field: string]: unknown } = {}): void {
      const one_line = passed_rate() && counting_since_ms === undefined
      if (one_line) {
        log.info({ step, path, ...fields }, `${step}: ${path}`)
        return
      }
      beginCounting()
      const count = steps.get(step) ?? { files: 0, bytes: 0 }
      steps.set(step, { files: count.files + 1, bytes: count.bytes + (fields.bytes ?? 0) })
    },
    /** A file is refused or blocked. Each is reported, because a user may have to act. */
    stopped(state: Stopped['state'], reason: string, path: string, fields: Record<string, unknown> = {}): void {
      const key = `${state} ${reason}`
      if (stopped_rate() && !reasons.has(key)) {
        log.warn({ reason, path, ...fields }, `${state}: ${path}: ${reason}`)
        return
      }
      beginCounting()
      const has_room = reasons.has(key) || reasons.size < most_reasons
      const group = has_room ? key : `${state} ${other_reasons}`
      const count = reasons.get(group) ?? { state, reason: has_room ? reason : other_reasons, files: 0, examples: [] }
      if (count.examples.length < most_examples) count.examples.push(path)
      count.files++
      reasons.set(group, count)
    },
    /** Logs the last summary and ends the timer. */
    close(): void {
      closing.abort()
      tellSummary()
    },
  }
}

/** True for the first `per_second` calls of each second. */
function createRate(clock: Clock, per_second: number): () => boolean {
  let second_began_ms = Number.NEGATIVE_INFINITY
  let calls = 0
  return () => {
    const now_ms = clock.monotonic_ms()
    if (now_ms - second_began_ms >= second_ms) {
      second_began_ms = now_ms
      calls = 0
    }
    return ++calls <= per_second
  }
}

function summaryOf(steps: ReadonlyMap<string, { files: number; bytes: number }>): string {
  const parts = [...steps].map(([step, { files, bytes }]) => {
    return `${formatCount(files)} ${step}${bytes > 0 ? ` (${formatBytes(bytes)})` : ''}`
  })
  return `files: ${parts.join(', ')}`
}
