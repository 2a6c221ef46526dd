import { countInto } from '../../base/run/heartbeat.ts'
import { serveCalls } from '../../base/run/thread.ts'
import { keepsInodes } from '../root/filesystems.ts'
import { createSmallHasher, type HashRule, measureBatch, type SmallHasher } from './measure.ts'
import { type BatchRoom, putListed } from './scan-batch.ts'
import { type WalkOptions, walk } from './walk.ts'
import type { ScanEnd } from './walk-report.ts'

export interface ScanThreadData {
  walk: WalkOptions
  hashing: HashRule | undefined
  progress: SharedArrayBuffer
  /** Buffers of the scan, shared by all its threads. Each thread uses one at a time. */
  rooms: readonly BatchRoom[]
}

/** A batch whose files are listed, not checked yet: number of its buffer, and of its files. */
export interface Listed {
  room: number
  count: number
}

export type ListStep = { listed: Listed } | { end: ScanEnd }

export interface MeasureRequest extends Listed {
  with_md5: boolean
}

type Walking = ReturnType<typeof startWalk>

function startWalk({ walk: options, hashing, progress, rooms }: ScanThreadData) {
  const { root } = options
  const progressed = countInto(progress)
  const steps = walk(options, progressed)
  let end: ScanEnd | undefined
  let keeps_inodes: boolean | undefined
  let hasher: SmallHasher | undefined

  return {
    next(room: number): ListStep {
      if (end !== undefined) return { end }
      const step = steps.next()
      if (step.done) {
        end = step.value
        return { end }
      }
      putListed(rooms[room]!, step.value)
      return { listed: { room, count: step.value.count } }
    },
    measure({ room, count: listed, with_md5 }: MeasureRequest) {
      keeps_inodes ??= keepsInodes(root)
      // Without stable inodes, the walk's stat has none: the examiner checks and hashes instead.
      const hashes = with_md5 && keeps_inodes
      if (hashes && hashing) hasher ??= createSmallHasher(root, hashing)
      const measure = { root, keeps_inodes, hasher: hashes ? hasher : undefined, progressed }
      return measureBatch(rooms[room]!, listed, measure)
    },
  }
}

/** One thread walks. All threads measure the listed files. Each walk of a thread begins anew. */
serveCalls(() => {
  let walking: Walking | undefined

  function begun(): Walking {
    if (!walking) throw new Error('no walk was begun')
    return walking
  }

  return {
    begin(data: ScanThreadData): void {
      walking = startWalk(data)
    },
    next: (room: number) => begun().next(room),
    measure: (request: MeasureRequest) => begun().measure(request),
    /** After the end: keeps no memory while it waits for another walk. */
    rest(): void {
      walking = undefined
    },
  }
})
