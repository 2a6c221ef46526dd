import { SluiceError } from '../../base/run/errors.ts'
import { listOf } from '../../base/run/group.ts'
import { type Pulses, unwatched } from '../../base/run/pulse.ts'
import type { Thread, Transferred } from '../../base/run/thread.ts'
import { type Clock, system_clock } from '../../base/time/time.ts'
import type { FileStat } from '../../domain/file.ts'
import { offline } from '../root/mount.ts'
import type { RootAsker } from '../root/root-asker.ts'
import { countOf, cut, isSlow, type Job, type Lane, lanes, type Slot, startOne } from './examine-slots.ts'
import type { ExamineCalls, FileToRead, Fingerprint, Look } from './examine-thread.ts'

export type { Fingerprint, Look } from './examine-thread.ts'

/** What a call of the thread answers. */
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

/** Two keep two cores or a disk with a queue busy; the daemon's other threads need the rest. */
const default_threads = 2
const most_whole_bytes = 64 * 1_048_576
/** Threads kept by roots that do not answer; when there are more, the next waits as on a slow disk. */
const most_given_up = 8

/** `silence`: how long a root may take to answer, and whom to ask whether it does; without, who reads from a dead share waits. */
export interface ExaminerOptions {
  threads?: number
  pulses?: Pulses
  clock?: Clock
  silence?: Silence
}

/**
 * Looks at files and reads them, in threads of its own, started when there is work for them. Paths are relative to the root; each answer stands where its path stood.
 * Links are followed nowhere below the root. All calls reject with `disk.offline` when the root itself cannot be reached: then
 * no file in it may be called missing, also where it does not answer and there is somebody to ask about it; and with
 * `thread.ended` after `close`.
 */
export function startExaminer(options: ExaminerOptions = {}) {
  const { pulses = unwatched, clock = system_clock, silence } = options
  const most_threads = options.threads ?? default_threads
  const slots: Slot[] = []
  const queues: Record<Lane, Job[]> = { small: [], large: [] }
  /** Given up and not ended yet: a call of theirs hangs. */
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

  /** What is asked for in one turn of the event loop travels together: a message costs more than a small file. */
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

  /** Its jobs fail, and those of others that share a thread with them begin anew in another. */
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

  /** Starting a thread costs as much as thousands of small files: not before those that there are have their hands full. */
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

  /** A thread that died (out of memory) takes its jobs with it; the next jobs get a new one. */
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
    /** For files up to 64 MiB: the bytes that were hashed are the bytes handed over. */
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

/** Callers know more of a file, which need not travel. */
function fileToRead({ path, stat }: FileToRead): FileToRead {
  return { path, stat }
}

function noAnswer(root: string): SluiceError {
  return offline(root, 'it does not answer')
}

function examinerClosed(): SluiceError {
  return new SluiceError({ code: 'thread.ended', message: 'the examiner was closed' })
}

/** How long a root may take to answer, and whom to ask whether it does. */
interface Silence {
  roots: Pick<RootAsker, 'status'>
  answer_ms: number
}

/**
 * What has been read for long is large, or lies on a slow disk, or its root does not answer: a call to a dead share never returns,
 * and only somebody else can tell.
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
    // Who is asked may end before who asks.
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
    // In the turn in which nothing was under way: what comes later begins it anew.
    is_watching = false
  }

  return {
    isSilent,
    /** There is work; once is enough while there is any. */
    begin(): void {
      if (!is_watching) void watch()
    },
    end: () => ending.abort(),
  }
}
