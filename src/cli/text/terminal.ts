import { styleText } from 'node:util'
import { fitText } from '../../base/text/format.ts'

/** The output of a command. Standard output has the answer, standard error has all the rest. */
export type Terminal = ReturnType<typeof createTerminal>

export type Style = (text: string) => string
export type Styles = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', Style>

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  on?(event: 'resize', listener: () => void): unknown
}

/** The usual size, for terminals that report none. */
const usual_columns = 80
const usual_rows = 24
/** ECMA-48: back to the first column, erase to the end of the line. */
const clear_line = '\r\u001b[K'

/** Colours only on a terminal; `force_color` has them everywhere, `no_color` is stronger. */
export function createTerminal(options: {
  stdout: OutputStream
  stderr: OutputStream
  no_color: boolean
  force_color?: boolean
}) {
  const { stdout, stderr, no_color, force_color = false } = options
  const has_colors = ({ isTTY }: OutputStream) => (isTTY === true || force_color) && !no_color
  const is_interactive = stdout.isTTY === true
  return {
    /** Writes lines; the last line break is added. */
    out: (text: string) => void stdout.write(`${text}\n`),
    err: (text: string) => void stderr.write(`${text}\n`),
    /** Writes to standard output without a line break. */
    write: (text: string) => void stdout.write(text),
    /** For standard output; those for standard error may differ, each can be a file. */
    styles: stylesOf(has_colors(stdout)),
    err_styles: stylesOf(has_colors(stderr)),
    /** Columns of standard output. Infinity for a file or a pipe, so that nothing is cut. */
    get width() {
      return is_interactive ? stdout.columns || usual_columns : Number.POSITIVE_INFINITY
    },
    get rows() {
      return stdout.rows || usual_rows
    },
    /** Calls the listener when the window of standard output has another size. */
    onResize: (listener: () => void) => void stdout.on?.('resize', listener),
    /** Standard output is a terminal: progress may be shown in place. */
    is_interactive,
    /**
     * Replaces the last line on standard error; '' removes it. Does nothing if that is no terminal.
     */
    inPlace(text: string) {
      if (stderr.isTTY === true)
        stderr.write(clear_line + fitText(text, (stderr.columns || usual_columns) - 1))
    },
  }
}

function stylesOf(enabled: boolean): Styles {
  // The caller knows which stream it is: newer Nodes would judge standard output by themselves.
  const style = (name: keyof Styles): Style =>
    enabled ? (text) => styleText(name, text, { validateStream: false }) : (text) => text
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
  }
}
