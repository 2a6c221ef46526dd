import { expect, test } from 'vitest'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { begin, type Journey, localJourneys } from './harness.ts'

localJourneys('what is said while somebody looks', (profile) => {
  test('a reload lets in what a scan has just left out: that is looked at by the new settings', async () => {
    let journey: Journey | undefined
    let is_held = true
    const tree = { 'docs/large.txt': 'x'.repeat(2_000), 'docs/small.txt': 'small' }
    const narrow = { folders: { docs: { max_file_bytes: 1_000 } } }
    const wide = { folders: { docs: { max_file_bytes: 3_000 } } }
    // The walk through the folder is at its last path; what it found is gathered, and not recorded yet.
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async differences(stretch) {
        if (is_held && stretch.names.length === 0) {
          is_held = false
          await new Promise((resolve) => setTimeout(resolve, 200))
          await journey?.reload(wide)
        }
        return ledger.differences(stretch)
      },
    })
    journey = await begin({ profile, tree, ...narrow, wrap_ledger })
    await journey.allReady()
    expect(is_held).toBe(false)
  })
})
