import { styleText } from 'node:util'
import { printable, printableJson } from '../../base/text/format.ts'
import type { LogLine } from '../../base/text/log.ts'

/** Reasons that get a line of their own. A service may word each refusal differently. */
const max_reasons = 12

/**
 * Leaves out a line about files that are refused or blocked for a reason that has a line already.
 * For a command that counts the files of each reason at its end.
 */
export function oncePerReason(rows: (line: LogLine) => string[]): (line: LogLine) => string[] {
  const known = new Set<unknown>()
  return (line) => {
    if (line.reason === undefined || line.level !== 'warn') return rows(line)
    if (known.has(line.reason) || known.size >= max_reasons) return []
    known.add(line.reason)
    return rows(line)
  }
}

interface LogTextOptions {
  /** Before a line: `time` and level, `date` and level, or `none`: journald adds them. */
  stamp: 'time' | 'date' | 'none'
  colors: boolean
}

const level_colors: Readonly<Record<string, 'yellow' | 'red' | undefined>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
}

/**
 * Makes log lines for users: the message first, then `key=value`. A text that is a part of the
 * message between colons is not repeated, nor are the files of a summary. The lines of a stack
 * follow in rows of their own, indented, so that none can imitate a line of the log.
 */
export function logText({ stamp, colors }: LogTextOptions): (line: LogLine) => string[] {
  return ({ level, time, module, msg = '', ...fields }) => {
    const at = stamp === 'date' ? time : new Date(time).toTimeString().slice(0, 8)
    const color = colors ? level_colors[level] : undefined
    const title = color
      ? styleText(color, level.toUpperCase(), { validateStream: false })
      : level.toUpperCase()
    const head = stamp === 'none' ? '' : `[${at}] ${title}: `
    const pairs = pairsOf(fields, '')
    const isNew = ([key, value]: Pair) =>
      Array.isArray(fields.examples)
        ? key !== 'files' && key !== 'examples' && key !== 'reason'
        : typeof value !== 'string' || !`: ${msg}: `.includes(`: ${value}: `)
    const texts = pairs.filter((pair) => !isStack(pair[0]) && isNew(pair)).map(pairText)
    const stacks = pairs
      .filter(([key]) => isStack(key))
      .flatMap(([, value]) => String(value).split('\n'))
    const about = module === undefined ? '' : `${module}: `
    const first = [printable(`${about}${msg}`), ...texts].join(' ')
    return [head + first, ...stacks.map((row) => `    ${printable(row.trim())}`)]
  }
}

type Pair = readonly [key: string, value: unknown]

/** Fields of inner objects are named after the outer ones: `err.code`. */
function pairsOf(fields: object, above: string): Pair[] {
  return Object.entries(fields).flatMap(([name, value]): Pair[] => {
    const key = above + printable(name.replaceAll(/[\s"=]/g, '_'))
    const is_object = typeof value === 'object' && value !== null && !Array.isArray(value)
    return is_object ? pairsOf(value, `${key}.`) : [[key, value]]
  })
}

function isStack(key: string): boolean {
  return key === 'stack' || key.endsWith('.stack')
}

/** A text that is not one plain word is quoted as in JSON. */
function pairText([key, value]: Pair): string {
  const is_word = typeof value === 'string' && /^[^\s"=\\]+$/.test(value)
  return `${key}=${is_word ? printable(value) : printableJson(JSON.stringify(value))}`
}
