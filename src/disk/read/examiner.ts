import { SluiceError } from '../../base/run/errors.ts'
import { listOf } from '../../base/run/group.ts'
import {
  createProgress,
  type Heartbeats,
  type Progress,
  unwatched,
} from '../../base/run/heartbeat.ts'
import { startThread, type Thread, type Transferred } from '../../base/run/thread.ts'
import { type Clock, second_ms, system_clock } from '../../base/time/time.ts'
import { type FileStat, large_bytes } from '../../domain/file.ts'
import { noAnswer } from '../root/root.ts'
import { isSilent, type Silence, unlessSilent } from '../root/root-asker.ts'
import type {
  ExamineCalls,
  ExamineThreadData,
  FileToRead,
  Fingerprint,
  PathState,
} from './examine-thread.ts'

export type { Fingerprint, PathState } from './examine-thread.ts'

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

/** Maximum jobs of a thread: two small ones, so that the next one waits there, and a large file. */
const lanes = { small: 2, large: 1 } as const

type Lane = keyof typeof lanes

/** A thread with a small job for longer may hang: the next job goes to another if possible. */
const slow_ms = second_ms

interface Job {
  lane: Lane
  root: string
  method: keyof ExamineCalls
  argument: unknown
  /** When a thread began with it; monotonic ms. */
  began_ms: number
  resolve(value: never): void
  reject(error: unknown): void
}

interface Slot {
  thread: Thread
  progress: Progress
  /** Jobs that still need an answer. */
  jobs: Set<Job>
}

export type Examiner = ReturnType<typeof startExaminer>

/** Two keep two cores, or a disk with a queue, busy. The daemon's other threads need the rest. */
const default_threads = 2
const max_whole_bytes = 64 * 1_048_576
/** Maximum threads left to roots that do not answer. Beyond it, jobs wait as on a slow disk. */
const max_given_up = 8

/** `silence` detects a root that does not answer; without it, reads from such a root wait. */
export interface ExaminerOptions {
  threads?: number
  heartbeats?: Heartbeats
  clock?: Clock
  silence?: Silence
}

/**
 * Checks and reads files in its own threads. It follows no links below the root. Paths are relative
 * to the root; answers have their order. Calls reject with `disk.offline` if the root cannot be
 * reached or does not answer: then no file may count as missing. After `close`: `thread.ended`.
 */
export function startExaminer(options: ExaminerOptions = {}) {
  const {
    threads: max_threads = default_threads,
    heartbeats = unwatched,
    clock = system_clock,
    silence,
  } = options
  const slots: Slot[] = []
  const queues: Record<Lane, Job[]> = { small: [], large: [] }
  const given_up = new Set<Slot>()
  const to_read_whole = new Map<string, WholeToRead[]>()
  const silent_roots = new Set<string>()
  let closed = false

  async function run<Method extends keyof ExamineCalls>(
    lane: Lane,
    method: Method,
    argument: Parameters<ExamineCalls[Method]>[0],
  ): Promise<Answer<Method>> {
    const { root } = argument
    if (silent_roots.has(root)) {
      if (silence && (await isSilent(root, silence))) throw noAnswer(root)
      silent_roots.delete(root)
    }
    return new Promise((resolve, reject) => {
      queues[lane].push({ lane, root, method, argument, began_ms: 0, resolve, reject })
      pump(lane)
    })
  }

  /** Reads from one turn of the event loop go together: a message costs more than a small file. */
  function readWholes(root: string): void {
    const files = to_read_whole.get(root) ?? []
    to_read_whole.delete(root)
    for (const { items } of cut(files, sizeOf)) {
      run('small', 'readWhole', { root, files: items.map(fileToRead) }).then(
        (answers) => {
          for (const [index, { resolve }] of items.entries()) resolve(answers[index]!)
        },
        (error) => {
          for (const { reject } of items) reject(error)
        },
      )
    }
  }

  /** Fails all jobs of this root and ends their threads, whose other jobs start again elsewhere. */
  function giveUp(root: string): void {
    const isOf = (job: Job) => job.root === root
    for (const slot of slots.filter(({ jobs }) => [...jobs].some(isOf))) {
      if (given_up.size >= max_given_up) break
      silent_roots.add(root)
      slots.splice(slots.indexOf(slot), 1)
      for (const job of slot.jobs) {
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
    if (closed) {
      const error = new SluiceError({ code: 'thread.ended', message: 'the examiner was closed' })
      for (const job of queue.splice(0)) job.reject(error)
    }
    while (queue.length > 0) {
      const free = freeSlot(lane)
      if (free === undefined) return
      void perform(free, queue.shift()!)
    }
  }

  /** Starts a thread only if others are full or slow: that costs as much as thousands of files. */
  function freeSlot(lane: Lane): Slot | undefined {
    const free = slots.filter(
      ({ jobs }) => [...jobs].filter((job) => job.lane === lane).length < lanes[lane],
    )
    const quick = free.filter((slot) => !isSlow(slot, clock.monotonic_ms()))
    if (quick.length === 0 && slots.length < max_threads) {
      const slot: Slot = { ...startOne(), jobs: new Set() }
      slots.push(slot)
      return slot
    }
    const best = quick.length > 0 ? quick : free
    return best.reduce<Slot | undefined>(
      (a, b) => (a && a.jobs.size <= b.jobs.size ? a : b),
      undefined,
    )
  }

  /** A thread that died (out of memory) loses its jobs; the next jobs get a new thread. */
  function replaceDead(slot: Slot, thread: Thread, error: unknown): void {
    if (closed || slot.thread !== thread) return
    if (error instanceof SluiceError && error.code.startsWith('thread.'))
      Object.assign(slot, startOne())
  }

  async function perform(slot: Slot, job: Job): Promise<void> {
    const { thread, progress } = slot
    const heartbeat = heartbeats.begin('reading files', progress.read)
    job.began_ms = clock.monotonic_ms()
    slot.jobs.add(job)
    const isWanted = () => slot.jobs.has(job)
    const leave = () => {
      giveUp(job.root)
      if (!isWanted()) throw noAnswer(job.root)
    }
    try {
      const call = thread.call<never>(job.method, job.argument)
      const answer = await unlessSilent(job.root, silence, call, leave)
      if (isWanted()) job.resolve(answer)
    } catch (error) {
      if (!given_up.has(slot)) replaceDead(slot, thread, error)
      if (isWanted()) job.reject(error)
    } finally {
      heartbeat.end()
      slot.jobs.delete(job)
      pump(job.lane)
    }
  }

  return {
    async lstat(root: string, paths: readonly string[]): Promise<PathState[]> {
      const slices = cut(paths, () => 0)
      return (
        await Promise.all(slices.map(({ items }) => run('small', 'lstat', { root, paths: items })))
      ).flat()
    },
    async fingerprint(root: string, files: readonly FileToRead[]): Promise<Fingerprint[]> {
      const slices = cut(files.map(fileToRead), sizeOf)
      const answers = slices.map(({ lane, items }) =>
        run(lane, 'fingerprint', { root, files: items }),
      )
      return (await Promise.all(answers)).flat()
    },
    /** For files up to 64 MiB: hands over exactly the bytes that were hashed. */
    async readWhole(root: string, path: string, stat: FileStat): Promise<WholeAnswer> {
      if (stat.size > max_whole_bytes) {
        throw new SluiceError({
          code: 'file.too_large',
          message: `${path} is too large to be read into memory`,
        })
      }
      return new Promise((resolve, reject) => {
        const waiting = listOf(to_read_whole, root)
        if (waiting.push({ path, stat, resolve, reject }) === 1)
          queueMicrotask(() => readWholes(root))
      })
    },
    async close(): Promise<void> {
      closed = true
      for (const lane of Object.keys(queues) as Lane[]) pump(lane)
      // The threads of `given_up` were asked to end, and may never do so.
      await Promise.all(slots.map(({ thread }) => thread.terminate()))
    },
  }
}

/** Callers' objects hold more, which need not cross to the thread. */
function fileToRead({ path, stat }: FileToRead): FileToRead {
  return { path, stat }
}

function sizeOf({ stat }: FileToRead): number {
  return stat.size
}

function startOne(): Pick<Slot, 'thread' | 'progress'> {
  const progress = createProgress()
  const data: ExamineThreadData = { progress: progress.shared }
  return { thread: startThread('disk/read/examine-thread', data, { young_mb: 4 }), progress }
}

function isSlow({ jobs }: Slot, now_ms: number): boolean {
  return [...jobs].some(({ lane, began_ms }) => lane === 'small' && began_ms < now_ms - slow_ms)
}

/** About 1 ms of small files: outlasts the message, and spreads well over the threads. */
const max_paths = 64
const max_bytes = 8 * 1_048_576

interface Slice<Item> {
  lane: Lane
  items: Item[]
  bytes: number
}

function cut<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Slice<Item>[] {
  const slices: Slice<Item>[] = []
  for (const item of items) {
    const size = sizeOf(item)
    const lane = size >= large_bytes ? 'large' : 'small'
    const last = slices.at(-1)
    const are_small = lane === 'small' && last?.lane === 'small'
    if (are_small && last.items.length < max_paths && last.bytes + size <= max_bytes) {
      last.items.push(item)
      last.bytes += size
    } else slices.push({ lane, items: [item], bytes: size })
  }
  return slices
}
