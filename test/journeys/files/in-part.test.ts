import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AssetReading } from '../../../src/contract/messages/messages-assets.ts'
import { isWhole } from '../../../src/inspect/verify/verify-answer.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { makeStore } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { line, pdfFile, picture } from '../../service/ingest/pdf/pdf-file.ts'
import { programs, quick } from '../../service/reading/recognise/scan.ts'
import { setReadingThere } from '../../service/set-reading.ts'
import { audited } from '../audit/audited.ts'
import { verified } from '../audit/verified.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const scan = { of: 10, seen: 1, unit: 'page', why: 'pages 2–10 are pictures' } as const
const nothing = { of: 10, seen: 0, unit: 'page', why: 'its pages are pictures' } as const
const few = { 'docs/a.txt': 'a', 'docs/b.txt': 'b' }

function read(journey: Journey, name: string, reading: AssetReading | undefined): void {
  setReadingThere(journey.service, journey.file(name)!.asset_id!, reading)
}

function viewOf(journey: Journey, file = 'a.txt') {
  const view = openLedgerView(journey.config().state_dir)
  try {
    const wanted = { folder: 'docs', prefix: '', after: undefined, limit: 10 }
    const [docs] = view.folders()
    return {
      in_part: view.files({ ...wanted, stages: ['ready_in_part'] }).map(({ path }) => path),
      ready: view.files({ ...wanted, stages: ['ready'] }).map(({ path }) => path),
      reading: view.story('docs', file)?.reading,
      figure: docs?.ready_in_part,
    }
  } finally {
    view.close()
  }
}

localJourneys('a file of which the service could not read all', (profile) => {
  test('the audit learns it later, keeps it, and forgets what the service no longer says', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    expect(viewOf(journey)).toMatchObject({ in_part: [], figure: 0 })
    read(journey, 'docs/a.txt', scan)
    await audited(journey)
    const in_part = { in_part: ['a.txt'], ready: ['a.txt', 'b.txt'], reading: scan, figure: 1 }
    expect(viewOf(journey)).toEqual(in_part)
    const { summary, differences } = await verified(journey, { full: false })
    expect(differences).toMatchObject([
      {
        kind: 'read_in_part',
        folder: 'docs',
        path: 'a.txt',
        message: '1 of 10 pages read: pages 2–10 are pictures',
      },
    ])
    expect(isWhole(summary)).toBe(true)
    // A list may leave out the reading.
    read(journey, 'docs/a.txt', undefined)
    await audited(journey)
    expect(viewOf(journey)).toEqual(in_part)
    read(journey, 'docs/a.txt', { of: 10, seen: 10, unit: 'page' })
    await audited(journey)
    expect(viewOf(journey)).toMatchObject({ in_part: [], figure: 0 })
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('B-42 a scan is followed until its recognition ends, without an audit and after a restart', async () => {
    const open = join(makeStore(), 'open')
    const tesseract = `[ "$1" = --list-langs ] || until [ -e ${open} ]; do sleep 0.05; done\n${quick.tesseract}`
    const page = { content: picture(0, 0, 600, 800) }
    const scan = pdfFile([{ content: line('The cover says lighthouse.') }, page, page])
    const service = { ingest: programs({ ...quick, tesseract }) }
    const journey = await begin({ profile, tree: { 'docs/a.pdf': scan }, service })
    await journey.allReady()
    const shown = () => viewOf(journey, 'a.pdf')
    const why = 'recognition goes on; pages 2–3 are pictures'
    expect(shown()).toMatchObject({ in_part: ['a.pdf'], reading: { of: 3, seen: 1, why } })
    await journey.stop()
    writeFileSync(open, '')
    await journey.start()
    await until('the whole scan', () => shown().figure === 0, shown)
    expect(shown().reading).toEqual({ of: 3, seen: 3, unit: 'page' })
  })

  test('one of which nothing was read is not in; a retry uploads it as a new asset', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    read(journey, 'docs/a.txt', nothing)
    expect(await audited(journey)).toMatchObject({ usable: 1, failed: 1 })
    expect(journey.file('docs/a.txt')).toMatchObject({
      stage: 'refused',
      error_code: 'nothing_to_read',
      error_message: 'the service could read nothing of it: its pages are pictures',
    })
    // The list shows it as ready, but it has not returned.
    await audited(journey)
    expect(journey.stages()).toMatchObject({ 'docs/a.txt': 'refused', 'docs/b.txt': 'ready' })
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
    const before = journey.file('docs/a.txt')!.asset_id!
    await journey.record({ type: 'retried', folder: 'docs', path: 'a.txt' })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    expect(journey.file('docs/a.txt')?.asset_id).not.toBe(before)
    await journey.service.removeAsset(before)
  })

  test('it returns by itself once some of it was read', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    read(journey, 'docs/a.txt', nothing)
    await audited(journey)
    expect(journey.stages()).toMatchObject({ 'docs/a.txt': 'refused' })
    read(journey, 'docs/a.txt', scan)
    await audited(journey)
    expect(journey.stages()).toMatchObject({ 'docs/a.txt': 'ready' })
    expect(viewOf(journey)).toMatchObject({ in_part: ['a.txt'], reading: scan, figure: 1 })
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })
})
