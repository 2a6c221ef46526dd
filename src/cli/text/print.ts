import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import { counted, formatCount, printable } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import type { IgnoredCount } from '../../domain/fact.ts'
import { type Line, type LineWriter, wrapped } from '../../status/text/lines.ts'
import type { Style, Styles, Terminal } from './terminal.ts'

const plain: Style = (text) => text

/**
 * Prints a sentence. A word that is wider than the window stays whole, so that a path can be
 * copied.
 */
export function print(terminal: Terminal, text: string): void {
  writeWrapped(terminal, 'out', printable(text))
}

/** Prints progress and next steps on standard error, apart from the answer itself. */
export function printNote(terminal: Terminal, text: string): void {
  writeWrapped(terminal, 'err', printable(text))
}

/** Prints a sentence that begins with a word in a style, such as `warning:`, on standard error. */
export function printTitled(terminal: Terminal, title: string, style: Style, text: string): void {
  writeWrapped(terminal, 'err', `${title} ${printable(text)}`, title.length, style)
}

export function printWarning(terminal: Terminal, text: string): void {
  printTitled(terminal, 'warning:', terminal.err_styles.yellow, text)
}

/** Prints a sentence and cuts words wider than the window. `strong`: its beginning, in bold. */
export function printFitted(terminal: Terminal, text: string, strong = ''): void {
  const lines = wrapped(printable(text), terminal.width)
  const is_whole = strong !== '' && lines[0]!.startsWith(strong)
  write(terminal.out, lines, is_whole ? strong.length : 0, terminal.styles.bold)
}

/** Prints lines that are indented already. Styles may stand in them. */
export function printIndented(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) writeWrapped(terminal, 'out', line)
}

/** Prints lines in their tones; `on` is standard output unless named. */
export function printLines(
  terminal: Terminal,
  lines: readonly Line[],
  on: 'out' | 'err' = 'out',
): void {
  const styles = on === 'out' ? terminal.styles : terminal.err_styles
  for (const line of lines) terminal[on](toned(line, styles))
}

/** Says which rules ignore how many files, and how many rules are left out; `hint` follows that. */
export function sayIgnored(
  writer: LineWriter,
  ignored: readonly IgnoredCount[],
  max_rules: number,
  hint = '',
): void {
  for (const { rule, source, reason, count } of ignored.slice(0, max_rules)) {
    writer.detail(`ignored ${formatCount(count)} by ${rule} (${source}): ${reason}`, 'faint')
  }
  const more = ignored.length - max_rules
  if (more > 0) writer.detail(`and others by ${counted(more, 'more rule')}${hint}`, 'faint')
}

export function toned({ tone, text }: Line, { bold, green, yellow, red, dim }: Styles): string {
  const by_tone = { plain, strong: bold, good: green, warn: yellow, bad: red, faint: dim }
  return by_tone[tone](text)
}

/** Version of `--json` answers. After the first release it grows when a field goes or changes. */
export const answer_version = 1

/** An answer that has a version of its own keeps it. */
export function printJson({ out }: Pick<Terminal, 'out'>, answer: object): void {
  out(JSON.stringify({ version: answer_version, ...answer }, null, 2))
}

/** Prints what happened and what to do. A fault of Sluice itself has its stack, for the report. */
export function printError(error: unknown, terminal: Terminal): void {
  const { red, dim } = terminal.err_styles
  const title = 'sluice:'
  for (const line of scrubbedLines(messageOf(error))) {
    writeWrapped(terminal, 'err', `${title} ${line}`, title.length, red)
  }
  if (isSluiceError(error)) {
    for (const line of scrubbedLines(error.hint ?? '')) {
      if (line !== '') writeWrapped(terminal, 'err', `  ${line}`)
    }
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of scrubbedLines(stack).filter((line) => /^\s+at /.test(line)))
    terminal.err(dim(line))
  terminal.err('  this is a fault of Sluice itself: please report it with the lines above')
}

function scrubbedLines(text: string): string[] {
  return scrubText(text).split('\n').map(printable)
}

/** Writes a line wrapped, with its words whole. */
function writeWrapped(
  terminal: Terminal,
  on: 'out' | 'err',
  text: string,
  styled = 0,
  style?: Style,
): void {
  const indent = /^ */.exec(text)![0].length
  const lines = wrapped(text.slice(indent), terminal.width, indent, (word) => word)
  write(terminal[on], lines, styled, style)
}

/** `styled`: the number of characters at the beginning that are in the style. */
function write(
  out: Terminal['out'],
  [first = '', ...others]: readonly string[],
  styled = 0,
  style = plain,
): void {
  out(styled === 0 ? first : style(first.slice(0, styled)) + first.slice(styled))
  for (const line of others) out(line)
}
