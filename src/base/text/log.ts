import { writeSync } from 'node:fs'
import { pino } from 'pino'
import { codeOf, messageOf, SluiceError } from '../run/errors.ts'
import { type Clock, second_ms } from '../time/time.ts'
import { counted, formatBytes, formatCount, formatDuration, printableJson } from './format.ts'
import { scrubValue } from './scrub.ts'

export type Log = pino.Logger
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export interface LogOptions {
  level: LogLevel
  /** A function makes the rows of an entry; none may contain a line break. */
  format: 'json' | ((line: LogLine) => string[])
  /** journald reads the destination: each line begins with its priority as `<N>` (sd-daemon(3)). */
  journal?: boolean
  /** Absent: standard error. */
  destination?: LogDestination | undefined
}

/** Receives whole lines, newline included. */
export interface LogDestination {
  write(text: string): void
}

/** Priorities of syslog(3), which journald takes from the `<N>` at the start of a line. */
const priorities: Record<string, number> = {
  trace: 7,
  debug: 7,
  info: 6,
  warn: 4,
  error: 3,
  fatal: 2,
}

/** Characters. journald cuts lines at 48 KiB (LineMax= in journald.conf(5)): that breaks JSON. */
const longest_text = 8_000

/** The log of a process. A module takes `log.child({ module: 'sync' })`. scrub.ts filters it. */
export function createLog(options: LogOptions): Log {
  const { format, destination = standard_error } = options
  const head = (level: string) => (options.journal ? `<${priorities[level] ?? 6}>` : '')

  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields, error: errorFields },
    },
    {
      write(text) {
        const json = JSON.stringify(scrubValue(JSON.parse(text)), shortened)
        const line = JSON.parse(json) as LogLine
        const rows = format === 'json' ? [printableJson(json)] : format(line)
        for (const row of rows) destination.write(`${head(line.level)}${row}\n`)
      },
    },
  )
}

/** One entry of the log, without secrets; long texts are cut. */
export interface LogLine {
  level: string
  time: string
  msg?: string
  [field: string]: unknown
}

function shortened(_field: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= longest_text) return value
  return `${value.slice(0, longest_text)}… (${value.length} characters)`
}

/** Foreign errors also carry requests and bodies. Ours need no stack: their code is enough. */
function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const is_ours = error instanceof SluiceError
  return {
    code: codeOf(error) ?? error.name,
    message: messageOf(error),
    hint: is_ours ? error.hint : undefined,
    stack: is_ours ? undefined : error.stack,
    cause: depth < 3 ? errorFields(error.cause, depth + 1) : undefined,
  }
}

/** Written at once, so that nothing is lost if the process is killed right after. */
export const standard_error: LogDestination = {
  write(text: string): void {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) {
      try {
        written += writeSync(2, bytes, written)
      } catch (error) {
        // A full pipe has a slow reader, so wait. Any other fault (the reader is gone) cannot be
        // reported anywhere, and the work goes on.
        if (codeOf(error) !== 'EAGAIN') return
        Atomics.wait(pause, 0, 0, 10)
      }
    }
  },
}
const pause = new Int32Array(new SharedArrayBuffer(4))

export interface FileLinesOptions {
  log: Log
  clock: Clock
  files_per_second: number
}

/** Soon enough to follow, and at most 360 summaries an hour. */
const summary_ms = 10 * second_ms
/** Paths per reason: ten of the longest fit into a line. `sluice ls` has them all. */
const max_examples = 10
/** Paths of these in the message. */
const max_named = 3
/** Reasons in one summary. A service's text may be a reason and differ for every file. */
const max_reasons = 50
const other_reasons = 'other reasons'

/** Files of one state and reason since its first one, which has a line of its own. */
interface Stopped {
  state: 'refused' | 'blocked'
  reason: string
  /** True if the first one has a line. It is not counted in `files`. */
  is_told: boolean
  files: number
  examples: string[]
}

/** `bytes` is absent for a step that has none in its lines. */
interface StepCount {
  files: number
  bytes?: number
}

export type FileLines = ReturnType<typeof createFileLines>

/**
 * Log lines about single files. The first day on an old share would give a million, and journald
 * drops all above 10,000 in 30 s. Above `files_per_second`, files are counted, and so is every file
 * that is refused or blocked for a reason that has a line already. A summary after `summary_ms` has
 * one line for all steps, and one for each of these reasons.
 */
export function createFileLines(options: FileLinesOptions) {
  const { log, clock, files_per_second } = options
  const passed_rate = createRate(clock, files_per_second)
  const stopped_rate = createRate(clock, files_per_second)
  const closing = new AbortController()
  let steps = new Map<string, StepCount>()
  let reasons = new Map<string, Stopped>()
  let counting_since_ms: number | undefined

  /** Starts a summary period. */
  function beginCounting(): void {
    if (counting_since_ms !== undefined) return
    counting_since_ms = clock.monotonic_ms()
    void clock.sleep(summary_ms, closing.signal).then(() => {
      if (!closing.signal.aborted) logSummary()
    })
  }

  function logSummary(): void {
    if (counting_since_ms === undefined) return
    const over = formatDuration(clock.monotonic_ms() - counting_since_ms)
    if (steps.size > 0)
      log.info({ files: Object.fromEntries(steps) }, `${summaryOf(steps)} in the last ${over}`)
    for (const { state, reason, files, is_told, examples } of reasons.values()) {
      if (files === 0) continue
      const named = examples.slice(0, max_named).join(', ')
      const more = files > max_named ? ' and others' : ''
      const what = counted(files, is_told ? 'more file' : 'file')
      log.warn({ reason, files, examples }, `${what} ${state}: ${reason}: ${named}${more}`)
    }
    steps = new Map()
    reasons = new Map()
    counting_since_ms = undefined
  }

  return {
    /** A file took one step; `step` is its past participle: sent, linked, ready, gone. */
    passed(
      step: string,
      path: string,
      fields: { bytes?: number; [field: string]: unknown } = {},
    ): void {
      if (passed_rate() && steps.size === 0) {
        log.info({ step, path, ...fields }, `${step}: ${path}`)
        return
      }
      beginCounting()
      const count = steps.get(step) ?? { files: 0 }
      const bytes = fields.bytes === undefined ? {} : { bytes: (count.bytes ?? 0) + fields.bytes }
      steps.set(step, { files: count.files + 1, ...bytes })
    },
    /** A file is refused or blocked, so a user may have to act. */
    stopped(
      state: Stopped['state'],
      reason: string,
      path: string,
      fields: Record<string, unknown> = {},
    ): void {
      beginCounting()
      const key = `${state} ${reason}`
      const has_room = reasons.has(key) || reasons.size < max_reasons
      const is_told = has_room && !reasons.has(key) && stopped_rate()
      const group = has_room ? key : `${state} ${other_reasons}`
      const known = has_room ? reason : other_reasons
      const count = reasons.get(group) ?? { state, reason: known, is_told, files: 0, examples: [] }
      reasons.set(group, count)
      if (is_told) {
        log.warn({ reason, path, ...fields }, `${state}: ${path}: ${reason}`)
        return
      }
      if (count.examples.length < max_examples) count.examples.push(path)
      count.files++
    },
    close(): void {
      closing.abort()
      logSummary()
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

function summaryOf(steps: ReadonlyMap<string, StepCount>): string {
  const parts = [...steps].map(([step, { files, bytes = 0 }]) => {
    return `${formatCount(files)} ${step}${bytes > 0 ? ` (${formatBytes(bytes)})` : ''}`
  })
  return `files: ${parts.join(', ')}`
}
