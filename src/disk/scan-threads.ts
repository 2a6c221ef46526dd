import { startThread, type Thread } from '../base/thread.ts'
import type { Measured } from './measure.ts'
import type { ListedBatch } from './scan-batch.ts'
import type { ListStep, ScanThreadData } from './scan-thread.ts'
import type { WalkEnd } from './walk-report.ts'

export type ScanStep = { measured: Measured } | { end: WalkEnd }

/** One that names the files and, in a folder that is large enough, one more to look at them with it: two keep two cores busy. */
const most_threads = 2
/** Starting a thread costs as much as looking at ten thousand files. */
const batches_of_one_thread = 6
/** Naming the files of a batch costs so much less than looking at them. */
const weights = { next: 1, measure: 4 } as const

/** The threads of one scan. Batches are named by one, measured by whoever has less to do, and handed on in their order. */
export interface ScanThreads {
  /** Has so many batches made ahead. */
  goOn(max_ahead: number): void
  /** After `goOn`: the next batch; after the last one, the end. */
  next(): Promise<ScanStep>
  terminate(): void
}

interface Slot {
  thread: Thread
  /** What it was asked for and has not answered. */
  load: number
}

export function startScanThreads(data: ScanThreadData): ScanThreads {
  const start = (): Slot => ({ thread: startThread('disk/scan-thread', data, { young_mb: 4 }), load: 0 })
  const lister = start()
  const slots = [lister]
  const steps: Promise<ScanStep>[] = []
  let begun = 0

  async function ask<Answer>(slot: Slot, method: keyof typeof weights, listed?: ListedBatch): Promise<Answer> {
    slot.load += weights[method]
    try {
      const buffers = listed ? [listed.names.buffer as ArrayBuffer, listed.ends.buffer as ArrayBuffer] : []
      return await slot.thread.call<Answer>(method, listed, buffers)
    } finally {
      slot.load -= weights[method]
    }
  }

  function idlest(): Slot {
    begun += 1
    if (begun > batches_of_one_thread && slots.length < most_threads) slots.push(start())
    return slots.reduce((a, b) => (b.load < a.load ? b : a))
  }

  async function make(): Promise<ScanStep> {
    const step = await ask<ListStep>(lister, 'next')
    return 'end' in step ? step : { measured: await ask<Measured>(idlest(), 'measure', step.listed) }
  }

  return {
    goOn(max_ahead) {
      while (steps.length < max_ahead) {
        const step = make()
        // One that is still unanswered when the scan stops is rejected with nobody to hear it.
        step.catch(() => {})
        steps.push(step)
      }
    },
    next: () => steps.shift()!,
    terminate() {
      for (const { thread } of slots) void thread.terminate()
    },
  }
}
