import { expect, test } from 'vitest'
import { second_ms, system_clock } from '../../src/base/time/time.ts'
import { beginPage } from './page-rig.ts'
import { rawRequest } from './raw-request.ts'

test('a request has a minute for its body, and half a minute for its headers', async () => {
  const { address } = await beginPage()
  const began_ms = system_clock.monotonic_ms()
  const ended = async (asked: Promise<string>) => {
    const answer = await asked
    return { answer, after_s: (system_clock.monotonic_ms() - began_ms) / second_ms }
  }
  const post = ['POST /sign-in HTTP/1.1', `Origin: ${address}`, 'Content-Length: 100']
  const [body, headers] = await Promise.all([
    ended(
      rawRequest(address, [...post, 'Content-Type: application/x-www-form-urlencoded'], 'name='),
    ),
    ended(rawRequest(address, ['GET / HTTP/1.1', 'X-More: '], '', undefined, false)),
  ])
  // Node looks for late requests every 3 s, on a busy machine later.
  for (const [limit_s, { answer, after_s }] of [
    [60, body],
    [30, headers],
  ] as const) {
    expect(answer).toMatch(/Request timeout/)
    expect(after_s).toBeGreaterThan(limit_s)
    expect(after_s).toBeLessThan(limit_s + 20)
  }
  expect((await fetch(`${address}/`)).status).toBe(401)
})
