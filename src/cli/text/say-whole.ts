import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import { printable, textWidth } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import type { Style, Styles, Terminal } from './terminal.ts'

/** Between words; a path or an address that is longer than the room stays whole, it is to be copied. */
export function wrapped(text: string, room: number): string[] {
  if (textWidth(text) <= room) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Of the answers with --json: it grows when a field goes or changes its meaning, not when one is added. */
const answer_version = 1

export function sayJson({ out }: Pick<Terminal, 'out'>, answer: object): void {
  out(JSON.stringify({ version: answer_version, ...answer }, null, 2))
}

/** A sentence with a path or a command in it, which is never cut. */
export function sayWhole(terminal: Terminal, text: string, on: 'out' | 'err' = 'out'): void {
  for (const [at, line] of wrapped(printable(text), terminal.width - 2).entries())
    terminal[on](at === 0 ? line : `  ${line}`)
}

export function sayWarning(terminal: Terminal, text: string): void {
  const head = 'warning: '
  for (const [at, line] of wrapped(printable(text), terminal.width - head.length).entries())
    terminal.err(at === 0 ? `${terminal.err_styles.yellow(head.trim())} ${line}` : `  ${line}`)
}

/** Lines that are indented already; what does not fit goes on below, under its own text. Styles may stand in them. */
export function sayLines(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) {
    const indent = /^ */.exec(line)![0]
    const parts = wrapped(line.slice(indent.length), terminal.width - indent.length - 2)
    for (const [at, part] of parts.entries()) terminal.out(`${indent}${at === 0 ? '' : '  '}${part}`)
  }
}

/** A sentence, wrapped where the window is too narrow for it; `strong` is its beginning. */
export function sayAll(
  terminal: Terminal,
  text: string,
  { strong = '', on = 'out' }: { strong?: string; on?: 'out' | 'err' } = {},
): void {
  const writer = new LineWriter(terminal.width)
  writer.say(text)
  const [first = '', ...others] = writer.lines.map((line) => line.text)
  const is_whole = strong !== '' && first.startsWith(strong)
  const { bold } = on === 'out' ? terminal.styles : terminal.err_styles
  terminal[on](is_whole ? bold(strong) + first.slice(strong.length) : first)
  for (const line of others) terminal[on](line)
}

/** Gives lines the colours of a terminal. */
export function toned({ tone, text }: Line, styles: Styles): string {
  const plain: Style = (same) => same
  const by_tone: Record<Line['tone'], Style> = {
    plain,
    strong: styles.bold,
    good: styles.green,
    warn: styles.yellow,
    bad: styles.red,
    faint: styles.dim,
  }
  return by_tone[tone](text)
}

const head = 'sluice: '

/** What happened, and what to do. Of a fault of ours the stack too: it is for whoever mends it. */
export function showError(error: unknown, terminal: Terminal): void {
  const { red, dim } = terminal.err_styles
  const room = terminal.width - head.length
  for (const line of plainLines(messageOf(error))) {
    const [first, ...more] = wrapped(line, room)
    terminal.err(`${red('sluice:')} ${first}`)
    for (const part of more) terminal.err(`  ${part}`)
  }
  if (isSluiceError(error)) {
    const hints = plainLines(error.hint ?? '').flatMap((line) => wrapped(line, terminal.width - 2))
    for (const line of hints) if (line !== '') terminal.err(`  ${line}`)
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of plainLines(stack).filter((line) => /^\s+at /.test(line))) terminal.err(dim(line))
  terminal.err('  this is a fault of Sluice itself: please report it with the lines above')
}

function plainLines(text: string): string[] {
  return scrubText(text).split('\n').map(printable)
}
