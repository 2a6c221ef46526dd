import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeStore } from '../../../rig/tree.ts'
import { start, until } from '../../fixture.ts'
import { passages, readingOf } from './recognised.ts'
import {
  missingHere,
  of_machine,
  pictureFile,
  pictureOf,
  recallOf,
  scanOf,
  wordsOfPage,
} from './scan.ts'

const lacking = missingHere('tesseract', 'pdftoppm')
if (lacking.length > 0) console.log(`the scan is skipped: ${lacking.join(', ')} not installed`)

const pages = 10
const harbour_slides = join(import.meta.dirname, '../../ingest/documents/harbour.pptx')

test.skipIf(lacking.length > 0)(
  'B-42 a scan of ten pages at 200 dpi: nearly all words are recognised, and seen grows',
  async () => {
    const client = await start({ ingest: of_machine })
    const asset_id = await client.upload(scanOf(pages), 'scan.pdf', 'application/pdf')
    // It was ingesting until its first page had words.
    expect(await readingOf(client, asset_id)).toMatchObject({
      seen: 1,
      why: 'recognition goes on; pages 2–10 are pictures',
    })
    const seen: number[] = []
    const isWhole = async () => {
      seen.push((await readingOf(client, asset_id)).seen)
      return seen.at(-1) === pages
    }
    await until(isWhole, 'all pages are recognised', 120_000)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(new Set(seen).size).toBeGreaterThan(3)
    const whole = { of: pages, seen: pages, unit: 'page', text_md5: expect.any(String) }
    expect(await readingOf(client, asset_id)).toEqual(whole)
    const words = Array.from({ length: pages }, (_, page) => wordsOfPage(page)).flat()
    const recall = recallOf(passages(client).join('\n'), words)
    console.log(`word recall of ${pages} pages at 200 dpi: ${recall.toFixed(4)}`)
    expect(recall).toBeGreaterThanOrEqual(0.95)
    expect(readdirSync(client.service.data_dir)).not.toContain('programs')
  },
)

test.skipIf(lacking.length > 0)(
  'a page of ten metres is drawn smaller, within the limits',
  async () => {
    const client = await start({ ingest: of_machine })
    const points = 28_346
    const wide = pictureFile([pictureOf(0, 'jpeg')], { points })
    const asset_id = await client.upload(wide, 'plan.pdf', 'application/pdf')
    expect(await readingOf(client, asset_id)).toMatchObject({ of: 1, seen: 1 })
    expect(recallOf(passages(client).join('\n'), wordsOfPage(0))).toBeGreaterThanOrEqual(0.95)
  },
)

test.skipIf(lacking.length > 0).each(['png', 'jpeg', 'tiff'] as const)(
  'B-42 a picture (%s) is a page',
  async (format) => {
    const client = await start({ ingest: of_machine })
    const asset_id = await client.upload(pictureOf(0, format), 'letter', 'application/octet-stream')
    const page = { of: 1, seen: 1, unit: 'page', text_md5: expect.any(String) }
    expect(await readingOf(client, asset_id)).toEqual(page)
    expect(recallOf(passages(client).join('\n'), wordsOfPage(0))).toBeGreaterThanOrEqual(0.95)
  },
)

const office = missingHere('soffice')
if (office.length > 0) console.log('old office files are skipped: soffice is not installed')

/** Writes an old office file with soffice: none is small enough to make it here. */
function oldFile(kind: 'xls' | 'ppt', name: string, content: Buffer | string): Buffer {
  const directory = makeStore()
  writeFileSync(join(directory, name), content)
  const profile = `-env:UserInstallation=file://${directory}/profile`
  execFileSync('soffice', [profile, '--headless', '--convert-to', kind, name], { cwd: directory })
  return readFileSync(join(directory, name.replace(/\w+$/, kind)))
}

test.skipIf(office.length > 0).each([
  [
    'xls',
    'berths.csv',
    'berth,ship\n7,Kittiwake\n',
    { unit: 'sheet' },
    'berth\tship\n7\tKittiwake',
  ],
  ['ppt', 'harbour.pptx', readFileSync(harbour_slides), { unit: 'slide' }, 'Yrsa Holm'],
] as const)(
  'B-42 an old file (%s) is read as the new one',
  async (kind, name, content, reading, words) => {
    const bytes = oldFile(kind, name, content)
    const client = await start({ ingest: of_machine })
    const began = performance.now()
    const asset_id = await client.upload(bytes, `old.${kind}`)
    console.log(`${kind} by soffice: ${Math.round(performance.now() - began)} ms`)
    expect(await readingOf(client, asset_id)).toMatchObject(reading)
    expect(passages(client).join('\n')).toContain(words)
    await client.service.close()
    // What was made of it is kept: a lost index needs no soffice.
    rmSync(join(client.service.data_dir, 'passages.db'))
    const again = await start({ data_dir: client.service.data_dir, ingest: of_machine })
    await until(() => passages(again).join('\n').includes(words), undefined, 60_000)
  },
)
