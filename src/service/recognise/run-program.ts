import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { formatBytes } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import { residentBytes, stop_signals } from '../reading/reading-process.ts'
import { waited_ms } from './program-output.ts'

const mb = 1024 * 1024

export interface ProgramRun {
  file: string
  args: readonly string[]
  /** The home of the program, where it writes its files. */
  directory: string
  /** `PATH` for what it starts. */
  path: string
  /** By the monotonic clock of this machine. */
  until_ms: number
  signal: AbortSignal
}

/**
 * Resident memory of a program with all that it started. Real pages took 110 MB in tesseract, and
 * real workbooks 300 MB in soffice.
 */
const max_memory_bytes = 1024 * mb
/** Addresses of one process. Programs reserve several times what they use. */
const max_address_bytes = 4 * max_memory_bytes
/** Each file that a program writes. A page of 1.5 m takes 130 MB at 200 dpi, in grey. */
const max_file_bytes = 128 * mb
/** Processor time. It matters if this service is gone: other limits of time are shorter. */
const max_processor_s = 120
const check_ms = 100

/**
 * Starts a program under limits of the kernel: no core dumps, the size of its files, its addresses
 * and its processor time. With util-linux it has no network, and the kernel kills it together with
 * this service. Other work comes first, but a page must end in its time.
 */
const limited = `ulimit -c 0; ulimit -f "$1"; ulimit -v "$2" 2>/dev/null; ulimit -t "$3"; shift 3
set -- nice -n 5 "$@"
setpriv --pdeathsig KILL true 2>/dev/null && set -- setpriv --pdeathsig KILL "$@"
unshare -rn true 2>/dev/null && set -- unshare -rn "$@"
exec "$@"`

/** Programs say no more by their exit codes. */
export const cannot_read = 'cannot read it'
export const takes_too_long = 'takes too long'

/** The code of a shell for a command that is gone. */
const not_started = 127

/**
 * Runs a program to its end, and ends all that it started. Returns why it failed, to continue "it";
 * undefined if it did not. Throws if this machine or a stop of the service is the cause.
 */
export async function runProgram(run: ProgramRun): Promise<string | undefined> {
  const kilobytes = Math.floor(max_address_bytes / 1_024)
  // The shell counts blocks of 512 bytes.
  const numbers = [max_file_bytes / 512, kilobytes, max_processor_s].map(String)
  const { file, args, directory, path, signal } = run
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...numbers, file, ...args], {
    env: environmentOf(directory, path),
    cwd: directory,
    // A process group of its own, which is ended as a whole.
    detached: true,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const done = new AbortController()
  const end = () => done.abort('ended')
  ended.then(end, end)
  try {
    const excess = await watch(child, run, done.signal)
    killGroup(child)
    await ended
    if (child.exitCode === not_started) throw stopped(`${file} cannot be started`)
    if (signal.aborted || stop_signals.has(child.signalCode ?? '')) throw stopped(child)
    if (excess !== undefined) return excess
    if (child.exitCode === 0) return undefined
    return child.signalCode ? `was ended by ${child.signalCode}` : cannot_read
  } catch (error) {
    killGroup(child)
    throw error instanceof SluiceError ? error : stopped(messageOf(error))
  }
}

function environmentOf(directory: string, path: string): NodeJS.ProcessEnv {
  return {
    PATH: path,
    HOME: directory,
    TMPDIR: directory,
    LC_ALL: 'C.UTF-8',
    // One thread: the service and its readers need the other processors.
    OMP_THREAD_LIMIT: '1',
  }
}

/** Waits for the end of a program, for a stop, or until it uses too much time or memory. */
async function watch(
  { pid }: ChildProcess,
  { until_ms, signal }: ProgramRun,
  done: AbortSignal,
): Promise<string | undefined> {
  const stop = AbortSignal.any([done, signal])
  while (!stop.aborted) {
    const left_ms = until_ms + waited_ms(schedulingOf(pid)) - system_clock.monotonic_ms()
    if (left_ms <= 0) return takes_too_long
    if (pid !== undefined && memoryOf(pid) > max_memory_bytes)
      return `needs more than ${formatBytes(max_memory_bytes)} of memory`
    await system_clock.sleep(Math.min(check_ms, left_ms), stop)
  }
  return undefined
}

function schedulingOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'latin1')
  } catch {
    return ''
  }
}

/** Bytes. The resident memory of a process and of all that it started; 0 without /proc. */
function memoryOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g)
    return (children ?? []).reduce(
      (sum, child) => sum + memoryOf(Number(child)),
      residentBytes(pid),
    )
  } catch {
    return 0
  }
}

/** Also after the program has ended, for what it left behind: the group keeps its number. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it runs any more.
  }
}

function stopped(by: ChildProcess | string): SluiceError {
  const why = typeof by === 'string' ? by : `the service stops (${by.signalCode})`
  return new SluiceError({ code: 'service.program', message: `no program reads scans now: ${why}` })
}
