import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration, printable, shellWord } from '../../base/text/format.ts'
import { aborted, type Clock, minute_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { environmentWith, readEnvironment } from '../../config/environment.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { samplePassages } from '../../service/store/passages/passage-index.ts'
import { defineCommand, flag } from '../command.ts'
import { type StopSignals, withStopSignals } from '../daemon/stop-signals.ts'
import { type DemoSetup, late_file, late_question, setUpDemo } from '../demo/demo-setup.ts'
import { wordsToAsk } from '../demo/words-to-ask.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { type NextStep, printNext } from '../text/next-steps.ts'
import type { Terminal } from '../text/terminal.ts'
import { makeLink } from './page.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        describe: 'a folder to try it with, only read; without one, a small sample',
      })
      .option('stay', flag('keep the service and the daemon running until Ctrl-C')),
  async run({ folder, stay }, terminal) {
    return withStopSignals(
      (signals) => runDemo({ folder, stay, terminal, clock: system_clock, signals }),
      { is_endless: stay },
    )
  },
})

export interface DemoOptions {
  folder: string | undefined
  stay: boolean
  terminal: Terminal
  clock: Clock
  signals: Pick<StopSignals, 'first' | 'second'>
}

const program = fileURLToPath(new URL('../main.js', import.meta.url))
/** Longest wait for the added file, which is usually ready within two seconds. */
const max_late_file_ms = minute_ms
const poll_ms = 20
const max_names = 100

/**
 * Shows the main job from end to end: a service in this process, and the commands that a user would
 * type. Returns the exit code of the first command that failed. Errors: `usage.folder`, `demo.*`,
 * `answer.stopped`.
 */
export async function runDemo(options: DemoOptions): Promise<ExitCode> {
  const setup = await setUpDemo(options.folder, { page: options.stay })
  try {
    return await show(options, setup)
  } finally {
    await setup.close()
  }
}

async function show(
  { terminal, clock, signals, stay }: DemoOptions,
  setup: DemoSetup,
): Promise<ExitCode> {
  const { service, folder, is_sample } = setup
  const { begin, type, end, firstFault } = createTypist(setup, { terminal, signals })
  const say = (text: string) => terminal.out(`${terminal.styles.bold('•')} ${printable(text)}`)
  try {
    say(`A local service is running: API ${service.api}, blob store ${service.blob}`)
    say(
      is_sample
        ? `A small sample folder: ${folder.path}`
        : `Your folder, which is only read: ${folder.path}`,
    )
    await type('plan')
    const synced = await type('sync')
    if (signals.first.aborted) return exit_codes.incomplete
    if (synced !== exit_codes.ok && synced !== exit_codes.incomplete) return synced
    terminal.out('')
    say('The daemon runs from here on (sluice run)')
    const daemon = begin('run', '--quiet')
    const view = openLedgerView(setup.state_dir)
    try {
      const readyBelow = (prefix: string) =>
        view.files({
          folder: folder.name,
          prefix,
          stages: ['ready'],
          after: undefined,
          limit: max_names,
        })
      if (is_sample) {
        const added = {
          isReady: () => readyBelow(late_file.path).length > 0,
          daemon,
          clock,
          signals,
        }
        const took_ms = await addFile(join(folder.path, late_file.path), added)
        say(`A file is added: ${late_file.path}. It is ready ${formatDuration(took_ms)} later`)
      }
      const names = readyBelow('').map(({ path }) => path)
      if (is_sample) await type('ask', late_question, '--path', late_file.path)
      else if (names.length > 0) await type('ask', questionAbout(service, names), '--fresh', '1h')
    } finally {
      view.close()
    }
    await type('status')
    await type('verify')
    if (stay && !signals.first.aborted) {
      const { config } = await loadFor(terminal, { file: setup.config_file })
      sayHowToGoOn(setup, config, terminal)
      await Promise.race([aborted(signals.first), daemon.ended])
    } else if (!signals.first.aborted) printNext(terminal, stepsAfter(is_sample), undefined)
    return firstFault()
  } finally {
    await end()
  }
}

/** Prints and runs commands. `end` stops those that still run: none outlives the demo. */
function createTypist(
  { config_file }: DemoSetup,
  { terminal, signals }: Pick<DemoOptions, 'terminal' | 'signals'>,
) {
  const env = environmentWith(config_file)
  const running = new Set<ReturnType<typeof begin>>()
  let fault: ExitCode | undefined

  /** At a terminal, Ctrl-C reaches each process directly. A closed one reaches only the first. */
  const reachesAll = () => terminal.is_interactive && isatty(process.stdout.fd)

  function begin(...words: string[]) {
    const child = spawn(process.execPath, [program, ...words], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const kill = () => void child.kill('SIGKILL')
    // Before the directory of the demo is removed.
    process.prependOnceListener('exit', kill)
    const ended = once(child, 'close').then(([code]) => {
      process.off('exit', kill)
      running.delete(begun)
      return (code as ExitCode | null) ?? exit_codes.fault
    })
    const begun = { ended, stop: () => void child.kill('SIGTERM') }
    running.add(begun)
    return begun
  }

  function failed(code: ExitCode): ExitCode {
    fault ??= code
    return code
  }

  async function type(...words: string[]): Promise<ExitCode> {
    if (signals.first.aborted) return failed(exit_codes.incomplete)
    terminal.out('')
    terminal.out(terminal.styles.bold(`$ sluice ${words.map(shellWord).join(' ')}`))
    const command = begin(...words)
    const stop = () => void (reachesAll() || command.stop())
    signals.first.addEventListener('abort', stop)
    const code = await command.ended
    signals.first.removeEventListener('abort', stop)
    if (signals.first.aborted) return failed(exit_codes.incomplete)
    return code === exit_codes.ok ? code : failed(code)
  }

  async function end(): Promise<void> {
    const hurry = () => running.forEach(({ stop }) => void stop())
    if (!signals.first.aborted || !reachesAll()) hurry()
    signals.second.addEventListener('abort', hurry)
    await Promise.all([...running].map(({ ended }) => ended))
  }

  return { begin, type, end, firstFault: () => fault ?? exit_codes.ok }
}

/**
 * Returns how long the file took to become ready. Errors: `demo.not_ready`, `demo.daemon_ended`,
 * `answer.stopped`.
 */
async function addFile(
  file: string,
  added: { isReady: () => boolean; daemon: { ended: Promise<ExitCode> }; clock: Clock } & Pick<
    DemoOptions,
    'signals'
  >,
): Promise<number> {
  const { isReady, daemon, clock, signals } = added
  let code: ExitCode | undefined
  void daemon.ended.then((ended) => {
    code = ended
  })
  writeFileSync(file, late_file.content)
  const began_ms = clock.monotonic_ms()
  while (!isReady()) {
    if (signals.first.aborted)
      throw demoFault('answer.stopped', 'stopped before the file that was added was ready')
    if (code !== undefined)
      throw demoFault('demo.daemon_ended', `sluice run ended by itself (exit code ${code})`)
    if (clock.monotonic_ms() - began_ms > max_late_file_ms) {
      throw demoFault(
        'demo.not_ready',
        `${late_file.path} was not ready after ${formatDuration(max_late_file_ms)}`,
      )
    }
    await clock.sleep(poll_ms)
  }
  return clock.monotonic_ms() - began_ms
}

function sayHowToGoOn(
  { service, project_id, token_file, config_file }: DemoSetup,
  config: Config,
  terminal: Terminal,
): void {
  const { out, styles, is_interactive } = terminal
  const link = makeLink(config)
  if (is_interactive) openInBrowser(link, join(dirname(config_file), 'page.html'))
  out('')
  out(`${styles.bold('•')} It stays until Ctrl-C; then the temporary directory is removed`)
  out(`    page        ${link}  (works once, within ten minutes)`)
  out(`    base_url    ${service.api}`)
  out(`    project_id  ${project_id}`)
  out(`    token file  ${token_file}`)
  out(`    config      ${config_file}  (try: sluice status --config ${config_file})`)
}

/** Leads there by a file, because all users of the machine see the command lines of programs. */
function openInBrowser(link: string, file: string): void {
  writeFileAtomic(file, `<meta http-equiv="refresh" content="0; url=${link}">`)
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  // Without such a program the printed link is enough.
  spawn(opener, [file], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

function stepsAfter(is_sample: boolean): NextStep[] {
  const { by_npm } = readEnvironment()
  const steps: NextStep[] = []
  if (is_sample)
    steps.push([
      `${by_npm ? 'npm run demo --' : 'sluice demo'} FOLDER`,
      'the same with a folder of yours, which is only read',
    ])
  if (by_npm) steps.push(['npm install -g .', 'puts `sluice` on the PATH, for what follows'])
  return [
    ...steps,
    [
      'sluice serve --port 8080',
      'keeps a local service; not needed if your team has a service: then `sluice init`',
    ],
  ]
}

/** Enough passages to know which words are rare. */
const max_passages = 500

/** A question for a folder of the user's, in words of its files, so that it finds a passage. */
function questionAbout({ data_dir }: DemoSetup['service'], [path = '']: readonly string[]): string {
  const words = wordsToAsk(samplePassages(data_dir, max_passages))
  const name = basename(path).replace(/\.[^.]+$/, '')
  return `What do these files say about ${words.length > 0 ? words.join(', ') : name}?`
}

function demoFault(code: string, message: string): SluiceError {
  return new SluiceError({ code, message })
}
