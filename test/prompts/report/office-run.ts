import { day_ms } from '../../../src/base/time/time.ts'
import type { RunWork } from '../../../src/ledger/prompt-work.ts'
import { composeCoverage } from '../../../src/prompts/plan/coverage.ts'
import {
  asRunAsset,
  assetOf,
  changeOf,
  due_ms,
  runOf,
  tallyOf,
  turnOf,
  unreadyOf,
} from '../settings.ts'

export const page_url = 'https://sluice.example.org'

const names = ['office/contracts/lease.pdf', 'office/minutes/2026-11-20.docx', 'office/prices.xlsx']
const prompt = `What is new in office since 2026-11-16T08:00+01:00? Name the file behind each statement. 3 files arrived: \n${names
  .map((name) => `- ${name}`)
  .join('\n')}\n\nRun weekly-digest 2026-11-23T08:00+01:00`

const answer = `## Decide this week

The lease can be terminated until 30 November (\`office/contracts/lease.pdf\`):

> § 7 Term
> Either party may terminate with three months' notice,
> for the first time on 30 November 2026.

- **Minutes** of 20 November: the move is planned for March ([agenda](https://intranet.example.org/agenda)).`

const folder = {
  name: 'office',
  online: true,
  offline_reason: undefined,
  scan_began_ms: due_ms,
  scan_ended_ms: due_ms,
}

/** Three files of an office, one of them changed and one not read; and one of each other kind. */
export function officeRun(changes: Partial<RunWork> = {}): RunWork & { coverage: string } {
  const sizes = [182_340, 24_110, 9_876]
  const fresh = names.map((name, at) => ({
    ...assetOf(at, name),
    size: sizes[at]!,
    arrived_ms: due_ms - (4 - at) * day_ms - 5_400_000,
  }))
  const scan = unreadyOf('scan.pdf', {
    folder: 'office',
    stage: 'refused',
    content: 99,
    why: 'it has no text',
  })
  const old = unreadyOf('old.bin', {
    folder: 'office',
    stage: 'refused',
    content: 98,
    why: 'not readable',
    covered: true,
  })
  const coverage = composeCoverage({
    fresh,
    taken: fresh,
    unready: tallyOf([scan, old]),
    folders: [folder],
    due_ms,
    changes: [
      changeOf('changed', 'office/prices.xlsx', fresh[2]!.content),
      changeOf('gone', 'office/draft.docx'),
      { ...changeOf('moved', 'office/done/offer.pdf'), from: 'office/offer.pdf' },
    ],
  })
  const turn = turnOf(JSON.stringify({ prompt }), answer)
  const sources = [
    {
      asset_id: fresh[0]!.asset_id,
      read: 'part' as const,
      places: ['page 1', 'page 2'],
      why: 'the rest was too long',
    },
    { asset_id: fresh[1]!.asset_id, read: 'whole' as const },
  ]
  return {
    ...runOf({
      turns: [{ ...turn, sources }],
      assets: fresh.map((asset) => asRunAsset(asset)),
      last_written_due_ms: due_ms - 7 * day_ms,
      ...changes,
    }),
    coverage: JSON.stringify(coverage),
  }
}
