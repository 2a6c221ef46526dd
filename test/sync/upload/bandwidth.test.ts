import { describe, expect, test } from 'vitest'
import type { StreamBody } from '../../../src/base/net/http-client.ts'
import { type Bandwidth, createBandwidth } from '../../../src/sync/upload/bandwidth.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

const never = new AbortController().signal

/** A clock that shows this local time. */
function clockAt(hours: number, minutes = 0): FakeClock {
  return new FakeClock(new Date(2026, 5, 1, hours, minutes).getTime())
}

async function send(bandwidth: Bandwidth, bytes: number, signal = never): Promise<Uint8Array[]> {
  const body = bandwidth.pace(
    { size: bytes, bytes: new Uint8Array(bytes).fill(7) },
    signal,
  ) as StreamBody
  const pieces = []
  for await (const piece of body.stream) pieces.push(piece)
  return pieces
}

/** Seconds on the clock until the work is over. */
async function secondsOf(clock: FakeClock, work: Promise<unknown>): Promise<number> {
  const began_ms = clock.monotonic_ms()
  let is_over = false
  const over = work.then(() => {
    is_over = true
  })
  await clock.runUntil(() => is_over)
  await over
  return (clock.monotonic_ms() - began_ms) / 1_000
}

const all_day = [{ from_minute: 0, to_minute: 1_440, bytes_per_s: 1_000_000 }]

describe('the bandwidth of uploads', () => {
  test('without a limit bodies go out unchanged', () => {
    const body = { size: 3, bytes: new Uint8Array(3) }
    expect(createBandwidth(clockAt(9)).pace(body, never)).toBe(body)
  })

  test('a body is sent in pieces, takes the time that its bytes need, and is complete', async () => {
    const clock = clockAt(9)
    const bandwidth = createBandwidth(clock)
    bandwidth.follow(all_day)
    const sending = send(bandwidth, 5_000_000)
    expect(await secondsOf(clock, sending)).toBeCloseTo(4.75, 1)
    const pieces = await sending
    expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBe(250_000)
    expect(Buffer.concat(pieces).equals(Buffer.alloc(5_000_000, 7))).toBe(true)
  })

  test('several uploads share it, and none waits for all the others', async () => {
    const clock = clockAt(9)
    const bandwidth = createBandwidth(clock)
    bandwidth.follow(all_day)
    const ended_s: number[] = []
    const sendings = [1, 2, 3, 4].map(async () => {
      await send(bandwidth, 1_000_000)
      ended_s.push(clock.monotonic_ms() / 1_000)
    })
    expect(await secondsOf(clock, Promise.all(sendings))).toBeCloseTo(3.75, 1)
    expect(Math.min(...ended_s)).toBeGreaterThan(2.5)
  })

  test('a scheduled limit applies to running uploads when its time comes, and ends with it', async () => {
    const clock = clockAt(7, 59)
    const bandwidth = createBandwidth(clock)
    bandwidth.follow([{ from_minute: 8 * 60, to_minute: 8 * 60 + 1, bytes_per_s: 10_000 }])
    expect(await secondsOf(clock, send(bandwidth, 50_000_000))).toBe(0)
    await clock.advance(60_000)
    expect(await secondsOf(clock, send(bandwidth, 50_000_000))).toBeCloseTo(60, 0)
  })

  test('a changed limit applies at once to waiting uploads', async () => {
    const clock = clockAt(9)
    const bandwidth = createBandwidth(clock)
    bandwidth.follow([{ ...all_day[0]!, bytes_per_s: 10_000 }])
    const sending = send(bandwidth, 10_000_000)
    await clock.advance(2_000)
    bandwidth.follow([])
    expect(await secondsOf(clock, sending)).toBeLessThanOrEqual(1)
  })

  test('a new limit applies to a large upload that is already running', async () => {
    const clock = clockAt(9)
    const bandwidth = createBandwidth(clock)
    let read = 0
    async function* chunks() {
      for (; read < 40; read++) yield new Uint8Array(250_000)
    }
    const body = bandwidth.pace({ size: 10_000_000, stream: chunks() }, never) as StreamBody
    const pieces = body.stream[Symbol.asyncIterator]()
    for (let gone = 0; gone < 10; gone++)
      expect((await pieces.next()).value?.byteLength).toBe(250_000)
    bandwidth.follow(all_day)
    const rest = (async () => {
      while (!(await pieces.next()).done);
    })()
    expect(await secondsOf(clock, rest)).toBeCloseTo(7.25, 1)
  })

  test('an aborted upload does not wait', async () => {
    const clock = clockAt(9)
    const bandwidth = createBandwidth(clock)
    bandwidth.follow([{ ...all_day[0]!, bytes_per_s: 10_000 }])
    const stop = new AbortController()
    const sending = send(bandwidth, 10_000_000, stop.signal)
    await clock.advance(500)
    stop.abort()
    expect(await secondsOf(clock, sending)).toBe(0)
  })
})
