import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pino } from 'pino'
import { codeOf, messageOf, SluiceError } from '../run/errors.ts'
import { printable, printableJson } from './format.ts'
import { scrubValue } from './scrub.ts'

export type Log = pino.Logger
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export interface LogOptions {
  level: LogLevel
  /** auto: readable on a terminal, else JSON. */
  format: 'auto' | 'json' | 'pretty'
  /** journald reads the destination: each line begins with its priority as `<N>` (sd-daemon(3)). */
  journal?: boolean
  colors?: boolean
  /** Receives whole lines, newline included; absent: standard error. */
  destination?: { write(text: string): void }
}

/** Priorities of syslog(3), which journald takes from the `<N>` at the start of a line. */
const priorities: Record<string, number> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3, fatal: 2 }

/** journald cuts lines at 48 KiB (LineMax= in journald.conf(5)), which breaks the JSON. */
const longest_text = 8_000

/**
 * The log of a process; each module takes `log.child({ room: 'sync' })`. Every line is scrubbed of
 * secrets: fields with secret names at any depth, tokens, passwords in URLs, URL queries.
 */
export function createLog(options: LogOptions): Log {
  const destination = options.destination ?? standard_error
  const is_pretty = options.format === 'pretty' || (options.format === 'auto' && !options.destination && onTerminal())
  const form = is_pretty ? prettyForm(options.colors ?? false) : jsonLine
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
        const line = scrubValue(JSON.parse(text)) as LogLine
        for (const row of form(line).trimEnd().split('\n')) destination.write(`${head(line.level)}${row}\n`)
      },
    },
  )
}

interface LogLine {
  level: string
  time: string
  msg?: string
  [field: string]: unknown
}

function jsonLine(line: LogLine): string {
  return printableJson(JSON.stringify(line, (_field, value) => (typeof value === 'string' ? shortened(value) : value)))
}

/** Formats lines in this process: a thread could lose the last ones when the process ends. */
function prettyForm(colors: boolean): (line: LogLine) => string {
  // Loaded only on use: a service logs JSON.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const pretty = prettyFactory({
    colorize: colors,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'room',
    messageFormat: (line, key) => `${line.room ? `${line.room}: ` : ''}${line[key] ?? ''}`,
    singleLine: true,
  })
  return (line) => pretty(fitForTerminal(line))
}

/** Names and messages may hold anything. Only a stack's line breaks remain unescaped. */
function fitForTerminal(value: unknown, field?: string): unknown {
  if (typeof value === 'string') {
    const text = shortened(value)
    return field === 'stack' ? text.split('\n').map(printable).join('\n') : printable(text)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => fitForTerminal(item))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [printable(name), fitForTerminal(inner, name)]),
  )
}

function shortened(text: string): string {
  return text.length <= longest_text ? text : `${text.slice(0, longest_text)}… (${text.length} characters)`
}

/** Foreign errors also carry requests and bodies. Ours need no stack: their code is enough. */
function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const is_ours = error instanceof SluiceError
  return {
    code: codeOf(error) ?? error.name,
    message: messageOf(error),
    ...(is_ours && error.hint !== undefined ? { hint: error.hint } : {}),
    ...(is_ours ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: errorFields(error.cause, depth + 1) }),
  }
}

function onTerminal(): boolean {
  return process.stderr.isTTY === true
}

/** Written at once, so that nothing is lost if the process is killed right after. */
const standard_error = {
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
