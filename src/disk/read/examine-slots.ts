import { freemem } from 'node:os'
import type { Pulse } from '../../base/run/pulse.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { second_ms } from '../../base/time/time.ts'
import { large_bytes } from '../../domain/file.ts'
import { createProgress, type Progress } from '../scan/thread-progress.ts'
import type { ExamineCalls, ExamineThreadData } from './examine-thread.ts'

/** In flight per thread: small jobs so that the next is there when one ends, and one large file beside them. */
export const lanes = { small: 2, large: 1 } as const

export type Lane = keyof typeof lanes

/** A thread that has had a small job for so long may hang: the next one goes elsewhere if there is room for a thread. */
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
  /** Those whose answer is still wanted from it. */
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

/** About a millisecond of small files: long enough to hide the message, short enough to spread over the threads. */
const most_paths = 64
const most_bytes = 8 * 1_048_576

/** Slices in order, small ones bounded by number and bytes, a large file alone. */
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

/** What this process can still take before the system or its control group has none left. */
export function freeMemory_bytes(): number {
  // From 20.13 on; what a control group allows is 0 where there is none.
  return process.availableMemory?.() || freemem()
}
