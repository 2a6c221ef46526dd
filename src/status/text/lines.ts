import { fitText, formatSpan, printable, textWidth } from '../../base/text/format.ts'

/** A line for users. The caller chooses the colour for its tone. */
export interface Line {
  tone: 'plain' | 'strong' | 'good' | 'warn' | 'bad' | 'faint'
  text: string
  /** Set for a command to copy, which is never wrapped or cut. */
  is_command?: true
}

/**
 * Smallest width to wrap at, in columns. A narrower terminal wraps the lines by itself: one word
 * per line would be no easier to read.
 */
const min_width = 24

/**
 * Breaks a text between words. Further lines are indented by `hang` more columns. `fitWord` cuts a
 * word that is wider than a line.
 */
export function wrapped(
  text: string,
  width: number,
  indent = 0,
  fitWord = fitText,
  hang = 2,
): string[] {
  const columns = Math.max(min_width, width)
  const [first = '', ...words] = text.split(' ')
  const lines: string[] = []
  let line = ' '.repeat(indent) + fitWord(first, columns - indent)
  for (const word of words) {
    if (textWidth(line) + 1 + textWidth(word) <= columns) line += ` ${word}`
    else {
      lines.push(line)
      line = ' '.repeat(indent + hang) + fitWord(word, columns - indent - hang)
    }
  }
  return [...lines, line]
}

/** Collects lines of at most `width` columns. It escapes control characters. */
export class LineWriter {
  readonly lines: Line[] = []
  readonly #width: number

  constructor(width: number) {
    this.#width = width
  }

  /** Adds a sentence, wrapped between words. */
  say(
    text: string,
    { indent = 0, tone = 'plain' }: { indent?: number; tone?: Line['tone'] } = {},
  ): void {
    const lines = wrapped(printable(text), this.#width, indent)
    this.lines.push(...lines.map((line) => ({ tone, text: line })))
  }

  /** Adds a sentence below another one, indented. */
  detail(text: string, tone: Line['tone'] = 'plain'): void {
    this.say(text, { indent: 2, tone })
  }

  /** Adds a command line to copy. */
  command(text: string, indent: number): void {
    this.lines.push({
      tone: 'strong',
      text: `${' '.repeat(indent)}${printable(text)}`,
      is_command: true,
    })
  }

  gap(): void {
    if (this.lines.length > 0) this.lines.push({ tone: 'plain', text: '' })
  }
}

/** The time between two times, the later one last: ISO 8601 or Unix ms. See formatSpan. */
export function spanText(from: string | number, to: string | number): string {
  const ms = (time: string | number) => (typeof time === 'number' ? time : Date.parse(time))
  return formatSpan(ms(from), ms(to))
}
