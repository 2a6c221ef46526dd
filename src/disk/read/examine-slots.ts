import type { Pulse } from '../../base/run/pulse.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { second_ms } from '../../base/time/time.ts'
import { large_bytes } from '../../domain/file.ts'
import { createProgress, type Progress } from '../scan/thread-progress.ts'
import type { ExamineCalls, ExamineThreadData } from './examine-thread.ts'

/** Jobs in flight per thread: small ones so that one is ready, and one large file beside them. */
export const lanes = { small: 2, large: 1 } as const

export type Lane = keyof typeof lanes

/** A thread with a small job for so long may hang: the next job goes to another if possible. */
const slow_ms = second_ms

export interface Job {
  lane: Lane
  root: string
  method: keyof ExamineCalls
  argument: unknown
  resolve(value: never): void
  reject(error: unknown): void
}

interface JobUnderWay {
  began_ms: number
  pulse: Pulse
}

export interface Slot {
  thread: Thread
  progress: Progress
  /** Jobs that still need an answer. */
  jobs: Map<Job, JobUnderWay>
}

export function countOf({ jobs }: Slot, wanted: Lane): number {
  return [...jobs.keys()].filter(({ lane }) => lane === wanted).length
}

export function startOne(): Pick<Slot, 'thread' | 'progress'> {
  const progress = createProgress()
  const data: ExamineThreadData = { progress: progress.shared }
  return { thread: startThread('disk/read/examine-thread', data, { young_mb: 4 }), progress }
}

export function isSlow({ jobs }: Slot, now_ms: number): boolean {
  return [...jobs].some(([{ lane }, { began_ms }]) => lane === 'small' && began_ms < now_ms - slow_ms)
}

/** About 1 ms of small files: outlasts the message, and spreads well over the threads. */
const most_paths = 64
const most_bytes = 8 * 1_048_576

/** Slices in order: small files bounded by number and bytes, each large file alone. */
export function cut(
  count: number,
  sizeOf: (index: number) => number,
): { from: number; to: number; lane: 'small' | 'large' }[] {
  const slices: { from: number; to: number; lane: 'small' | 'large' }[] = []
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
