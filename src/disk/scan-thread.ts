import { serveCalls, Transferred, threadData } from '../base/thread.ts'
import type { ScanBatch } from './scan-batch.ts'
import { countInto } from './thread-progress.ts'
import { type WalkOptions, walk } from './walk.ts'
import type { ScanEnd } from './walk-report.ts'

export interface ScanThreadData {
  walk: WalkOptions
  progress: SharedArrayBuffer
}

export type ScanStep = { batch: ScanBatch } | { end: ScanEnd }

const { walk: options, progress } = threadData<ScanThreadData>()
const walking = walk(options, countInto(progress))
let end: ScanEnd | undefined

serveCalls({
  next(): ScanStep | Transferred {
    if (end !== undefined) return { end }
    const step = walking.next()
    if (step.done) {
      end = step.value
      return { end }
    }
    const batch = step.value
    const buffers = [batch.names, batch.ends, batch.stats].map((array) => array.buffer as ArrayBuffer)
    return new Transferred({ batch } satisfies ScanStep, buffers)
  },
})
