import { expect, onTestFinished, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { minute_ms, second_ms } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { Outcome } from '../../../src/remote/outcome.ts'
import type { Remote } from '../../../src/remote/remote.ts'
import { createCircuits } from '../../../src/sync/circuits.ts'
import { startLabeler } from '../../../src/sync/follow/labeler.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { openRig, project_id } from '../../ledger/views/view-rig.ts'
import { until } from '../../rig/waiting.ts'

const silent = new Proxy({}, { get: () => () => {} }) as SyncReport

test('a label whose asset the service does not know is tried more and more rarely, until it is attached', async () => {
  const rig = await openRig()
  const { clock } = rig
  let is_known = false
  const waits: number[] = []
  const attached: string[] = []
  const ledger: Ledger = {
    ...rig.ledger,
    async record(facts) {
      const now_ms = clock.now_ms()
      await rig.ledger.record(facts)
      for (const fact of facts) {
        if (fact.type === 'labels_deferred') waits.push(fact.not_before_ms - now_ms)
        if (fact.type === 'label_attached') attached.push(fact.name)
      }
    },
  }
  const remote = {
    async attachLabel(
      _project: string,
      _asset: string,
      name: string,
    ): Promise<Outcome<{ label_id: string }>> {
      if (is_known) return { ok: true, value: { label_id: `label_${name}` } }
      return {
        ok: false,
        failure: { about: 'asset_gone', message: 'the service does not know this asset' },
      }
    },
  } as unknown as Remote
  const circuits = createCircuits({
    ledger,
    clock,
    report: silent,
    reloadToken: async () => false,
    onSlowDown: () => {},
    projects: [project_id],
  })
  await rig.bringIn('a.txt')
  const soft = new AbortController()
  const { worker } = startLabeler(
    { ledger, remote, circuits, clock, report: silent, heartbeats: unwatched },
    { soft: soft.signal },
  )
  onTestFinished(() => {
    soft.abort()
    return worker.ended
  })

  const passUntil = (what: string, fact: () => boolean) =>
    until(what, async () => {
      await clock.advance(minute_ms)
      return fact()
    })
  await passUntil('ten failures', () => waits.length >= 10)
  // A wait is at least a tenth of its ceiling, which begins with a second and doubles.
  for (const [failures, wait_ms] of waits.entries()) {
    expect(wait_ms).toBeLessThanOrEqual(second_ms * 2 ** failures)
    expect(wait_ms).toBeGreaterThanOrEqual((second_ms * 2 ** failures) / 10)
  }

  is_known = true
  await passUntil('the label is attached', () => attached.length > 0)
  expect(attached).toEqual(['team'])
})
