import { type ChildProcess, spawn } from 'node:child_process'
import { askingPaths, noAnswer } from '../base/files/ask-paths.ts'
import { causeOf, codeOf } from '../base/run/errors.ts'
import { formatDuration, printable } from '../base/text/format.ts'
import { scrubText } from '../base/text/scrub.ts'
import { renderTemplate } from '../base/text/template.ts'
import { type Clock, second_ms } from '../base/time/time.ts'
import {
  type Delivered,
  type DeliveryTools,
  delivered,
  failed,
  finalFault,
  laterFault,
  type Message,
  templateValues,
} from './message.ts'
import type { CommandTarget } from './target.ts'

const max_line_chars = 300
/** Kept beyond the limit until it is scrubbed: a secret without its beginning is not found. */
const margin_bytes = 4_096
/** The wait after SIGTERM, and for a child process that still holds the output open. */
const grace_ms = 5 * second_ms
/** A longer value is left out. Linux accepts 128 KB for one string, a few megabytes for all. */
const max_variable_bytes = 32_768
/** The kept end of the output: one screen of text, where commands say why they failed. */
const max_output_bytes = 2_048

/** Runs a command: the report on standard input, values as templates and as SLUICE_<NAME>. */
export async function runCommand(
  { run, timeout_ms }: CommandTarget,
  message: Message,
  { clock, signal, environment }: DeliveryTools,
): Promise<Delivered> {
  const values = templateValues(message)
  const [program = '', ...rendered] = run.map((part) => renderTemplate(part, values))
  if (signal.aborted) return laterFault('delivery.stopped', `${program} was not started`)
  // The start of a program waits in this thread until the kernel has read it.
  const is_silent = await askingPaths((paths) => paths.look(program).is_silent)
  if (is_silent) return failed(noAnswer(program), false)
  let child: ChildProcess
  try {
    // The command gets its own process group, so that its children can be ended with it.
    const env = commandEnvironment(environment, values)
    child = spawn(program, rendered, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  } catch (error) {
    return notStarted(program, error)
  }
  const output = collectOutput(child, max_output_bytes)
  child.stdin?.on('error', () => {}) // EPIPE: a command need not read the report to succeed.
  child.stdin?.end(message.text)
  const ending = await endOf(child, timeout_ms, clock, signal)
  if (ending.start_fault !== undefined) return notStarted(program, ending.start_fault)
  const said = output()
  const outcome = outcomeOf(program, ending, lastLine(said), timeout_ms)
  return said === '' ? outcome : { ...outcome, output: said }
}

/** Only PATH, HOME and LANG come from the daemon's environment: the rest may hold the token. */
function commandEnvironment(
  { PATH, HOME, LANG }: DeliveryTools['environment'],
  values: Record<string, string>,
) {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries({ PATH, HOME, LANG })) {
    if (value !== undefined) env[name] = value
  }
  for (const [name, value] of Object.entries(values)) {
    const is_fit =
      name !== 'text' && !value.includes('\0') && Buffer.byteLength(value) <= max_variable_bytes
    if (is_fit) env[`SLUICE_${name.toUpperCase()}`] = value
  }
  return env
}

const invalid_argument = 'ERR_INVALID_ARG_VALUE'

function notStarted(program: string, error: unknown): Delivered {
  const code = codeOf(error) ?? ''
  // The message of Node quotes the argument.
  const why = code === invalid_argument ? 'an argument has a zero byte' : causeOf(error)
  const what = `cannot start ${program}: ${why}`
  // Only bad arguments are final: a program can be installed, a disk mounted, memory freed.
  if (['E2BIG', invalid_argument].includes(code)) {
    return finalFault('delivery.command', what, 'check its arguments')
  }
  return laterFault('delivery.command', what, 'check its path, and that the daemon may run it')
}

/** Keeps the end, where commands say why they failed. It may repeat a secret: scrub it. */
function collectOutput({ stdout, stderr }: ChildProcess, max_bytes: number): () => string {
  let kept = Buffer.alloc(0)
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (piece: Buffer) => {
      kept = Buffer.concat([kept, piece]).subarray(-max_bytes - margin_bytes)
    })
  }
  return () => endOfText(scrubText(kept.toString('utf8').trimEnd()), max_bytes)
}

/** The last `max_bytes` bytes at most, from the beginning of a character. */
function endOfText(text: string, max_bytes: number): string {
  const end = Buffer.from(text).subarray(-max_bytes)
  return end.subarray(Math.max(0, end.findIndex(isBeginning))).toString('utf8')
}

/** True for the first byte of a character in UTF-8. */
function isBeginning(byte: number): boolean {
  return (byte & 0xc0) !== 0x80
}

interface Ending {
  start_fault?: unknown
  code?: number | null
  signal?: NodeJS.Signals | null
  why_ended?: 'time' | 'stop'
}

async function endOf(
  child: ChildProcess,
  timeout_ms: number,
  clock: Clock,
  stop: AbortSignal,
): Promise<Ending> {
  const ending: Ending = {}
  const gone = new AbortController()
  const closed = new AbortController()
  child.once('error', (error) => {
    // `error` is also emitted when a signal could not be sent. Then the process runs.
    if (child.pid === undefined) ending.start_fault = error
    gone.abort()
    if (child.pid === undefined) closed.abort()
  })
  child.once('exit', (code, signal) => {
    Object.assign(ending, { code, signal })
    gone.abort()
  })
  child.once('close', () => closed.abort())

  await clock.sleep(timeout_ms, AbortSignal.any([gone.signal, stop]))
  if (!gone.signal.aborted) {
    ending.why_ended = stop.aborted ? 'stop' : 'time'
    endGroup(child, 'SIGTERM')
    await clock.sleep(grace_ms, closed.signal)
    // Other processes of the group may ignore SIGTERM, even when its leader has ended.
    endGroup(child, 'SIGKILL')
  }
  await clock.sleep(grace_ms, closed.signal)
  // A left child process may still hold the output open: stop reading it.
  child.stdout?.destroy()
  child.stderr?.destroy()
  return ending
}

function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // ESRCH: the whole group has already ended.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

function outcomeOf(
  program: string,
  { code, signal, why_ended }: Ending,
  said: string,
  timeout_ms: number,
): Delivered {
  if (why_ended === 'stop')
    return laterFault('delivery.stopped', `${program} was stopped before it ended`)
  if (why_ended === 'time') {
    const what = `${program} was stopped after ${formatDuration(timeout_ms)}${said}`
    return laterFault('delivery.command_time', what, 'make it faster, or set a longer timeout')
  }
  if (code === 0) return delivered
  const how =
    typeof code === 'number' ? `ended with code ${code}` : `was ended by ${signal ?? 'a signal'}`
  return laterFault('delivery.command', `${program} ${how}${said}`)
}

function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  return line === '' ? '' : `: ${printable(line.slice(0, max_line_chars))}`
}
