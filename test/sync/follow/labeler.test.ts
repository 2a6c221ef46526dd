import { expect, onTestFinished, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { Failure, Outcome } from '../../../src/remote/outcome.ts'
import type { Remote } from '../../../src/remote/remote.ts'
import { createCircuits } from '../../../src/sync/circuits.ts'
import { startLabeler } from '../../../src/sync/follow/labeler.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { openRig, project_id } from '../../ledger/views/view-rig.ts'
import { until } from '../../rig/waiting.ts'

const gone: Failure = {
  about: 'asset_gone',
  call: 'attach',
  message: 'the service does not know this asset',
}

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
        failure: gone,
      }
    },
    readAsset: async () => ({ ok: false, failure: gone }),
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
      await clock.advance(60 * minute_ms)
      return fact()
    })
  await passUntil('ten failures', () => waits.length >= 10)
  // A wait is at least a tenth of its ceiling, which begins with 15 minutes and doubles.
  for (const [failures, wait_ms] of waits.entries()) {
    const ceiling_ms = Math.min(15 * minute_ms * 2 ** failures, day_ms)
    expect(wait_ms).toBeLessThanOrEqual(ceiling_ms)
    expect(wait_ms).toBeGreaterThanOrEqual(ceiling_ms / 10)
  }

  is_known = true
  await passUntil('the label is attached', () => attached.length > 0)
  expect(attached).toEqual(['team'])
})
