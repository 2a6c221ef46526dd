import { fitText, formatDuration, printable, textWidth } from '../../base/text/format.ts'

/** A line for people and how it is meant; whoever prints it chooses the colours. */
export interface Line {
  tone: 'plain' | 'strong' | 'good' | 'warn' | 'bad' | 'faint'
  text: string
  /** To be copied as it stands: never wrapped or cut. */
  is_command?: true
}

/** A window narrower than this wraps by itself: words of a sentence one below the other are no better. */
const least_width = 24

/** Collects lines no wider than `width` columns; what comes in may hold anything. */
export class LineWriter {
  readonly lines: Line[] = []
  readonly #width: number

  constructor(width: number) {
    this.#width = Math.max(least_width, width)
  }

  /** A sentence, wrapped between words; further lines are indented by two more. */
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

  /** A command line to be copied. */
  command(text: string, indent: number): void {
    this.lines.push({ tone: 'strong', text: `${' '.repeat(indent)}${printable(text)}`, is_command: true })
  }

  gap(): void {
    if (this.lines.length > 0) this.lines.push({ tone: 'plain', text: '' })
  }
}

/** How long ago, or for how long yet; two times, the later one last. ISO 8601 or Unix milliseconds. */
export function spanText(from: string | number, to: string | number): string {
  const ms = (time: string | number) => (typeof time === 'number' ? time : Date.parse(time))
  return formatDuration(Math.max(0, ms(to) - ms(from)))
}
