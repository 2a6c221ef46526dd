import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { realWait } from '../../rig/waiting.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

localJourneys('changes that arrive during a scan', (profile) => {
  test('a reload includes a file that a scan has just left out: it is checked under the new settings', async () => {
    let journey: Journey | undefined
    let is_held = true
    const tree = { 'docs/large.txt': 'x'.repeat(2_000), 'docs/small.txt': 'small' }
    const narrow = { folders: { docs: { max_file_bytes: 1_000 } } }
    const wide = { folders: { docs: { max_file_bytes: 3_000 } } }
    // The scan of the folder is at its last path. Its findings are collected, but not recorded yet.
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async differences(range) {
        if (is_held && range.names.length === 0) {
          is_held = false
          await realWait('an answer that takes its time', 200)
          await journey?.reload(wide)
        }
        return ledger.differences(range)
      },
    })
    journey = await begin({ profile, tree, ...narrow, wrap_ledger })
    await journey.allReady()
    expect(is_held).toBe(false)
  })

  test('a user accepts a file while a scan leaves it out again', async () => {
    let skips = 0
    const isLeftOut = (fact: Fact) => fact.type === 'file_skipped' && fact.path === 'old.txt'
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (facts.some(isLeftOut) && ++skips === 2) {
          await ledger.record([{ type: 'accepted', folder: 'docs', path: 'old.txt' }])
        }
        return ledger.record(facts)
      },
    })
    const folders = { docs: { start: { newer_than: '30d' } } }
    const tree = { 'docs/old.txt': { text: 'old', aged_ms: 40 * day_ms } }
    const journey = await begin({ profile, tree, folders, wrap_ledger })
    await journey.stage('docs/old.txt', 'skipped before_start')
    // Only the ctime changes.
    chmodSync(journey.at('docs/old.txt'), 0o600)
    journey.daemon.rescan()
    await journey.until('it was left out once more', () => skips === 2)
    await journey.allReady()
  })
})
