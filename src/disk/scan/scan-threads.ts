import { startThread, type Thread } from '../../base/run/thread.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { batchIn, type Measured } from './measure.ts'
import { type BatchRoom, createBatchRoom, type ScanBatch } from './scan-batch.ts'
import type { ListStep, MeasureRequest, ScanThreadData } from './scan-thread.ts'
import type { MeasuredTotal, ScanEnd } from './walk-report.ts'

type ScanStep = { batch: ScanBatch; total: MeasuredTotal } | { end: ScanEnd }

/** One that names the files and, in a folder that is large enough, one more to look at them with it: two keep two cores busy. */
const most_threads = 2
/** Starting a thread costs as much as looking at ten thousand files. */
const batches_of_one_thread = 6
/** Naming the files of a batch costs so much less than looking at them. */
const weights = { next: 1, measure: 4 } as const

interface Slot {
  thread: Thread
  /** What it was asked for and has not answered. */
  load: number
}

/**
 * The threads of one scan. Batches are named by one, measured by whoever has less to do, and handed on in their order, in rooms that go
 * round: a batch stands until the next one is asked for.
 *
 * @param max_ahead batches that are ready or being made, the one in the caller's hands among them
 * @param withMd5 asked for each batch when its files are about to be looked at
 */
export function startScanThreads(
  options: Omit<ScanThreadData, 'rooms'>,
  max_ahead: number,
  threads: Pick<KeptScanThread, 'take' | 'giveBack'>,
  withMd5: () => boolean,
) {
  const { batch_entries } = options.walk
  const rooms = takeRooms(max_ahead, batch_entries)
  const data: ScanThreadData = { ...options, rooms }
  const start = (): Slot => {
    const thread = threads.take()
    tell(thread, 'begin', data)
    return { thread, load: 0 }
  }
  const lister = start()
  const slots = [lister]
  const steps: Promise<ScanStep>[] = []
  let begun = 0
  let measured = 0

  async function ask<Answer>(slot: Slot, method: keyof typeof weights, argument: unknown): Promise<Answer> {
    slot.load += weights[method]
    try {
      return await slot.thread.call<Answer>(method, argument)
    } finally {
      slot.load -= weights[method]
    }
  }

  function idlest(): Slot {
    measured += 1
    if (measured > batches_of_one_thread && slots.length < most_threads) slots.push(start())
    return slots.reduce((a, b) => (b.load < a.load ? b : a))
  }

  async function make(room: number): Promise<ScanStep> {
    const step = await ask<ListStep>(lister, 'next', room)
    if ('end' in step) return step
    const request: MeasureRequest = { ...step.listed, with_md5: withMd5() }
    const measured = await ask<Measured>(idlest(), 'measure', request)
    return { batch: batchIn(rooms[room]!, measured), total: measured.total }
  }

  return {
    /** The next batch; after the last one, the end. Those after it are being made, as many as there are rooms. */
    next(): Promise<ScanStep> {
      while (steps.length < max_ahead) {
        const step = make(begun++ % max_ahead)
        // One that is still unanswered when the scan stops is rejected with nobody to hear it.
        step.catch(() => {})
        steps.push(step)
      }
      return steps.shift()!
    },
    /** `finished`: the end was handed over, and the threads may walk again. */
    close(finished: boolean): void {
      // A thread that was ended in the middle of a batch may write on for a moment.
      if (finished) kept_rooms = { rooms, batch_entries }
      for (const { thread } of slots) {
        if (!finished) {
          void thread.terminate()
          continue
        }
        tell(thread, 'rest', undefined)
        threads.giveBack(thread)
      }
    },
  }
}

/** Of a walk that has come to its end. Most are through one directory: V8 does not count shared memory, and would clear it up too late. */
let kept_rooms: { rooms: readonly BatchRoom[]; batch_entries: number } | undefined

function takeRooms(count: number, batch_entries: number): readonly BatchRoom[] {
  const kept = kept_rooms
  if (kept?.batch_entries !== batch_entries || kept.rooms.length !== count) {
    return Array.from({ length: count }, () => createBatchRoom(batch_entries))
  }
  kept_rooms = undefined
  return kept.rooms
}

/** A thread that cannot be told anything fails in the next call that is waited for. */
function tell(thread: Thread, method: 'begin' | 'rest', argument: unknown): void {
  thread.call(method, argument).catch(() => {})
}

/** Where the threads of walks come from and go to. */
export type KeptScanThread = ReturnType<typeof keepScanThread>

/** Folders are walked in turns, and directories that are made come in flocks; between the looks at a quiet folder no thread is kept. */
export const kept_watching_ms = 10 * second_ms
/** Who watches nothing walks through one folder right after the other, and then wants the memory for what it sends. */
export const kept_once_ms = second_ms / 2

/**
 * Keeps the thread of a walk a while for the next one: starting it costs as much as looking at ten thousand files, and most walks
 * are through a directory that has just been made.
 */
export function keepScanThread(clock: Clock, kept_ms: number) {
  let kept: { thread: Thread; taken: AbortController } | undefined
  let closed = false

  return {
    take(): Thread {
      if (!kept) return startScanThread()
      const { thread, taken } = kept
      kept = undefined
      taken.abort()
      return thread
    },
    /** Of a walk that has come to its end: one that may hang in a call to a dead share is ended instead. */
    giveBack(thread: Thread): void {
      if (closed || kept) return void thread.terminate()
      const taken = new AbortController()
      kept = { thread, taken }
      void clock.sleep(kept_ms, taken.signal).then(() => {
        if (taken.signal.aborted) return
        kept = undefined
        void thread.terminate()
      })
    },
    async close(): Promise<void> {
      closed = true
      const last = kept
      kept = undefined
      last?.taken.abort()
      await last?.thread.terminate()
    },
  }
}

/** For one walk alone. */
export const single_walk: Pick<KeptScanThread, 'take' | 'giveBack'> = {
  take: startScanThread,
  giveBack: (thread) => void thread.terminate(),
}

function startScanThread(): Thread {
  return startThread('disk/scan/scan-thread', undefined, { young_mb: 4 })
}
