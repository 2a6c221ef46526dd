import { createTerminal, type Terminal } from '../../src/cli/text/terminal.ts'

/** A fake terminal whose output a test can read. */
export function capturedTerminal(): { terminal: Terminal; out(): string; err(): string } {
  let [out, err] = ['', '']
  const terminal = createTerminal({
    stdout: {
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
