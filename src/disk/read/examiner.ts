import { SluiceError } from '../../base/run/errors.ts'
import { listOf } from '../../base/run/group.ts'
import { type Pulses, unwatched } from '../../base/run/pulse.ts'
import type { Thread, Transferred } from '../../base/run/thread.ts'
import { type Clock, system_clock } from '../../base/time/time.ts'
import type { FileStat } from '../../domain/file.ts'
import { offline } from '../root/root.ts'
import type { RootAsker } from '../root/root-asker.ts'
import { countOf, cut, isSlow, type Job, type Lane, lanes, type Slot, startOne } from './examine-slots.ts'
import type { ExamineCalls, FileToRead, Fingerprint, Look } from './examine-thread.ts'

export type { Fingerprint, Look } from './examine-thread.ts'

/** The answer of a call to the thread. */
type Answer<Method extends keyof ExamineCalls> =
  Awaited<ReturnType<ExamineCalls[Method]>> extends infer Served
    ? Served extends Transferred<infer Value>
      ? Value
      : Served
    : never

type WholeAnswer = Answer<'readWhole'>[number]

interface WholeToRead extends FileToRead {
  resolve(answer: WholeAnswer): void
  reject(error: unknown): void
}

export type Examiner = ReturnType<typeof startExaminer>

/** Two keep two cores, or a disk with a queue, busy. The daemon's other threads need the rest. */
const default_threads = 2
const most_whole_bytes = 64 * 1_048_576
/** Threads held by roots that do not answer. Beyond this number, jobs wait as on a slow disk. */
const most_given_up = 8

/** `silence` detects a root that does not answer; without it, reads from such a root wait. */
export interface ExaminerOptions {
  threads?: number
  pulses?: Pulses
  clock?: Clock
  silence?: Silence
}

/**
 * Checks and reads files in threads of its own, which it starts on demand. Paths are relative to
 * the root; answers have the order of the paths. It follows no links below the root. All calls
 * reject with `disk.offline` when the root cannot be reached, or does not answer (with `silence`):
 * then no file may count as missing. After `close` they reject with `thread.ended`.
 */
export function startExaminer(options: ExaminerOptions = {}) {
  const { pulses = unwatched, clock = system_clock, silence } = options
  const most_threads = options.threads ?? default_threads
  const slots: Slot[] = []
  const queues: Record<Lane, Job[]> = { small: [], large: [] }
  /** Slots that were given up while a call hangs, until their threads end. */
  const given_up = new Set<Slot>()
  const to_read_whole = new Map<string, WholeToRead[]>()
  const silent_roots = new Set<string>()
  let closed = false
  const watch =
    silence && watchForSilence({ silence, clock, underWay: () => slots.flatMap(({ jobs }) => [...jobs]), giveUp })

  async function run<Method extends keyof ExamineCalls>(
    lane: Lane,
    method: Method,
    argument: Parameters<ExamineCalls[Method]>[0],
  ): Promise<Answer<Method>> {
    const { root } = argument
    if (silent_roots.has(root)) {
      if (await watch?.isSilent(root)) throw noAnswer(root)
      silent_roots.delete(root)
    }
    return new Promise((resolve, reject) => {
      queues[lane].push({ lane, root, method, argument, resolve, reject })
      pump(lane)
    })
  }

  /** Reads from one turn of the event loop go together: a message costs more than a small file. */
  function readWholes(root: string): void {
    const files = to_read_whole.get(root) ?? []
    to_read_whole.delete(root)
    for (const { from, to } of cut(files.length, (index) => files[index]!.stat.size)) {
      const part = files.slice(from, to)
      run('small', 'readWhole', { root, files: part.map(fileToRead) }).then(
        (answers) => {
          for (const [index, { resolve }] of part.entries()) resolve(answers[index]!)
        },
        (error) => {
          for (const { reject } of part) reject(error)
        },
      )
    }
  }

  /** Fails all jobs of this root. Other jobs of its threads start again in other threads. */
  function giveUp(root: string): void {
    const isOf = (job: Job) => job.root === root
    for (const slot of slots.filter(({ jobs }) => [...jobs.keys()].some(isOf))) {
      if (given_up.size >= most_given_up) break
      silent_roots.add(root)
      slots.splice(slots.indexOf(slot), 1)
      for (const [job, { pulse }] of slot.jobs) {
        pulse.end()
        if (isOf(job)) job.reject(noAnswer(root))
        else queues[job.lane].unshift(job)
      }
      slot.jobs.clear()
      given_up.add(slot)
      void slot.thread.terminate().finally(() => given_up.delete(slot))
    }
    if (!silent_roots.has(root)) return
    for (const lane of Object.keys(queues) as Lane[]) {
      for (const job of queues[lane].filter(isOf)) job.reject(noAnswer(root))
      queues[lane] = queues[lane].filter((job) => !isOf(job))
      pump(lane)
    }
  }

  function pump(lane: Lane): void {
    const queue = queues[lane]
    while (queue.length > 0) {
      if (closed) {
        for (const job of queue.splice(0)) job.reject(examinerClosed())
        return
      }
      const free = freeSlot(lane)
      if (free === undefined) return
      void perform(free, queue.shift()!)
    }
  }

  /** Starts a thread only if the others are busy: it costs as much as thousands of small files. */
  function freeSlot(lane: Lane): Slot | undefined {
    const free = slots.filter((slot) => countOf(slot, lane) < lanes[lane])
    const quick = free.filter((slot) => !isSlow(slot, clock.monotonic_ms()))
    if (quick.length === 0 && slots.length < most_threads) {
      const slot: Slot = { ...startOne(), jobs: new Map() }
      slots.push(slot)
      return slot
    }
    const best = quick.length > 0 ? quick : free
    return best.reduce<Slot | undefined>((a, b) => (a && a.jobs.size <= b.jobs.size ? a : b), undefined)
  }

  /** A thread that died (out of memory) loses its jobs; the next jobs get a new thread. */
  function replaceDead(slot: Slot, thread: Thread, error: unknown): void {
    if (closed || slot.thread !== thread) return
    if (error instanceof SluiceError && error.code.startsWith('thread.')) Object.assign(slot, startOne())
  }

  async function perform(slot: Slot, job: Job): Promise<void> {
    const { thread, progress } = slot
    const pulse = pulses.begin('reading files', progress.read)
    slot.jobs.set(job, { began_ms: clock.monotonic_ms(), pulse })
    watch?.begin()
    const isWanted = () => slot.jobs.has(job)
    try {
      const answer = await thread.call<never>(job.method, job.argument)
      if (isWanted()) job.resolve(answer)
    } catch (error) {
      if (!given_up.has(slot)) replaceDead(slot, thread, error)
      if (isWanted()) job.reject(error)
    } finally {
      pulse.end()
      slot.jobs.delete(job)
      pump(job.lane)
    }
  }

  return {
    async lstat(root: string, paths: readonly string[]): Promise<Look[]> {
      const slices = cut(paths.length, () => 0)
      const answers = await Promise.all(
        slices.map(({ from, to }) => run('small', 'lstat', { root, paths: paths.slice(from, to) })),
      )
      return answers.flat()
    },
    async fingerprint(root: string, entries: readonly FileToRead[]): Promise<Fingerprint[]> {
      const slices = cut(entries.length, (index) => entries[index]!.stat.size)
      const answers = await Promise.all(
        slices.map(({ from, to, lane }) =>
          run(lane, 'fingerprint', { root, files: entries.slice(from, to).map(fileToRead) }),
        ),
      )
      return answers.flat()
    },
    /** For files up to 64 MiB: hands over exactly the bytes that were hashed. */
    async readWhole(root: string, path: string, stat: FileStat): Promise<WholeAnswer> {
      if (stat.size > most_whole_bytes) {
        throw new SluiceError({ code: 'file.too_large', message: `${path} is too large to be read into memory` })
      }
      return new Promise((resolve, reject) => {
        const waiting = listOf(to_read_whole, root)
        if (waiting.push({ path, stat, resolve, reject }) === 1) queueMicrotask(() => readWholes(root))
      })
    },
    async close(): Promise<void> {
      closed = true
      watch?.end()
      for (const lane of Object.keys(queues) as Lane[]) pump(lane)
      await Promise.all([...slots, ...given_up].map(({ thread }) => thread.terminate()))
    },
  }
}

/** Callers' objects hold more, which need not cross to the thread. */
function fileToRead({ path, stat }: FileToRead): FileToRead {
  return { path, stat }
}

function noAnswer(root: string): SluiceError {
  return offline(root, 'it does not answer')
}

function examinerClosed(): SluiceError {
  return new SluiceError({ code: 'thread.ended', message: 'the examiner was closed' })
}

/** The time limit of a root, and the way to check whether it answers. */
interface Silence {
  roots: Pick<RootAsker, 'status'>
  answer_ms: number
}

/**
 * A long read is of a large file, a slow disk, or a root that does not answer. A call to an
 * unresponsive mount never returns, so this checks the root separately.
 */
function watchForSilence(watched: {
  silence: Silence
  clock: Clock
  underWay(): readonly [{ root: string }, { began_ms: number }][]
  giveUp(root: string): void
}) {
  const { silence, clock, underWay, giveUp } = watched
  const ending = new AbortController()
  let is_watching = false

  async function isSilent(root: string): Promise<boolean> {
    // The root asker may end before the examiner.
    const status = await silence.roots.status(root, silence.answer_ms).catch(() => undefined)
    return status?.kind === 'offline' && status.reason === 'no answer'
  }

  async function watch(): Promise<void> {
    is_watching = true
    while (underWay().length > 0) {
      await clock.sleep(silence.answer_ms, ending.signal)
      if (ending.signal.aborted) return
      const since_ms = clock.monotonic_ms() - silence.answer_ms
      const long = underWay().filter(([, { began_ms }]) => began_ms <= since_ms)
      const roots = [...new Set(long.map(([{ root }]) => root))]
      await Promise.all(
        roots.map(async (root) => {
          if ((await isSilent(root)) && !ending.signal.aborted) giveUp(root)
        }),
      )
    }
    // In the same turn as the last check: later work starts a new watch.
    is_watching = false
  }

  return {
    isSilent,
    /** Starts the watch if it does not run yet. */
    begin(): void {
      if (!is_watching) void watch()
    },
    end: () => ending.abort(),
  }
}
