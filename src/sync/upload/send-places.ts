import PQueue from 'p-queue'
import type { Clock } from '../../base/time/time.ts'
import { createSendWindow } from './send-window.ts'

/** What is begun is ended first: its bytes are held, or its slot runs out. */
export type Step = 'create' | 'put' | 'complete'
const priorities: Record<Step, number> = { create: 0, put: 1, complete: 2 }

/** A call without a body costs about what so many bytes do. */
const bytes_of_a_call = 65_536

export type SendPlaces = ReturnType<typeof createSendPlaces>

/** Where uploads wait for a place on the line. */
export function createSendPlaces(most: number, clock: Clock) {
  const window = createSendWindow(most)
  const calls = new PQueue({ concurrency: window.width })
  let open = false

  function follow(): void {
    if (!open) calls.concurrency = window.width
  }

  return {
    /** How many calls may be out at once now. */
    width: () => window.width,
    /** Runs a call when a place is free; `bytes` is what its body has. */
    async call<Answer>(step: Step, task: () => Promise<Answer>, bytes = 0): Promise<Answer> {
      try {
        return await calls.add(task, { priority: priorities[step] })
      } finally {
        window.answered(bytes_of_a_call + bytes, calls.size > 0, clock.monotonic_ms())
        follow()
      }
    },
    /** So many large contents may be at work. The small ones keep a place, unless there is only one. */
    maxLarge: () => Math.max(1, window.width - 1),
    /** The service, or the line, said that it is too much. */
    slowDown() {
      window.slowDown(clock.monotonic_ms())
      follow()
    },
    /** From now on nothing waits: those who wait are to see that all stops. */
    letAllIn() {
      open = true
      calls.concurrency = Number.POSITIVE_INFINITY
    },
  }
}

/** Bounds the bytes that are held in memory at once; who comes first goes first. */
export function createByteGate(most_bytes: number) {
  const waiting: { bytes: number; enter: () => void }[] = []
  let held = 0

  function fits(bytes: number): boolean {
    return held === 0 || held + bytes <= most_bytes
  }

  return {
    /** What alone is larger than all that may be held goes alone. `leave` must follow. */
    async enter(bytes: number): Promise<void> {
      if (waiting.length > 0 || !fits(bytes)) await new Promise<void>((enter) => waiting.push({ bytes, enter }))
      else held += bytes
    },
    leave(bytes: number): void {
      held -= bytes
      for (let first = waiting[0]; first && fits(first.bytes); first = waiting[0]) {
        waiting.shift()
        held += first.bytes
        first.enter()
      }
    },
  }
}
