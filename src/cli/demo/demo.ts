import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration, printable } from '../../base/text/format.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import { environmentWith } from '../../config/environment.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { aborted, type StopSignals } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import type { Terminal } from '../text/terminal.ts'
import { type DemoSetup, late_file, late_question, setUpDemo } from './demo-setup.ts'

export interface DemoOptions {
  folder: string | undefined
  stay: boolean
  terminal: Terminal
  clock: Clock
  signals: Pick<StopSignals, 'first' | 'second'>
}

const program = fileURLToPath(new URL('../main.js', import.meta.url))
/** A new file is ready within a second or two. */
const late_file_most_ms = minute_ms
const look_ms = 20
const most_words = 3
const most_names = 100

/**
 * Shows the main job from end to end: a service in this process, and the commands that a person would type, each run as shown.
 * Answers the exit code of the first command that did not end well. Errors: `usage.folder`, `demo.not_ready`.
 */
export async function runDemo(options: DemoOptions): Promise<ExitCode> {
  const setup = await setUpDemo(options.folder)
  try {
    return await show(options, setup)
  } finally {
    await setup.close()
  }
}

async function show({ terminal, clock, signals, stay }: DemoOptions, setup: DemoSetup): Promise<ExitCode> {
  const { service, config_file, folder, is_sample } = setup
  const say = (text: string) => terminal.out(`${terminal.styles.bold('•')} ${printable(text)}`)
  const env = environmentWith(config_file)

  function begin(...words: string[]) {
    const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'inherit', 'inherit'] })
    const stop = () => void child.kill('SIGTERM')
    for (const signal of [signals.first, signals.second]) signal.addEventListener('abort', stop)
    const ended = once(child, 'exit').then(([code]) => (code as ExitCode | null) ?? exit_codes.fault)
    return { stop, ended }
  }

  async function type(...words: string[]): Promise<ExitCode> {
    if (signals.first.aborted) return exit_codes.incomplete
    terminal.out('')
    terminal.out(terminal.styles.bold(`$ sluice ${words.map(quoted).join(' ')}`))
    return await begin(...words).ended
  }

  say(`A local service is running: API ${service.api}, blob store ${service.blob}`)
  say(is_sample ? `A small sample folder: ${folder.path}` : `Your folder, which is only read: ${folder.path}`)
  const plan = await type('plan')
  const sync = plan === exit_codes.ok ? await type('sync') : plan
  if (signals.first.aborted) return exit_codes.incomplete
  if (sync !== exit_codes.ok && sync !== exit_codes.incomplete) return sync

  terminal.out('')
  say('The daemon runs from here on (sluice run)')
  const daemon = begin('run')
  const view = openLedgerView(setup.state_dir)
  try {
    const readyBelow = (prefix: string) =>
      view.files({ folder: folder.name, prefix, stages: ['ready'], after: undefined, limit: most_names })
    if (is_sample) {
      writeFileSync(join(folder.path, late_file.path), late_file.content)
      const began_ms = clock.monotonic_ms()
      while (!signals.first.aborted && readyBelow(late_file.path).length === 0) {
        if (clock.monotonic_ms() - began_ms > late_file_most_ms) throw notReady()
        await clock.sleep(look_ms)
      }
      say(`A file is added: ${late_file.path}. It is ready ${formatDuration(clock.monotonic_ms() - began_ms)} later`)
    }
    const names = readyBelow('').map(({ path }) => path)
    if (is_sample) await type('ask', late_question, '--path', late_file.path)
    else if (names.length > 0) await type('ask', questionAbout(names), '--fresh', '1h')
    await type('status')
    const verify = await type('verify')
    if (stay && !signals.first.aborted) {
      sayHowToGoOn(setup, terminal)
      await aborted(signals.first)
    }
    return sync === exit_codes.ok ? verify : sync
  } finally {
    view.close()
    daemon.stop()
    await daemon.ended
  }
}

function sayHowToGoOn({ service, project_id, token_file, config_file }: DemoSetup, { out, styles }: Terminal): void {
  out('')
  out(`${styles.bold('•')} It stays until Ctrl-C; then the temporary directory is removed`)
  out(`    base_url    ${service.api}`)
  out(`    project_id  ${project_id}`)
  out(`    token file  ${token_file}`)
  out(`    config      ${config_file}  (try: sluice status --config ${config_file})`)
}

function quoted(word: string): string {
  return /^[\w/.-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", "'\\''")}'`
}

/** For a folder that nobody knows: a question about the words that its files are most often named by. */
function questionAbout(paths: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const words = basename(path)
      .toLowerCase()
      .replace(/\.[a-z0-9]{1,5}$/, '')
      .match(/\p{L}{4,}/gu)
    for (const word of new Set(words ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most_words)
  const about = words.length > 0 ? words.map(([word]) => word).join(', ') : 'the most important points'
  return `What do these files say about ${about}?`
}

function notReady(): SluiceError {
  return new SluiceError({
    code: 'demo.not_ready',
    message: `${late_file.path} was not ready after ${formatDuration(late_file_most_ms)}`,
  })
}
