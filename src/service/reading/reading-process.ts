import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SluiceError } from '../../base/run/errors.ts'
import { formatBytes, formatDuration } from '../../base/text/format.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Extracted } from '../ingest/extract-document.ts'
import type { ExtractLimits } from '../ingest/extract-limits.ts'
import type { IngestSettings } from '../options.ts'

/** What a child process is asked: one file at a time, its bytes with the question or in a file. */
export interface ReadRequest {
  filename: string
  mime_type: string
  place: { bytes: Uint8Array } | { path: string }
  limits: ExtractLimits
}

/** What it says: first, and once, that it is there; then one answer to each request. */
export type ChildMessage = { started: true } | (Extracted & ChildUse)

interface ChildUse {
  /** Of the process so far. */
  cpu_ms: number
  peak_bytes: number
}

type Limits = Pick<IngestSettings, 'time_ms' | 'memory_bytes' | 'unpacked_bytes' | 'text_length' | 'reading_program'>

/** Memory is looked at this often: what grows faster meets the limit of the kernel. */
const memory_check_ms = 50
/** A process that does not say that it is there within this has failed; on a busy machine it takes seconds. */
const start_within_ms = 30 * second_ms
/** Memory that libraries do not give back, and whatever else a file may leave behind, ends with the process. */
const max_files_per_process = 200

/**
 * Limits that the kernel holds, whatever becomes of us: no core dumps, no files written, memory (the heap, buffers and stacks), and
 * processor time, so that one which never ends does not outlive a service that was killed. A limit that is lower already stays. Where
 * util-linux is, it is killed with us at once.
 */
const limited = `ulimit -c 0; ulimit -f 0; ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2
setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"; exec "$@"`

/**
 * V8 of Node 24 and later sets half a gigabyte aside for code, which the kernel counts as data (VmData of an empty script: 49 MB in
 * Node 22, 576 MB in 24.21 and 26.10) though no file can use it: without it no process would even start (SIGTRAP).
 */
const code_reserve_kilobytes = Number.parseInt(process.versions.node, 10) >= 24 ? 540 * 1_024 : 0

/** No file makes these: they are for everything that belongs to the service when it is stopped (systemd, a terminal that closes). */
const stop_signals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP'])

/** A process that did not live to answer, in words for the log. */
interface Ended {
  ended: string
  may_retry: boolean
}

interface Child {
  process: ChildProcess
  /** Resolves when it says that it is there; rejects with `service.reading_process` when it does not. */
  started: Promise<void>
  files: number
  /** Aborts when the process has ended. */
  gone: AbortSignal
}

/** @internal */
export type ReadingProcess = ReturnType<typeof keepReadingProcess>

/** A child process that reads one file at a time, made anew when it was killed, died, or has done enough. */
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
    /** Of all files so far, in bytes of resident memory. */
    get peak_bytes() {
      return peak_bytes
    },
    /** Ends the process, whatever it does. */
    end,
    /**
     * Never rejects for what a file does to the process: that is an answer. Error `service.reading_process`: none can be started,
     * or this one was ended by `end`; the file is not to blame.
     */
    async read(file: Omit<ReadRequest, 'limits'>): Promise<Extracted> {
      const first = await readOnce(file)
      // A process that read others before may have ended of what they left behind, and one that was killed from outside of somebody
      // else's hunger for memory: only a second process, and one of its own, says that it is the file.
      const found = 'ended' in first && first.may_retry ? await readOnce(file) : first
      return 'ended' in found ? { unreadable: found.ended } : found
    },
  }

  async function readOnce(file: Omit<ReadRequest, 'limits'>): Promise<Extracted | Ended> {
    // It may have ended while it rested.
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
    const answer = await ask(used, { ...file, limits: { unpacked_bytes, text_length } }, settings, (bytes) => {
      peak_bytes = Math.max(peak_bytes, bytes)
    })
    // Ended by `end` while it read.
    if (child !== used) throw notStarted('it was ended')
    if ('ended' in answer) {
      await end()
      return answer
    }
    const is_used_up = answer.cpu_ms > time_ms || answer.peak_bytes > memory_bytes / 2
    if (is_used_up || ++used.files >= max_files_per_process) await end()
    else rest(used.process)
    return 'text' in answer ? { text: answer.text } : { unreadable: answer.unreadable }
  }
}

function startChild({ time_ms, memory_bytes, reading_program }: Limits): Child {
  const kilobytes = Math.floor(memory_bytes / 1_024)
  const heap_mb = Math.floor(kilobytes / 2 / 1_024)
  // We end a process that has used the time of one file, so this is met only where nobody watches any more.
  const cpu_s = Math.ceil((2 * time_ms) / second_ms) + 1
  const node = [process.execPath, `--max-old-space-size=${heap_mb}`, reading_program || ownProgram()]
  const data_kilobytes = kilobytes + code_reserve_kilobytes
  const child = spawn('/bin/sh', ['-c', limited, 'sh', `${data_kilobytes}`, `${cpu_s}`, ...node], {
    env: {},
    cwd: '/',
    // A group of its own: Ctrl-C in a terminal is for us, who end it in time, and whatever it starts ends with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const gone = new AbortController()
  let fault = 'it said nothing'
  child.on('error', (error) => {
    fault = error.message
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

/** Threads and processes run what was built, also where the tests run the sources. */
function ownProgram(): string {
  const built = import.meta.url.replace(/\/src\/service\/reading\/([\w-]+)\.ts$/, '/dist/service/reading/$1.js')
  return fileURLToPath(new URL('reading-child.js', built))
}

async function ask(
  child: Child,
  request: ReadRequest,
  limits: Limits,
  notePeak: (bytes: number) => void,
): Promise<(Extracted & ChildUse) | Ended> {
  const answer = nextMessage(child.process, child.gone)
  // An error of sending says that it has gone, which `answer` says, too.
  child.process.send(request, () => {})
  const too_much = await watch(child, limits, settled(answer), notePeak)
  if (too_much) return too_much
  const message = await answer
  if (message === undefined || 'started' in message) {
    if (stop_signals.has(child.process.signalCode ?? ''))
      throw notStarted(`it was ended by ${child.process.signalCode}`)
    const ended = `the process that read it ended by ${endingOf(child.process)}, as it does for lack of memory`
    return { ended, may_retry: child.files > 0 || child.process.signalCode === 'SIGKILL' }
  }
  notePeak(message.peak_bytes)
  return message
}

/** Until `done`, or until the file takes too much. */
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
      return { ended: `needs more than ${formatBytes(memory_bytes)} of memory`, may_retry: files > 0 }
    }
    const left_ms = until_ms - system_clock.monotonic_ms()
    if (left_ms <= 0) return { ended: `takes longer than ${formatDuration(time_ms)}`, may_retry: false }
    await system_clock.sleep(Math.min(memory_check_ms, left_ms), done)
  }
  return undefined
}

/** 0 where there is no /proc: the limits of the kernel and of the engine hold there, too. */
function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

/** Undefined when it ended without one. */
async function nextMessage(child: ChildProcess, gone: AbortSignal): Promise<ChildMessage | undefined> {
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
  // One that has ended may have given its number to somebody else.
  if (pid === undefined || signalCode !== null || exitCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

/** A process that rests keeps ours not alive; one that reads does. */
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
    hint: 'documents wait until one does; nothing else does',
  })
}
