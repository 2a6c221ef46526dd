import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { no_debugger } from '../../base/run/process.ts'
import { builtModule } from '../../base/run/thread.ts'
import { formatBytes, formatDuration } from '../../base/text/format.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Extracted } from '../ingest/extract-document.ts'
import type { ExtractLimits } from '../ingest/extract-limits.ts'
import type { Recognition } from '../ingest/picture-pages.ts'
import type { IngestSettings } from '../options.ts'

/** A request to a child process: one file, its bytes in the request or in a file. */
export interface ReadRequest {
  filename: string
  mime_type: string
  place: { bytes: Uint8Array } | { path: string }
  recognition?: Recognition
  limits: ExtractLimits
}

/** The messages of a child process: one when it has started, then one answer per request. */
export type ChildMessage = { started: true } | (Extracted & ChildUse)

interface ChildUse {
  /** Processor time of the process so far, over all its files. */
  cpu_ms: number
  peak_bytes: number
}

type Limits = Pick<
  IngestSettings,
  'time_ms' | 'memory_bytes' | 'unpacked_bytes' | 'text_length' | 'reading_program'
>

/** The interval of memory checks during a read. The kernel's limit stops a faster growth. */
const memory_check_ms = 50
/** A process that has not started within this time has failed. A busy machine needs seconds. */
const start_within_ms = 30 * second_ms
/** A process ends after this many files, which frees all that libraries and files left behind. */
const max_files_per_process = 200

/**
 * The shell script that starts a child process under limits of the kernel, which hold even without
 * this service: no core dumps, no written files, memory (heap, buffers and stacks) and processor
 * time. So an endless process does not outlive a killed service for long. A lower limit stays as it
 * is. With util-linux, the kernel kills the process together with the service.
 */
const limited = `ulimit -c 0; ulimit -f 0; ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2
setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"; exec "$@"`

/**
 * Added to the memory limit. V8 since Node 24 reserves half a gigabyte for code, which the kernel
 * counts as data although no file can use it (VmData of an empty script: 49 MB in Node 22, 576 MB
 * in 24.21 and 26.10). Without this addition no process would start (SIGTRAP).
 */
const code_reserve_kilobytes = Number.parseInt(process.versions.node, 10) >= 24 ? 540 * 1_024 : 0

/** Signals that no file causes. They come when the whole service stops (systemd, a terminal). */
export const stop_signals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP'])

/**
 * The process ended, or had to be ended, without an answer. `ended` is the reason for the log.
 * `may_retry`: the file may not be the cause.
 */
interface Ended {
  ended: string
  may_retry: boolean
}

interface Child {
  process: ChildProcess
  /**
   * Resolves when the process reports its start. Rejects with `service.reading_process` if it ends
   * before, or does not report within `start_within_ms`.
   */
  started: Promise<void>
  files: number
  /** Aborts when the process has ended, or could not be started. */
  gone: AbortSignal
}

/**
 * A child process that reads one file at a time. A read starts it if there is none. It ends when it
 * fails, exceeds a limit, or has used enough files, time or memory; the next read starts a new one.
 */
export function keepReadingProcess(settings: Limits) {
  const { time_ms, memory_bytes, unpacked_bytes, text_length } = settings
  let child: Child | undefined
  let peak_bytes = 0

  async function end(): Promise<void> {
    const last = child
    child = undefined
    if (last) await kill(last)
  }

  return {
    /** Bytes. The peak of resident memory of any of its processes. */
    get peak_bytes() {
      return peak_bytes
    },
    /** Ends the process, also during a read, which then throws. */
    end,
    /**
     * Extracts the text of a file. If the file ends the process, the answer is `unreadable`. Error
     * `service.reading_process` if no process can start, or if the service or `end` ends it during
     * the read: the file is not the cause.
     */
    async read(file: Omit<ReadRequest, 'limits'>): Promise<Extracted> {
      const first = await readOnce(file)
      // Earlier files, or a kill for lack of memory elsewhere, may have ended the process. Only a
      // second, fresh process proves that the file is the cause.
      const found = 'ended' in first && first.may_retry ? await readOnce(file) : first
      return 'ended' in found ? { unreadable: found.ended } : found
    },
  }

  async function readOnce(file: Omit<ReadRequest, 'limits'>): Promise<Extracted | Ended> {
    // The process may have ended while it had no work.
    if (child?.gone.aborted) child = undefined
    child ??= startChild(settings)
    const used = child
    hold(used.process)
    try {
      await used.started
    } catch (error) {
      await end()
      throw error
    }
    const answer = await ask(
      used,
      { ...file, limits: { unpacked_bytes, text_length } },
      settings,
      (bytes) => {
        peak_bytes = Math.max(peak_bytes, bytes)
      },
    )
    // `end` was called during the read.
    if (child !== used) throw notStarted('the service ended it')
    if ('ended' in answer) {
      await end()
      return answer
    }
    const is_used_up = answer.cpu_ms > time_ms || answer.peak_bytes > memory_bytes / 2
    if (is_used_up || ++used.files >= max_files_per_process) await end()
    else rest(used.process)
    const { cpu_ms: _, peak_bytes: __, ...found } = answer
    return found
  }
}

function startChild({ time_ms, memory_bytes, reading_program }: Limits): Child {
  const kilobytes = Math.floor(memory_bytes / 1_024)
  const heap_mb = Math.floor(kilobytes / 2 / 1_024)
  // This service ends a process after the time of one file. The kernel's limit matters only if the
  // service is gone.
  const cpu_s = Math.ceil((2 * time_ms) / second_ms) + 1
  const program = reading_program || fileURLToPath(builtModule('service/reading/reading-child'))
  const node = [process.execPath, ...no_debugger, `--max-old-space-size=${heap_mb}`, program]
  const data_kilobytes = kilobytes + code_reserve_kilobytes
  const child = spawn('/bin/sh', ['-c', limited, 'sh', `${data_kilobytes}`, `${cpu_s}`, ...node], {
    env: {},
    cwd: '/',
    // A process group of its own: Ctrl-C in a terminal reaches only the service, which then ends
    // the group.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const gone = new AbortController()
  let fault = 'it sent no message'
  child.on('error', (error) => {
    fault = messageOf(error)
    if (child.pid === undefined) gone.abort()
  })
  child.once('exit', () => {
    fault = `it ended by ${endingOf(child)}`
    gone.abort()
  })
  const started = hasStarted(child, gone.signal).then((has_started) => {
    if (!has_started) throw notStarted(fault)
  })
  return { process: child, started, files: 0, gone: gone.signal }
}

async function hasStarted(child: ChildProcess, gone: AbortSignal): Promise<boolean> {
  const first = nextMessage(child, gone)
  const known = settled(first)
  await system_clock.sleep(start_within_ms, known)
  return known.aborted && (await first) !== undefined
}

async function ask(
  child: Child,
  request: ReadRequest,
  limits: Limits,
  notePeak: (bytes: number) => void,
): Promise<(Extracted & ChildUse) | Ended> {
  const answer = nextMessage(child.process, child.gone)
  // A failed send means that the process has ended, which `answer` reports, too.
  child.process.send(request, () => {})
  const too_much = await watch(child, limits, settled(answer), notePeak)
  if (too_much) return too_much
  const message = await answer
  if (message === undefined || 'started' in message) {
    if (stop_signals.has(child.process.signalCode ?? ''))
      throw notStarted(`it was ended by ${child.process.signalCode}`)
    const ended = `the process that read it ended by ${endingOf(child.process)}, probably for lack of memory`
    return { ended, may_retry: child.files > 0 || child.process.signalCode === 'SIGKILL' }
  }
  notePeak(message.peak_bytes)
  return message
}

/** Waits until `done` (undefined), or until the file uses too much time or memory. */
async function watch(
  { process: { pid }, files }: Child,
  { time_ms, memory_bytes }: Limits,
  done: AbortSignal,
  notePeak: (bytes: number) => void,
): Promise<Ended | undefined> {
  const until_ms = system_clock.monotonic_ms() + time_ms
  while (!done.aborted) {
    const resident = residentBytes(pid)
    notePeak(resident)
    if (resident > memory_bytes) {
      return {
        ended: `it needs more than ${formatBytes(memory_bytes)} of memory`,
        may_retry: files > 0,
      }
    }
    const left_ms = until_ms - system_clock.monotonic_ms()
    if (left_ms <= 0)
      return { ended: `it takes longer than ${formatDuration(time_ms)}`, may_retry: false }
    await system_clock.sleep(Math.min(memory_check_ms, left_ms), done)
  }
  return undefined
}

/** The memory of a process now. 0 without /proc; the limits of kernel and Node.js still hold. */
export function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

/** The next message of the process; undefined if it ends before. */
async function nextMessage(
  child: ChildProcess,
  gone: AbortSignal,
): Promise<ChildMessage | undefined> {
  try {
    const [message] = await once(child, 'message', { signal: gone })
    return message as ChildMessage
  } catch {
    return undefined
  }
}

function settled(promise: Promise<unknown>): AbortSignal {
  const controller = new AbortController()
  void promise.then(() => controller.abort('settled'))
  return controller.signal
}

async function kill({ process: child, gone }: Child): Promise<void> {
  hold(child)
  killGroup(child)
  if (!gone.aborted) await once(gone, 'abort')
}

function killGroup({ pid, signalCode, exitCode }: ChildProcess): void {
  // If the process has ended, another one may have got its number.
  if (pid === undefined || signalCode !== null || exitCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has just ended.
  }
}

/** `rest` lets this service end while the process is idle; `hold` keeps it running for a read. */
function rest(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function endingOf({ signalCode, exitCode }: ChildProcess): string {
  return signalCode ?? `code ${exitCode}`
}

function notStarted(why: string): SluiceError {
  return new SluiceError({
    code: 'service.reading_process',
    message: `no process reads documents now: ${why}`,
    hint: 'documents wait until one runs; other files are read meanwhile',
  })
}
