import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../src/base/text/format.ts'
import { until } from './sluice.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** script(1) of util-linux gives a program a terminal of its own. */
export const has_terminals =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') === true

export const keys = { enter: '\r', down: '\u001b[B', ctrl_c: '\u0003', ctrl_d: '\u0004' }

/** The real program on a real pseudo-terminal, and a user who types. */
export class PseudoTerminal {
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #out = ''
  #read_to = 0

  /** `words`: those after `sluice`, or a whole line for the shell that begins so. */
  constructor(
    words: readonly string[] | string,
    options: { cwd: string; columns?: number; rows?: number; before?: string; then?: string },
  ) {
    const { cwd, columns = 100, rows = 50, before = '', then = '' } = options
    const begun = before + [process.execPath, program].map(shellWord).join(' ')
    const rest =
      typeof words === 'string' ? words.replace(/^sluice /, '') : words.map(shellWord).join(' ')
    const line = `${begun} ${rest}`
    const command = `stty cols ${columns} rows ${rows}; ${line}; code=$?; ${then} exit $code`
    this.#child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm', SHELL: '/bin/sh' },
    })
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += String(chunk)
    })
    this.ended = new Promise((resolve) => this.#child.on('close', resolve))
  }

  /** Everything that the terminal received, with control sequences. */
  shown(): string {
    return this.#out
  }

  /** Waits for a text that no call has waited for yet, then types. */
  async on(text: string, typed: string): Promise<void> {
    await this.sees(text)
    this.type(typed)
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  async sees(text: string): Promise<void> {
    const find = () => this.#out.indexOf(text, this.#read_to)
    await until(
      `the terminal shows ${text}`,
      () => find() >= 0,
      () => this.#out.slice(this.#read_to),
    )
    this.#read_to = find() + text.length
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}
