import { serveCalls } from '../base/thread.ts'
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

/** What is under way; each walk of a thread begins anew. */
interface Walking {
  steps: ReturnType<typeof walk>
  root: string
  rooms: readonly BatchRoom[]
  progressed: () => void
  end: WalkEnd | undefined
  keeps_inodes: boolean | undefined
}

let walking: Walking | undefined

/** One thread walks, and measures with the others what it named. */
serveCalls({
  begin({ walk: options, progress, rooms }: ScanThreadData): void {
    const progressed = countInto(progress)
    const steps = walk(options, progressed)
    walking = { steps, root: options.root, rooms, progressed, end: undefined, keeps_inodes: undefined }
  },
  next(room: number): ListStep {
    const now = begun()
    if (now.end !== undefined) return { end: now.end }
    const step = now.steps.next()
    if (step.done) {
      now.end = step.value
      return { end: now.end }
    }
    putListed(now.rooms[room]!, step.value)
    return { listed: { room, count: step.value.count } }
  },
  measure({ room, count: listed }: Listed): MeasuredRoom {
    const now = begun()
    now.keeps_inodes ??= keepsInodes(now.root)
    const { batch, total } = measureBatch(now.root, now.rooms[room]!, listed, now.keeps_inodes, now.progressed)
    return { count: batch.count, names_bytes: batch.names.length, digest: batch.digest, total }
  },
  /** After the end: holds nothing while it waits for another walk. */
  rest(): void {
    walking = undefined
  },
})

function begun(): Walking {
  if (!walking) throw new Error('no walk was begun')
  return walking
}
