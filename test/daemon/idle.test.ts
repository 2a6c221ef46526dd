import { expect, test } from 'vitest'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { begin, localJourneys } from '../journeys/rig/harness.ts'
import { until, within } from '../rig/waiting.ts'

localJourneys('waiting until nothing is left to do', (profile) => {
  test('asks the ledger once at a time for any number of waiting callers, and answers all of them', async () => {
    let left_to_send = 1
    let asked = 0
    let asking = 0
    let max_at_once = 0
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async pending(horizon_ms) {
        asked++
        max_at_once = Math.max(max_at_once, ++asking)
        const pending = await ledger.pending(horizon_ms)
        asking--
        return { ...pending, send: pending.send + left_to_send }
      },
    })
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' }, wrap_ledger })
    await journey.stage('docs/a.txt', 'ready')
    const waiting = Array.from({ length: 50 }, () => journey.daemon.idle())
    await until('it was checked a few times', () => asked >= 5)
    expect(max_at_once).toBe(1)
    left_to_send = 0
    await within('every answer', Promise.all(waiting))
    await within('the next answer', journey.daemon.idle())
  })
})
