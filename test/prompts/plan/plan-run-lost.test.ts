import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Manifest } from '../../../src/prompts/manifest.ts'
import { setReadingThere } from '../../service/set-reading.ts'
import { setStatusThere } from '../../service/set-status.ts'
import { openRunRig, type RunRig } from '../ask/answer-run-rig.ts'

/** The manifest of the one report that was written. */
function manifestOf({ reported }: RunRig): Manifest {
  const line = reported.findLast((text) => text.startsWith('written'))!
  return JSON.parse(readFileSync(line.slice(line.indexOf(': ') + 2).replace(/md$/, 'json'), 'utf8'))
}

const namesIn = (rig: RunRig, turn: number) => rig.chats()[turn]!.messages[0]!.scope?.asset_ids

test('assets found failed, ingesting again or removed: the ledger records it, and coverage and manifest say it', async () => {
  const rig = await openRunRig()
  const [failed, again, gone, kept] = [
    await rig.bringIn('failed.md'),
    await rig.bringIn('again.md'),
    await rig.bringIn('gone.md'),
    await rig.bringIn('kept.md'),
  ]
  setStatusThere(rig.service, failed, 'failed')
  setStatusThere(rig.service, again, 'ingesting')
  await rig.service.removeAsset(gone)
  await rig.due()
  await rig.run()
  expect(namesIn(rig, 0)).toEqual([kept])

  const { coverage, coverage_line, refusals, notes } = manifestOf(rig)
  expect(coverage).toMatchObject({
    ready: 1,
    refused: {
      total: 1,
      files: [{ name: 'notes/failed.md', why: expect.stringContaining('cannot read it any more') }],
    },
    on_the_way: { total: 1, files: [{ name: 'notes/again.md' }] },
    removed: { total: 1, files: [{ name: 'notes/gone.md' }] },
  })
  expect(coverage_line).toBe(
    'asked about 1 file: 1 read in part (notes/kept.md; not asked about again); 1 named; 1 refused (notes/failed.md); 1 still on the way (notes/again.md); 1 removed on the service (notes/gone.md)',
  )
  expect(rig.written()).toContain(coverage_line)
  expect(refusals).toMatchObject([{ name: 'notes/failed.md' }])
  expect(notes.sort()).toEqual([
    'notes/again.md is being read again by the service: left out',
    'notes/failed.md cannot be used by the service any more: left out',
    'notes/gone.md was removed on the service: left out',
  ])
})

test('an asset that is ingesting again is followed, and covered by the next run', async () => {
  const rig = await openRunRig()
  const again = await rig.bringIn('again.md')
  await rig.bringIn('kept.md')
  setStatusThere(rig.service, again, 'ingesting')
  await rig.due()
  await rig.run()
  const { work } = await rig.ledger.claimToFollow(10, { except_projects: [] })
  expect(work).toMatchObject([{ asset_id: again }])
  setStatusThere(rig.service, again, 'ready')
  await rig.ledger.record([{ type: 'asset_ready', content: work[0]!.content }])
  await rig.due()
  await rig.run()
  expect(namesIn(rig, 1)).toEqual([again])
})

test('all new assets are ingesting again: the run is skipped, with the reason', async () => {
  const rig = await openRunRig()
  setStatusThere(rig.service, await rig.bringIn('again.md'), 'ingesting')
  await rig.due()
  await rig.run()
  expect(rig.reported.at(-1)).toContain(
    'nothing new; not ready: 1 still on the way (notes/again.md)',
  )
  expect(rig.chats()).toHaveLength(0)
})

test('a run reads how much of each asset was read before it asks, and says it', async () => {
  const rig = await openRunRig()
  const [scan, empty, whole] = [
    await rig.bringIn('scan.md'),
    await rig.bringIn('empty.md'),
    await rig.bringIn('whole.md'),
  ]
  const why = 'pages 2–10 are pictures'
  setReadingThere(rig.service, scan, { of: 10, seen: 1, unit: 'page', why })
  setReadingThere(rig.service, empty, { of: 2, seen: 0, unit: 'page' })
  setReadingThere(rig.service, whole, undefined)
  await rig.due()
  await rig.run()
  expect(namesIn(rig, 0)).toEqual([scan, whole])

  const { coverage, coverage_line, notes } = manifestOf(rig)
  const text = '1 of 10 pages read: pages 2–10 are pictures'
  expect(coverage).toMatchObject({
    ready: 2,
    in_part: { total: 1, files: [{ name: 'notes/scan.md', why: text }] },
    refused: { total: 1, files: [{ why: 'the service could read nothing of it' }] },
  })
  expect(coverage_line).toBe(
    'asked about 2 files: 2 read in part (notes/scan.md, notes/whole.md; not asked about again); 2 named; 1 refused (notes/empty.md)',
  )
  expect(rig.written()).toMatch(
    new RegExp(`\n- \`notes/scan\\.md\`: new, .*, read in part \\(${text}\\)\n`),
  )
  expect(notes).toEqual(['notes/empty.md cannot be used by the service any more: left out'])
  const query = { prompt: 'digest', folders: ['notes'], only_come: false, limit: 10 }
  const { arrivals } = await rig.ledger.arrivals({ ...query, only_fresh: false })
  expect(arrivals.map(({ path, reading }) => [path, reading?.seen])).toEqual([
    ['scan.md', 1],
    ['whole.md', undefined],
  ])
})
