import { serveCalls, Transferred, threadData } from '../base/thread.ts'
import { keepsInodes } from './kept-inodes.ts'
import { measureBatch } from './measure.ts'
import type { ListedBatch } from './scan-batch.ts'
import { countInto } from './thread-progress.ts'
import { type WalkOptions, walk } from './walk.ts'
import type { WalkEnd } from './walk-report.ts'

export interface ScanThreadData {
  walk: WalkOptions
  progress: SharedArrayBuffer
}

export type ListStep = { listed: ListedBatch } | { end: WalkEnd }

const { walk: options, progress } = threadData<ScanThreadData>()
const progressed = countInto(progress)
const walking = walk(options, progressed)
let end: WalkEnd | undefined
let keeps_inodes: boolean | undefined

/** One thread walks, and measures with the others what it named. */
serveCalls({
  next(): ListStep | Transferred {
    if (end !== undefined) return { end }
    const step = walking.next()
    if (step.done) {
      end = step.value
      return { end }
    }
    const listed = step.value
    return new Transferred({ listed } satisfies ListStep, [listed.names, listed.ends].map(bufferOf))
  },
  measure(listed: ListedBatch): Transferred {
    keeps_inodes ??= keepsInodes(options.root)
    const measured = measureBatch(options.root, listed, keeps_inodes, progressed)
    const { names, ends, stats } = measured.batch
    return new Transferred(measured, [names, ends, stats].map(bufferOf))
  },
})

function bufferOf(array: ArrayBufferView): ArrayBuffer {
  return array.buffer as ArrayBuffer
}
