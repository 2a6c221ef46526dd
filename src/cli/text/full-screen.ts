import { counted, fitText } from '../../base/text/format.ts'
import type { Line } from '../../status/text/lines.ts'
import { toned } from './print.ts'
import type { Terminal } from './terminal.ts'

/** xterm: the alternate screen, without a cursor and without wrapping; and back. */
const begin = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const end = '\u001b[?7h\u001b[?25h\u001b[?1049l'
/** ECMA-48. A line is cleared before it is written: at the last column, later is too late. */
const home = '\u001b[H'
const clear_line = '\u001b[2K'

/**
 * Shows lines on a screen of their own, cut to the window. At its end, and while the program is
 * stopped by Ctrl-Z, the terminal shows what it showed before.
 */
export class FullScreen {
  readonly #terminal: Terminal
  #linesFor: (width: number) => readonly Line[] = () => []
  #is_on = false
  readonly #paint = () => this.#write()
  readonly #leave = () => this.#turnOff()
  readonly #pause = () => {
    this.#turnOff()
    process.kill(process.pid, 'SIGSTOP')
  }

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    terminal.onResize(() => {
      if (this.#is_on) this.#paint()
    })
    process.on('SIGTSTP', this.#pause)
    process.on('SIGCONT', this.#paint)
    // For an end that no caller sees.
    process.on('exit', this.#leave)
  }

  /** `linesFor`: called again when the window has another size. */
  show(linesFor: (width: number) => readonly Line[]): void {
    this.#linesFor = linesFor
    this.#write()
  }

  close(): void {
    process.off('SIGTSTP', this.#pause)
    process.off('SIGCONT', this.#paint)
    process.off('exit', this.#leave)
    this.#turnOff()
  }

  #write(): void {
    const { width, rows, styles } = this.#terminal
    const lines = this.#linesFor(width)
    const is_cut = lines.length > rows
    const shown = lines.slice(0, is_cut ? rows - 1 : rows)
    const texts = shown.map(({ tone, text }) => toned({ tone, text: fitText(text, width) }, styles))
    const more = `… ${counted(lines.length - shown.length, 'more line')}: sluice status`
    if (is_cut) texts.push(styles.dim(fitText(more, width)))
    while (texts.length < rows) texts.push('')
    const mode = this.#is_on ? '' : begin
    this.#is_on = true
    this.#terminal.write(mode + home + texts.map((text) => clear_line + text).join('\n'))
  }

  #turnOff(): void {
    if (this.#is_on) this.#terminal.write(end)
    this.#is_on = false
  }
}
