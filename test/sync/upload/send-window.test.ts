import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSendWindow } from '../../../src/sync/upload/send-window.ts'

/** A service that gives `rate(width)` answers a second while that many calls are out. */
function sendFor(
  window: ReturnType<typeof createSendWindow>,
  seconds: number,
  rate: (width: number) => number,
  from_ms = 0,
): number {
  let now_ms = from_ms
  while (now_ms < from_ms + seconds * 1_000) {
    now_ms += 1_000 / rate(window.width)
    window.answered(1, true, now_ms)
  }
  return now_ms
}

describe('the number of parallel calls', () => {
  test('grows while more calls bring more answers', () => {
    const window = createSendWindow(64)
    sendFor(window, 20, (width) => width * 10)
    expect(window.width).toBe(64)
  })

  test('stays where more calls bring no more answers', () => {
    const window = createSendWindow(64)
    sendFor(window, 60, (width) => Math.min(width, 10) * 20)
    expect(window.width).toBeGreaterThanOrEqual(8)
    expect(window.width).toBeLessThanOrEqual(16)
  })

  test('shrinks from a width that brings fewer answers', () => {
    const window = createSendWindow(64)
    sendFor(window, 60, (width) => (width <= 8 ? width * 20 : 1_280 / width))
    expect(window.width).toBe(8)
  })

  test('learns nothing while places are unused', () => {
    const window = createSendWindow(64)
    for (let now_ms = 0; now_ms < 60_000; now_ms += 10) window.answered(1, false, now_ms)
    expect(window.width).toBe(4)
  })

  test('halves once for a burst of refusals, and again for the next burst', () => {
    const window = createSendWindow(64)
    const now_ms = sendFor(window, 20, (width) => width * 10)
    for (let i = 0; i < 50; i++) window.slowDown(now_ms + i)
    expect(window.width).toBe(32)
    window.slowDown(now_ms + 1_500)
    expect(window.width).toBe(16)
  })

  test('grows again after the service has recovered', () => {
    const window = createSendWindow(16)
    let now_ms = sendFor(window, 20, (width) => width * 10)
    window.slowDown(now_ms)
    expect(window.width).toBe(8)
    now_ms = sendFor(window, 4, (width) => width * 10, now_ms)
    expect(window.width).toBe(8)
    sendFor(window, 30, (width) => width * 10, now_ms)
    expect(window.width).toBe(16)
  })

  test('is always at least one, and never above its maximum', () => {
    const acts = fc.array(
      fc.record({ ms: fc.integer({ min: 1, max: 2_000 }), slow: fc.boolean(), wait: fc.boolean() }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), acts, (max, all) => {
        const window = createSendWindow(max)
        let now_ms = 0
        for (const { ms, slow, wait } of all) {
          now_ms += ms
          if (slow) window.slowDown(now_ms)
          else window.answered(ms, wait, now_ms)
          expect(window.width).toBeGreaterThanOrEqual(1)
          expect(window.width).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})
