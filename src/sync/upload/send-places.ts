import PQueue from 'p-queue'
import type { Clock } from '../../base/time/time.ts'
import { createSendWindow } from './send-window.ts'

/** The calls of an upload, in their order. */
export type Step = 'create' | 'put' | 'complete'

/** Later steps go first: their bytes are in memory, or their slot expires. */
const priorities: Record<Step, number> = { create: 0, put: 1, complete: 2 }

/** Cost of a call without a body, in bytes. */
const bytes_of_a_call = 65_536

export type SendPlaces = ReturnType<typeof createSendPlaces>

/**
 * Limits parallel upload calls, and queues the others. `largeInFlight`: number of large contents
 * in work. When the window shrinks, they go on, and small ones still get a place beside them.
 */
export function createSendPlaces(max: number, clock: Clock, largeInFlight: () => number) {
  const window = createSendWindow(max)
  const calls = new PQueue({ concurrency: window.width })
  let open = false

  function follow(): void {
    if (!open) calls.concurrency = Math.min(max, Math.max(window.width, largeInFlight() + 1))
  }

  return {
    /** Maximum number of parallel calls at this moment. */
    width: () => window.width,
    /** Runs a call when a place is free; `bytes` is the size of its body. */
    async call<Answer>(step: Step, task: () => Promise<Answer>, bytes = 0): Promise<Answer> {
      try {
        return await calls.add(task, { priority: priorities[step] })
      } finally {
        window.answered(bytes_of_a_call + bytes, calls.size > 0, clock.monotonic_ms())
        follow()
      }
    },
    /** Maximum large contents in work. Small ones keep a place, unless there is only one. */
    maxLarge: () => Math.max(1, window.width - 1),
    /** Call it when the service or the network is overloaded. */
    slowDown() {
      window.slowDown(clock.monotonic_ms())
      follow()
    },
    /** Ends all waits from now on: waiting calls then see the stop. */
    letAllIn() {
      open = true
      calls.concurrency = Number.POSITIVE_INFINITY
    },
  }
}

/** Limits the bytes in memory, in order of arrival. */
export function createByteGate(max_bytes: number) {
  const waiting: { bytes: number; enter: () => void }[] = []
  let held = 0

  const fits = (bytes: number): boolean => held === 0 || held + bytes <= max_bytes

  return {
    /** A content above the whole limit goes alone. The caller must call `leave` later. */
    async enter(bytes: number): Promise<void> {
      if (waiting.length > 0 || !fits(bytes))
        await new Promise<void>((enter) => waiting.push({ bytes, enter }))
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
