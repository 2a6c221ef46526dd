import { serveCalls, threadData } from '../base/thread.ts'
import { keepsInodes } from './kept-inodes.ts'
import { measureBatch } from './measure.ts'
import { type BatchRoom, putListed } from './scan-batch.ts'
import { countInto } from './thread-progress.ts'
import { type WalkOptions, walk } from './walk.ts'
import type { MeasuredTotal, WalkEnd } from './walk-report.ts'

export interface ScanThreadData {
  walk: WalkOptions
  progress: SharedArrayBuffer
  /** All threads of a scan have the same; each holds one batch at a time. */
  rooms: readonly BatchRoom[]
}

/** So many files stand named in the room. */
export interface Listed {
  room: number
  count: number
}

export type ListStep = { listed: Listed } | { end: WalkEnd }

/** What now stands in the room. */
export interface MeasuredRoom {
  count: number
  names_bytes: number
  digest: string
  total: MeasuredTotal
}

const { walk: options, progress, rooms } = threadData<ScanThreadData>()
const progressed = countInto(progress)
const walking = walk(options, progressed)
let end: WalkEnd | undefined
let keeps_inodes: boolean | undefined

/** One thread walks, and measures with the others what it named. */
serveCalls({
  next(room: number): ListStep {
    if (end !== undefined) return { end }
    const step = walking.next()
    if (step.done) {
      end = step.value
      return { end }
    }
    putListed(rooms[room]!, step.value)
    return { listed: { room, count: step.value.count } }
  },
  measure({ room, count: listed }: Listed): MeasuredRoom {
    keeps_inodes ??= keepsInodes(options.root)
    const { batch, total } = measureBatch(options.root, rooms[room]!, listed, keeps_inodes, progressed)
    return { count: batch.count, names_bytes: batch.names.length, digest: batch.digest, total }
  },
})
