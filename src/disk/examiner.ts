import { SluiceError } from '../base/errors.ts'
import { type Pulses, unwatched } from '../base/pulse.ts'
import { startThread, type Thread } from '../base/thread.ts'
import type { FileStat } from '../domain/file.ts'
import {
  type ExamineThreadData,
  type Fingerprint,
  type FingerprintAnswer,
  type FingerprintRequest,
  type Look,
  type LookAnswer,
  type LookRequest,
  large_bytes,
  type WholeAnswer,
  type WholeRequest,
} from './examine-wire.ts'
import { KnownProofs, newProofKey } from './proof.ts'
import { type ReadAhead, Rooms, readAhead } from './read-ahead.ts'
import { putStat, statAt } from './scan-batch.ts'
import { createProgress, type Progress } from './thread-progress.ts'

export type { Fingerprint, Look } from './examine-wire.ts'

export interface FileToRead {
  path: string
  stat: FileStat
}

/**
 * Looks at files and reads them, in threads of its own, started when there is work for them. Paths are relative to the root; each answer stands where its path stood.
 * Links are followed nowhere below the root. All calls reject with `disk.offline` when the root itself cannot be reached: then
 * no file in it may be called missing; and with `thread.ended` after `close`.
 */
export interface Examiner {
  lstat(root: string, paths: readonly string[]): Promise<Look[]>
  fingerprint(root: string, entries: readonly FileToRead[]): Promise<Fingerprint[]>
  /** For files up to 64 MiB: the bytes that were hashed are the bytes handed over. */
  readWhole(root: string, path: string, stat: FileStat): Promise<WholeAnswer>
  /** Of an open file of so many bytes (more than none) that is to have this md5; its descriptor is closed after the reader. Error at once: `thread.ended`. */
  readAhead(descriptor: number, size: number, md5: string): ReadAhead
  /** From now on so many threads at the most; one that is too many ends when it has finished what it has in hand. */
  useThreads(threads: number): void
  close(): Promise<void>
}

/** Two keep two cores or a disk with a queue busy; the daemon's other threads need the rest. */
const default_threads = 2
/** About a millisecond of small files: long enough to hide the message, short enough to spread over the threads. */
const most_paths = 64
const most_bytes = 8 * 1_048_576
const most_whole_bytes = 64 * 1_048_576
/** In flight per thread: small jobs so that the next is there when one ends, and one large file beside them. */
const lanes = { small: 2, large: 1 } as const

type Lane = keyof typeof lanes

interface Job {
  lane: Lane
  method: string
  argument: unknown
  resolve(value: never): void
  reject(error: unknown): void
}

interface Slot {
  thread: Thread
  progress: Progress
  small: number
  large: number
  /** Files that are read ahead of who sends them: as many as there are, they wait for the network. */
  streams: number
}

export function startExaminer(options: { threads?: number; pulses?: Pulses } = {}): Examiner {
  const { pulses = unwatched } = options
  let most_threads = options.threads ?? default_threads
  const slots: Slot[] = []
  const leaving = new Set<Slot>()
  const queues: Record<Lane, Job[]> = { small: [], large: [] }
  const rooms = new Rooms()
  const proofs = new KnownProofs()
  const proof_key = newProofKey()
  let closed = false

  function run<Value>(lane: Lane, method: string, argument: unknown): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      queues[lane].push({ lane, method, argument, resolve, reject })
      pump(lane)
    })
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
    const free = slots.filter((slot) => slot[lane] < lanes[lane])
    if (free.length > 0) return free.reduce((a, b) => (jobsOf(b) < jobsOf(a) ? b : a))
    return slots.length >= most_threads ? undefined : newSlot()
  }

  /** A large file each keeps a thread busy, whether it is read for its md5 alone or to be sent. */
  function slotForStream(): Slot {
    const work = ({ large, streams }: Slot) => large + streams
    const least = slots.reduce<Slot | undefined>((a, b) => (a && work(a) <= work(b) ? a : b), undefined)
    return least && (work(least) === 0 || slots.length >= most_threads) ? least : newSlot()
  }

  function newSlot(): Slot {
    const slot = { ...startOne(proof_key), small: 0, large: 0, streams: 0 }
    slots.push(slot)
    return slot
  }

  /** A thread that died (out of memory) takes its jobs with it; the next jobs get a new one. */
  function replaceDead(slot: Slot, thread: Thread, error: unknown): void {
    if (closed || slot.thread !== thread) return
    if (error instanceof SluiceError && error.code.startsWith('thread.')) Object.assign(slot, startOne(proof_key))
  }

  async function perform(slot: Slot, job: Job): Promise<void> {
    slot[job.lane] += 1
    const { thread, progress } = slot
    const pulse = pulses.begin('reading files', progress.read)
    try {
      job.resolve(await thread.call<never>(job.method, job.argument))
    } catch (error) {
      replaceDead(slot, thread, error)
      job.reject(error)
    } finally {
      pulse.end()
      slot[job.lane] -= 1
      if (leaving.has(slot)) await endWhenIdle(slot)
      pump(job.lane)
    }
  }

  async function endWhenIdle(slot: Slot): Promise<void> {
    if (jobsOf(slot) > 0 || !leaving.delete(slot)) return
    await slot.thread.terminate()
  }

  return {
    async lstat(root, paths) {
      const slices = cut(paths.length, () => 0)
      const answers = await Promise.all(
        slices.map(({ from, to }) =>
          run<LookAnswer>('small', 'lstat', { root, paths: paths.slice(from, to) } satisfies LookRequest),
        ),
      )
      return answers.flatMap(({ others, stats }) =>
        others.map((other, index): Look => other ?? { kind: 'file', stat: statAt(stats, index) }),
      )
    },
    async fingerprint(root, entries) {
      const slices = cut(entries.length, (index) => entries[index]!.stat.size)
      const answers = await Promise.all(
        slices.map(({ from, to, lane }) => {
          const part = entries.slice(from, to)
          const request: FingerprintRequest = { root, paths: part.map(({ path }) => path), stats: packStats(part) }
          return run<FingerprintAnswer>(lane, 'fingerprint', request)
        }),
      )
      return answers.flat().map((answer, index): Fingerprint => {
        const { stat } = entries[index]!
        if (typeof answer === 'string') return { kind: 'hashed', md5: answer, stat }
        if (answer.kind !== 'proved') return answer
        proofs.learn(answer.md5, answer.proof)
        return { kind: 'hashed', md5: answer.md5, stat }
      })
    },
    async readWhole(root, path, stat) {
      if (stat.size > most_whole_bytes) {
        throw new SluiceError({ code: 'file.too_large', message: `${path} is too large to be read into memory` })
      }
      return run<WholeAnswer>('small', 'readWhole', {
        root,
        path,
        stats: packStats([{ path, stat }]),
      } satisfies WholeRequest)
    },
    readAhead(descriptor, size, md5) {
      if (closed) throw examinerClosed()
      const slot = slotForStream()
      const { thread } = slot
      slot.streams += 1
      async function onEnd(error: unknown): Promise<void> {
        replaceDead(slot, thread, error)
        slot.streams -= 1
        if (leaving.has(slot)) await endWhenIdle(slot)
      }
      return readAhead({ thread, rooms, onEnd }, { descriptor, size, md5, proof: proofs.of(md5) })
    },
    useThreads(threads) {
      if (closed) return
      most_threads = threads
      for (const slot of slots.splice(threads)) {
        leaving.add(slot)
        void endWhenIdle(slot)
      }
      for (const lane of Object.keys(queues) as Lane[]) pump(lane)
    },
    async close() {
      closed = true
      for (const lane of Object.keys(queues) as Lane[]) pump(lane)
      await Promise.all([...slots, ...leaving].map(({ thread }) => thread.terminate()))
    },
  }
}

function jobsOf({ small, large, streams }: Slot): number {
  return small + large + streams
}

function startOne(proof_key: Uint8Array): Pick<Slot, 'thread' | 'progress'> {
  const progress = createProgress()
  const data: ExamineThreadData = { progress: progress.shared, proof_key }
  return { thread: startThread('disk/examine-thread', data, { young_mb: 4 }), progress }
}

function examinerClosed(): SluiceError {
  return new SluiceError({ code: 'thread.ended', message: 'the examiner was closed' })
}

/** Slices in order, small ones bounded by number and bytes, a large file alone. */
function cut(count: number, sizeOf: (index: number) => number): { from: number; to: number; lane: Lane }[] {
  const slices: { from: number; to: number; lane: Lane }[] = []
  let bytes = 0
  for (let index = 0; index < count; index += 1) {
    const size = sizeOf(index)
    const last = slices.at(-1)
    const lane = size >= large_bytes ? 'large' : 'small'
    if (
      last &&
      lane === 'small' &&
      last.lane === 'small' &&
      last.to - last.from < most_paths &&
      bytes + size <= most_bytes
    ) {
      last.to = index + 1
      bytes += size
    } else {
      slices.push({ from: index, to: index + 1, lane })
      bytes = size
    }
  }
  return slices
}

function packStats(entries: readonly FileToRead[]): BigInt64Array {
  const stats = new BigInt64Array(4 * entries.length)
  for (const [index, { stat }] of entries.entries()) {
    putStat(stats, index, { size: BigInt(stat.size), mtimeNs: stat.mtime_ns, ctimeNs: stat.ctime_ns, ino: stat.inode })
  }
  return stats
}
