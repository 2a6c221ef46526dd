import { createTerminal, type Terminal } from '../../src/cli/text/terminal.ts'

export interface CapturedTerminal {
  terminal: Terminal
  out(): string
  err(): string
}

/** A fake terminal whose output a test can read. Without `columns` it is a pipe. */
export function capturedTerminal(columns?: number): CapturedTerminal {
  let [out, err] = ['', '']
  const size = columns === undefined ? {} : { isTTY: true, columns }
  const terminal = createTerminal({
    stdout: {
      ...size,
      write(text) {
        out += text
      },
    },
    stderr: {
      write(text) {
        err += text
      },
    },
    no_color: true,
  })
  return { terminal, out: () => out, err: () => err }
}
