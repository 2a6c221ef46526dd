import { styleText } from 'node:util'
import { printable, printableJson } from '../../base/text/format.ts'
import type { LogLine } from '../../base/text/log.ts'

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
 * message between colons is not repeated. The lines of a stack follow in rows of their own,
 * indented, so that none can imitate a line of the log.
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
    const isNew = (value: unknown) =>
      typeof value !== 'string' || !`: ${msg}: `.includes(`: ${value}: `)
    const texts = pairs.filter(([key, value]) => !isStack(key) && isNew(value)).map(pairText)
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
