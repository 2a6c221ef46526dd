import { serveCalls } from '../base/thread.ts'
import { keepsInodes } from './kept-inodes.ts'
import { measureBatch } from './measure.ts'
import { type BatchRoom, putListed } from './scan-batch.ts'
import { createSmallHasher, type HashRule, type SmallHasher } from './small-hasher.ts'
import { countInto } from './thread-progress.ts'
import { type WalkOptions, walk } from './walk.ts'
import type { MeasuredTotal, WalkEnd } from './walk-report.ts'

export interface ScanThreadData {
  walk: WalkOptions
  /** Which files are read on the way, where that is asked for. */
  hashing: HashRule | undefined
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

export interface MeasureRequest extends Listed {
  with_md5: boolean
}

/** What now stands in the room. */
export interface MeasuredRoom {
  count: number
  names_bytes: number
  digest: string
  md5s: string
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
  rule: HashRule | undefined
  hasher: SmallHasher | undefined
}

/** One thread walks, and measures with the others what it named. */
serveCalls(() => {
  let walking: Walking | undefined

  function begun(): Walking {
    if (!walking) throw new Error('no walk was begun')
    return walking
  }

  return {
    begin({ walk: options, hashing: rule, progress, rooms }: ScanThreadData): void {
      const progressed = countInto(progress)
      const steps = walk(options, progressed)
      const nothing_yet = { end: undefined, keeps_inodes: undefined, hasher: undefined }
      walking = { steps, root: options.root, rooms, progressed, rule, ...nothing_yet }
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
    measure({ room, count: listed, with_md5 }: MeasureRequest): MeasuredRoom {
      const now = begun()
      const { root, rooms, progressed } = now
      now.keeps_inodes ??= keepsInodes(root)
      const { keeps_inodes } = now
      // Without inodes a walk sees too little to be the only look.
      const hashes = with_md5 && keeps_inodes
      if (hashes && now.rule) now.hasher ??= createSmallHasher(root, now.rule)
      const measure = { root, keeps_inodes, hasher: hashes ? now.hasher : undefined, progressed }
      const { batch, total } = measureBatch(rooms[room]!, listed, measure)
      const { count, names, digest, md5s } = batch
      return { count, names_bytes: names.length, digest, md5s, total }
    },
    /** After the end: holds nothing while it waits for another walk. */
    rest(): void {
      walking = undefined
    },
  }
})
