import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { askingPaths, noAnswer } from '../base/files/ask-paths.ts'
import { mountsThatMayHang } from '../base/files/mount-table.ts'
import { path_patience_ms } from '../base/files/paths.ts'
import { second_ms, system_clock } from '../base/time/time.ts'
import { environmentOfRelayed, readEnvironment } from '../config/environment.ts'
import { type ExitCode, exit_codes } from './exit-codes.ts'
import { printError } from './text/print.ts'
import type { OutputStream, Terminal } from './text/terminal.ts'

/** A slow disk answers in less. */
const max_silent_s = 8
const passed_on = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How the process of the command has ended. `silent`: it hangs, and these mounts do not answer. */
interface Ended {
  code?: number | null
  signal?: NodeJS.Signals | null
  silent?: readonly string[]
}

/**
 * Runs a command in a process of its own and shows its output. A thread inside a call that never
 * returns (an unresponsive mount) keeps its process alive, even after SIGKILL, and with it the
 * streams: a caller would wait for their end. Only this process has the streams of the caller. It
 * ends with the last message of the command, and leaves the other process behind.
 */
export async function relayCommand(
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdout, stderr, execPath, execArgv, argv } = process
  const { journal } = readEnvironment()
  const shown = { stdout: shapeOf(stdout), stderr: shapeOf(stderr), journal }
  const child = spawn(execPath, [...execArgv, argv[1]!, ...words], {
    // A signal of the terminal reaches the command once, from here.
    detached: true,
    env: environmentOfRelayed(shown),
    stdio: ['inherit', 'pipe', 'pipe', 'ipc'],
  })
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of passed_on) process.on(signal, passOn)
  const over = new AbortController()
  const { code, signal, silent } = await Promise.race([
    endOf(child, [show(child.stdout!, stdout), show(child.stderr!, stderr)]),
    silenceOf(child, over.signal),
  ])
  over.abort()
  for (const signal of passed_on) process.off(signal, passOn)
  leave(child)
  if (signal) process.kill(process.pid, signal)
  else if (silent) printError(noAnswer(silent.join(', '), path_patience_ms), terminal)
  return (code ?? exit_codes.incomplete) as ExitCode
}

function shapeOf({ isTTY, columns, rows }: OutputStream) {
  return { isTTY, columns, rows }
}

function show(from: Readable, to: NodeJS.WriteStream): Promise<void> {
  from.pipe(to)
  // Without a reader the rest is lost, and the command goes on. `pipe` has paused its output.
  to.on('error', () => from.resume())
  return finished(from)
}

/** `shown`: all output was passed on. The command says its exit code before its process ends. */
async function endOf(child: ChildProcess, shown: readonly Promise<void>[]): Promise<Ended> {
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('message', (code: number) => resolve({ code }))
    child.on('exit', (code, signal) => resolve({ code, signal }))
    child.on('error', reject)
  })
  await Promise.all(shown)
  return ended
}

/**
 * Resolves when the main thread of the process rests and a mount does not answer. A thread that
 * only rests is no proof: its process may be stopped (SIGSTOP, a frozen cgroup) or wait for memory.
 */
async function silenceOf(child: ChildProcess, over: AbortSignal): Promise<Ended> {
  let last: string | undefined
  for (let silent_s = 0; !over.aborted; silent_s += 1) {
    if (silent_s >= max_silent_s) {
      const silent = await silentMounts()
      if (silent.length > 0) return { silent }
      silent_s = 0
    }
    // It wakes the thread.
    if (child.connected) child.send('', () => {})
    await system_clock.sleep(second_ms, over)
    const now = workOf(child.pid)
    if (now === undefined || now !== last) silent_s = 0
    last = now
  }
  return {}
}

/** Time that the process's main thread has run, in ns: sched-stats.rst. Undefined if unknown. */
function workOf(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1')
  } catch {
    return undefined
  }
}

/** It ends now, or when its disk answers. */
function leave(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy()
  if (child.connected) child.disconnect()
  child.unref()
}

function silentMounts(): Promise<readonly string[]> {
  return askingPaths((paths) => {
    for (const { place } of mountsThatMayHang()) paths.look(place)
    return paths.silent()
  })
}

/** In the process of a relayed command: it ends with the process that shows its output. */
export function followRelay(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()
}

/**
 * In the process of a relayed command, when all is printed. It lets go of the caller's streams,
 * also while a thread hangs. What is printed from now on is lost.
 */
export async function endRelayed(exit_code: ExitCode): Promise<void> {
  await new Promise((sent) => process.send!(exit_code, undefined, undefined, sent))
  for (const descriptor of [1, 2]) {
    closeSync(descriptor)
    // A file that is opened gets the lowest free number: a log line would go into any later one.
    const is_taken = openSync('/dev/null', 'r+') !== descriptor
    if (is_taken) process.kill(process.pid, 'SIGKILL')
  }
}
