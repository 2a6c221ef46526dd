import { LineWriter } from '../status/lines.ts'
import type { Terminal } from './terminal.ts'

/** A sentence on standard output, wrapped where the window is too narrow for it; `strong` is its beginning. */
export function sayAll(terminal: Terminal, text: string, { strong = '' }: { strong?: string } = {}): void {
  const writer = new LineWriter(terminal.width)
  writer.say(text)
  const [first = '', ...others] = writer.lines.map((line) => line.text)
  const is_whole = strong !== '' && first.startsWith(strong)
  terminal.out(is_whole ? terminal.styles.bold(strong) + first.slice(strong.length) : first)
  for (const line of others) terminal.out(line)
}
