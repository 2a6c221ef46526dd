import { expect, onTestFinished } from 'vitest'
import { createHttpClient } from '../../src/base/net/http-client.ts'
import { system_clock } from '../../src/base/time/time.ts'
import type { Delivered, DeliveryTools, Message } from '../../src/deliver/message.ts'

export function tools(changes: Partial<DeliveryTools> = {}): DeliveryTools {
  const { clock = system_clock } = changes
  const http = createHttpClient({
    connections: 2,
    timeouts: { connect_ms: 5_000, answer_ms: 5_000, body_ms: 5_000, stall_ms: 5_000 },
    max_body_bytes: 10_000,
    clock,
  })
  onTestFinished(() => http.close())
  const environment = { PATH: '/usr/bin:/bin', HOME: '/nowhere', LANG: 'C.UTF-8' }
  return { http, clock, signal: new AbortController().signal, environment, ...changes }
}

export function message(changes: Partial<Message> = {}): Message {
  return {
    id: 'weekly-digest-2026-11-23',
    subject: 'Weekly digest',
    text: '# Weekly digest\n\nThree **new** contracts: [first](https://example.org/1).\n',
    at_ms: Date.UTC(2026, 10, 23, 7),
    values: { name: 'weekly-digest', date: '2026-11-23', report: '/srv/reports/weekly.md' },
    data: { coverage: { ready: 41, seen: 43 } },
    ...changes,
  }
}

/** The fault of a failed delivery. */
export function faultOf(outcome: Delivered): Exclude<Delivered, { ok: true }> {
  expect(outcome.ok).toBe(false)
  if (outcome.ok) throw new Error('it was delivered')
  return outcome
}
