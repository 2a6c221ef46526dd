import { LineWriter } from '../status/lines.ts'
import type { Terminal } from './terminal.ts'

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
