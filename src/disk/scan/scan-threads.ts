import { startThread, type Thread } from '../../base/run/thread.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import {
  type BatchRoom,
  batchIn,
  createBatchRoom,
  type Measured,
  type ScanBatch,
} from './scan-batch.ts'
import type { ListStep, MeasureRequest, ScanThreadData } from './scan-thread.ts'
import type { MeasuredTotal, ScanEnd } from './walk-report.ts'

type ScanStep = { batch: ScanBatch; total: MeasuredTotal } | { end: ScanEnd }

/** One lists the files; in large folders, one more helps to check them on a second core. */
const max_threads = 2
/** The second thread starts after these: a start costs as much as checking 10,000 files. */
const batches_of_one_thread = 6
/** Load of a call: listing the files of a batch costs much less than checking them. */
const weights = { next: 1, measure: 4 } as const

interface Slot {
  thread: Thread
  /** Weight of its unanswered calls. */
  load: number
}

/**
 * One thread lists the batches, the one with the least load measures each, and they come out in
 * order. Buffers rotate: a batch is valid until the next call of `next`. `max_ahead`: batches ready
 * or in work, including the caller's. `withMd5`: called before the files of a batch are checked.
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
    callThread(thread, 'begin', data)
    return { thread, load: 0 }
  }
  const lister = start()
  const slots = [lister]
  const steps: Promise<ScanStep>[] = []
  let begun = 0
  let measured = 0

  async function ask<Answer>(
    slot: Slot,
    method: keyof typeof weights,
    argument: unknown,
  ): Promise<Answer> {
    slot.load += weights[method]
    try {
      return await slot.thread.call<Answer>(method, argument)
    } finally {
      slot.load -= weights[method]
    }
  }

  function idlest(): Slot {
    measured += 1
    if (measured > batches_of_one_thread && slots.length < max_threads) slots.push(start())
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
    /** The next batch; after the last one, the end. Later ones are in work, one per buffer. */
    next(): Promise<ScanStep> {
      while (steps.length < max_ahead) {
        const step = make(begun++ % max_ahead)
        // A step that is open when the scan stops rejects without a listener.
        step.catch(() => {})
        steps.push(step)
      }
      return steps.shift()!
    },
    /** `finished`: the end was handed over, and the threads may walk again. */
    close(finished: boolean): void {
      // Only then: a thread that was ended within a batch may write for a moment more.
      if (finished) kept_rooms = { rooms, batch_entries }
      for (const { thread } of slots) {
        if (!finished) {
          void thread.terminate()
          continue
        }
        callThread(thread, 'rest', undefined)
        threads.giveBack(thread)
      }
    },
  }
}

/** Buffers of a finished walk, for the next: V8 does not count shared memory and frees it late. */
let kept_rooms: { rooms: readonly BatchRoom[]; batch_entries: number } | undefined

function takeRooms(count: number, batch_entries: number): readonly BatchRoom[] {
  const kept = kept_rooms
  if (kept?.batch_entries !== batch_entries || kept.rooms.length !== count) {
    return Array.from({ length: count }, () => createBatchRoom(batch_entries))
  }
  kept_rooms = undefined
  return kept.rooms
}

/** If this call fails, the next awaited call of the thread fails too. */
function callThread(thread: Thread, method: 'begin' | 'rest', argument: unknown): void {
  thread.call(method, argument).catch(() => {})
}

export type KeptScanThread = ReturnType<typeof keepScanThread>

/** Keeps a thread while folders are scanned in turns; a quiet folder keeps none between scans. */
export const kept_watching_ms = 10 * second_ms
/** Without watching, folders are scanned in a row. Uploads need the memory afterwards. */
export const kept_once_ms = second_ms / 2

/** Keeps a walk's thread for the next walk, because most walks cover one new directory. */
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
    /** Only after a finished walk: a thread that may hang is terminated instead. */
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

function startScanThread(): Thread {
  return startThread('disk/scan/scan-thread', undefined, { young_mb: 4 })
}
