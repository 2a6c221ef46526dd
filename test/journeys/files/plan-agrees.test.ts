import { expect, test } from 'vitest'
import { type Plan, planUploads } from '../../../src/inspect/plan/plan.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const day_ms = 86_400_000

/**
 * Each rule that keeps a file from the upload, with one file that it covers and one that it just
 * does not.
 */
const tree = {
  'docs/a.txt': 'one',
  'docs/copy of a.txt': 'one',
  'docs/deep/er/b.md': 'two',
  'docs/empty.txt': '',
  'docs/elsewhere.txt': ' ',
  'docs/elsewhere.docx.nextcloud': ' ',
  'docs/big.iso': { bytes: 1_001 },
  'docs/just not too big.txt': 'x'.repeat(1_000),
  'docs/~$lock.docx': 'x',
  'docs/.hidden/c.txt': 'x',
  'docs/.sluiceignore': 'secret/\n!secret/open.txt\n*.bak\n',
  'docs/secret/d.txt': 'x',
  'docs/e.bak': 'x',
  'docs/id_rsa': 'x',
  'docs/link.txt': { link: 'a.txt' },
  'docs/only/f.log': 'x',
  'share/old.txt': { text: 'old', aged_ms: 31 * day_ms },
  'share/young.txt': { text: 'young', aged_ms: 29 * day_ms },
  'share/also one.txt': { text: 'one', aged_ms: day_ms },
} as const
const folders = {
  docs: { max_file_bytes: 1_000, exclude: ['only/'] },
  share: { start: { newer_than: '30d' } },
}

async function plan(journey: Journey, knows_ledger: boolean): Promise<Plan> {
  const config = journey.config()
  const ledger = knows_ledger ? openLedgerView(config.state_dir) : undefined
  try {
    return await planUploads({ config, ledger, hash: true, now_ms: Date.now() })
  } finally {
    ledger?.close()
  }
}

/** Numbers of files by reason, over all folders. */
function staying({ folders }: Plan): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { reason, files } of folders.flatMap(({ stays }) => stays))
    sums[reason] = (sums[reason] ?? 0) + files
  return sums
}

localJourneys('the plan', (profile) => {
  test('agrees with the next pass', async () => {
    const journey = await begin({ profile, tree, folders, mode: 'once' }, 'not started')
    const before = await plan(journey, false)
    await journey.start()
    expect(await journey.drained()).toEqual({ why: 'done' })

    expect(journey.cost().puts).toBe(before.would_upload.files)
    const sent_bytes = journey.assets().reduce((sum, { size_in_bytes }) => sum + size_in_bytes, 0)
    expect(sent_bytes).toBe(before.would_upload.bytes)
    const stages = Object.values(journey.stages())
    const skipped = (reason: string) =>
      stages.filter((stage) => stage === `skipped ${reason}`).length
    const { same_bytes = 0, ...left_out } = staying(before)
    expect(left_out).toEqual({
      placeholder: skipped('placeholder'),
      empty: skipped('empty'),
      too_large: skipped('too_large'),
      before_start: skipped('before_start'),
    })
    expect(stages.filter((stage) => stage === 'ready').length).toBe(
      before.would_upload.files + same_bytes,
    )

    const after = await plan(journey, true)
    expect(after.would_upload.files).toBe(0)
    expect(staying(after)).toEqual({ ...left_out, ready: before.would_upload.files + same_bytes })
    journey.ends({
      left_out: Object.keys(tree).filter((name) => journey.stages()[name] !== 'ready'),
    })
  })
})
