import type { Pulse } from '../base/pulse.ts'
import { startThread, type Thread } from '../base/thread.ts'
import { second_ms } from '../base/time.ts'
import type { ExamineThreadData } from './examine-wire.ts'
import { createProgress, type Progress } from './thread-progress.ts'

/** In flight per thread: small jobs so that the next is there when one ends, and one large file beside them. */
export const lanes = { small: 2, large: 1 } as const

export type Lane = keyof typeof lanes

/** A thread that has had a small job for so long may hang: the next one goes elsewhere if there is room for a thread. */
const slow_ms = second_ms

export interface Job {
  lane: Lane
  root: string
  method: string
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
  return { thread: startThread('disk/examine-thread', data, { young_mb: 4 }), progress }
}

export function isSlow({ jobs }: Slot, now_ms: number): boolean {
  return [...jobs].some(([{ lane }, { began_ms }]) => lane === 'small' && began_ms < now_ms - slow_ms)
}
