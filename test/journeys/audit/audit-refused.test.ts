import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { auditOf } from './audited.ts'

const lists = (journey: Journey) => journey.requests('assets.list').length

localJourneys('the list of assets is refused', (profile) => {
  test.each([
    [402, 'billing.plan.exceeded'],
    [403, 'assets.right.missing'],
  ])('A-39 %i %s: the audit rests, status says so, a success ends it', async (status, code) => {
    const clock = new MovingClock()
    const tree = { 'docs/a.txt': 'a' }
    const journey = await begin({ profile, tree, clock, service: { clock } })
    await journey.allReady()
    journey.service.injectFaults({ failures: [{ route: 'assets.list', status, code }] })
    await journey.record({ type: 'audit_wanted' })
    await journey.until('it is said', () => journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: `audit:${journey.project_id}` }])
    expect(journey.troubles()[0]!.message).toContain(`answered ${status}`)
    const before = lists(journey)
    clock.skip(10 * minute_ms)
    journey.write({ 'docs/b.txt': 'b' })
    await journey.allReady()
    clock.skip(10 * minute_ms)
    expect(lists(journey)).toBe(before)

    journey.service.injectFaults({ failures: [] })
    if (status === 402) clock.skip(day_ms)
    else await journey.daemon.retry('docs', '')
    const isOver = async () => (await auditOf(journey)).last !== undefined
    await journey.until('the audit is over', isOver)
    expect(journey.troubles()).toEqual([])
  })
})
