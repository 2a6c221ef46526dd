import { fitText, formatDuration, printable, textWidth } from '../../base/text/format.ts'

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

/** Collects lines of at most `width` columns. It escapes control characters. */
export class LineWriter {
  readonly lines: Line[] = []
  readonly #width: number

  constructor(width: number) {
    this.#width = Math.max(min_width, width)
  }

  /** Adds a sentence, wrapped between words. Further lines are indented by two more columns. */
  say(text: string, { indent = 0, tone = 'plain' }: { indent?: number; tone?: Line['tone'] } = {}): void {
    const words = printable(text).split(' ')
    let line = ' '.repeat(indent) + fitText(words[0] ?? '', this.#width - indent)
    for (const word of words.slice(1)) {
      if (textWidth(line) + 1 + textWidth(word) <= this.#width) line += ` ${word}`
      else {
        this.lines.push({ tone, text: line })
        line = ' '.repeat(indent + 2) + fitText(word, this.#width - indent - 2)
      }
    }
    this.lines.push({ tone, text: line })
  }

  /** Adds a command line to copy. */
  command(text: string, indent: number): void {
    this.lines.push({ tone: 'strong', text: `${' '.repeat(indent)}${printable(text)}`, is_command: true })
  }

  gap(): void {
    if (this.lines.length > 0) this.lines.push({ tone: 'plain', text: '' })
  }
}

/** The time between two times, the later one last: ISO 8601 or Unix ms. Zero if in wrong order. */
export function spanText(from: string | number, to: string | number): string {
  const ms = (time: string | number) => (typeof time === 'number' ? time : Date.parse(time))
  return formatDuration(Math.max(0, ms(to) - ms(from)))
}
