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
 * stopped by Ctrl-Z, the terminal shows what it showed before. `linesFor`: for a width in columns;
 * the window may have another one later.
 */
export function createFullScreen(terminal: Terminal, linesFor: (width: number) => readonly Line[]) {
  let is_on = false
  function paint(): void {
    terminal.write((is_on ? '' : begin) + frameText(linesFor(terminal.width), terminal))
    is_on = true
  }
  function leave(): void {
    if (is_on) terminal.write(end)
    is_on = false
  }
  function pause(): void {
    leave()
    process.kill(process.pid, 'SIGSTOP')
  }
  terminal.onResize(() => {
    if (is_on) paint()
  })
  // `exit`: for an end that no caller sees.
  process.on('SIGTSTP', pause).on('SIGCONT', paint).on('exit', leave)
  return {
    paint,
    close(): void {
      process.off('SIGTSTP', pause).off('SIGCONT', paint).off('exit', leave)
      leave()
    },
  }
}

/** Fills each line of the window, so that none of the frame before stays. */
function frameText(lines: readonly Line[], { rows, width, styles }: Terminal): string {
  const is_cut = lines.length > rows
  const shown = lines.slice(0, is_cut ? rows - 1 : rows)
  const texts = shown.map((line) => toned({ ...line, text: fitText(line.text, width) }, styles))
  const more = `… ${counted(lines.length - shown.length, 'more line')}: sluice status (Ctrl-C ends this)`
  if (is_cut) texts.push(styles.dim(fitText(more, width)))
  const blank = Array.from({ length: rows - texts.length }, () => '')
  return home + [...texts, ...blank].map((text) => clear_line + text).join('\n')
}
