import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { askingPaths } from '../base/files/ask-paths.ts'
import { mountsThatMayHang } from '../base/files/mount-table.ts'
import { SluiceError } from '../base/run/errors.ts'
import { second_ms, system_clock } from '../base/time/time.ts'
import { environmentOfRelayed, readEnvironment } from '../config/environment.ts'
import { type ExitCode, exit_codes } from './exit-codes.ts'
import { printError } from './text/print.ts'
import { type OutputStream, type Terminal, usual_columns } from './text/terminal.ts'

/** The messages of a relayed command: every second that it lives, and the last one. */
type News = 'alive' | { exit_code: ExitCode }
type Ended = News | { signal: NodeJS.Signals } | 'silent'

const beat_ms = second_ms
/** A slow disk answers in less. */
const max_silent_beats = 8
const passed_on = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command in a process of its own and shows its output. A thread inside a call that never
 * returns (an unresponsive mount) keeps its process alive, even after SIGKILL, and with it the
 * streams: a caller would wait for their end. Only this process has the streams of the caller. It
 * ends with the last word of the command, and leaves the other process behind.
 */
export async function relayCommand(
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const relayed = {
    stdout_columns: columnsOf(process.stdout),
    stderr_columns: columnsOf(process.stderr),
    journal: readEnvironment().journal,
  }
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words], {
    // A signal of the terminal reaches the command once, from here.
    detached: true,
    env: environmentOfRelayed(relayed),
    stdio: ['inherit', 'pipe', 'pipe', 'ipc'],
  })
  let signalled: NodeJS.Signals | undefined
  const passOn = (signal: NodeJS.Signals) => {
    signalled = signal
    child.kill(signal)
  }
  for (const signal of passed_on) process.on(signal, passOn)
  const over = new AbortController()
  const shown = [child.stdout!, child.stderr!]
  const ended = await Promise.race([
    Promise.all([endOf(child), show(shown[0]!, process.stdout), show(shown[1]!, process.stderr)]),
    silenceOf(child, over.signal),
  ])
  over.abort()
  for (const signal of passed_on) process.off(signal, passOn)
  const end: Ended = Array.isArray(ended) ? ended[0] : ended
  leave(child)
  if (typeof end === 'object' && 'exit_code' in end) return end.exit_code
  const signal = typeof end === 'object' ? end.signal : signalled
  if (signal) process.kill(process.pid, signal)
  else printError(await silentDisk(), terminal)
  return exit_codes.incomplete
}

function columnsOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true ? columns || usual_columns : 0
}

function show(from: Readable, to: NodeJS.WriteStream): Promise<void> {
  from.pipe(to)
  return finished(from)
}

/** The last message of the command, or how its process has ended without one. */
function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.on('message', (news: News) => {
      if (news !== 'alive') resolve(news)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      resolve(signal ? { signal } : { exit_code: (code ?? exit_codes.fault) as ExitCode }),
    )
  })
}

/** Resolves when the main thread of the process is inside a call that does not return. */
async function silenceOf(child: ChildProcess, over: AbortSignal): Promise<'silent'> {
  let beats = 0
  child.on('message', () => {
    beats += 1
  })
  let silent_beats = 0
  let last = ''
  while (silent_beats < max_silent_beats && !over.aborted) {
    await system_clock.sleep(beat_ms, over)
    const work = workOf(child.pid!)
    const now = `${beats} ${work}`
    // Before the first message the program is loaded.
    const may_hang = beats > 0 && work !== undefined
    silent_beats = may_hang && now === last ? silent_beats + 1 : 0
    last = now
  }
  return 'silent'
}

/**
 * Processor time of the process's main thread: proc_pid_stat(5). Undefined if it is unknown, or the
 * process is stopped (SIGSTOP).
 */
function workOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0]!.toLowerCase() === 't' ? undefined : `${fields[11]} ${fields[12]}`
  } catch {
    return undefined
  }
}

/** It ends by itself, or when its disk answers. */
function leave(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (child.connected) child.disconnect()
  child.unref()
}

async function silentDisk(): Promise<SluiceError> {
  const silent = await askingPaths((paths) => {
    for (const { place } of mountsThatMayHang()) paths.look(place)
    return paths.silent()
  })
  return new SluiceError({
    code: 'path.no_answer',
    message: `the command waits for a disk that does not answer: ${silent.join(', ') || 'none of the shares that are mounted now'}`,
    hint: 'is it a share whose server is offline? Check the mount (findmnt, dmesg)',
  })
}

/** The other side: in the process of a relayed command. */
export class Relayed {
  readonly #over = new AbortController()

  constructor() {
    process.once('disconnect', endNow)
    process.channel?.unref()
    void this.#beat()
  }

  /** All is printed. The other process ends now, whatever keeps this one alive. */
  async end(exit_code: ExitCode): Promise<void> {
    this.#over.abort()
    process.off('disconnect', endNow)
    await send({ exit_code })
    for (const descriptor of [1, 2]) closeSync(descriptor)
  }

  async #beat(): Promise<void> {
    while (!this.#over.signal.aborted) {
      void send('alive')
      await system_clock.sleep(beat_ms, this.#over.signal)
    }
  }
}

function send(news: News): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(news, undefined, undefined, () => resolve())
  })
}

/** Nobody reads the output any more: the process that shows it was killed. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}
