import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeStore } from '../../../rig/tree.ts'
import { type Client, put, start, temporaryFolder, until } from '../../fixture.ts'
import { compoundOf } from '../../ingest/mail/compound-writer.ts'
import { filePart, mailOf, textPart } from '../../ingest/mail/mails.ts'
import { officePackage, workbookPart } from '../../ingest/office-package.ts'
import { line, pdfFile, picture } from '../../ingest/pdf/pdf-file.ts'
import { call, makeAccount, makeSlot, startInProcess } from '../../service-process.ts'
import { passages, readingOf, recordOf, send } from './recognised.ts'
import { programs, quick } from './scan.ts'

const page = { content: picture(0, 0, 600, 800) }
const cover = { content: line('The cover says lighthouse.') }
const scan = (pages: number, covers = 0) =>
  pdfFile([...Array(covers).fill(cover), ...Array(pages).fill(page)])

const same = (client: Client) => ({ token: client.token, project_id: client.project_id })

async function seenIs(client: Client, asset_id: string, seen: number): Promise<void> {
  await until(async () => (await readingOf(client, asset_id))?.seen === seen, `${seen} are seen`)
}

test('B-42 a scan behind a cover is ready at once, and its pages come in their places', async () => {
  const gate = join(makeStore(), 'open')
  const tesseract = `[ "$1" = --list-langs ] || until [ -e ${gate} ]; do sleep 0.05; done\n${quick.tesseract}`
  const client = await start({ ingest: programs({ ...quick, tesseract }) })
  const file = pdfFile([cover, page, page, { content: line('The end says seagull.') }])
  const asset_id = await client.upload(file, 'scan.pdf')
  expect(await readingOf(client, asset_id)).toMatchObject({
    of: 4,
    seen: 2,
    why: 'recognition goes on; pages 2–3 are pictures',
  })
  // All other files go on, while a page takes its time.
  await client.upload('A short text.', 'short.txt')
  await client.upload(pdfFile([cover]), 'typed.pdf')
  expect(await readingOf(client, asset_id)).toMatchObject({ seen: 2 })
  writeFileSync(gate, '')
  await seenIs(client, asset_id, 4)
  expect(await readingOf(client, asset_id)).not.toHaveProperty('why')
  expect(passages(client).join(' ').replace(/\s+/g, ' ')).toContain(
    'The cover says lighthouse. lantern2 lantern3 The end says seagull.',
  )
})

test('B-42 a file without any text is ingesting until its first page with words', async () => {
  const empty = `${quick.tesseract}\n[ "$page" = 3 ] || : > "$2.tsv"`
  const gate = join(makeStore(), 'open')
  const pdftoppm = `${quick.pdftoppm}\nuntil [ $page -lt 3 ] || [ -e ${gate} ]; do sleep 0.05; done`
  const client = await start({ ingest: programs({ pdftoppm, tesseract: empty }) })
  const asset_id = await send(client, scan(4), 'scan.pdf')
  const inLine = () =>
    client.service.assets(client.project_id).find((one) => one.asset_id === asset_id)
  await client.upload('A short text.', 'short.txt')
  expect(inLine()?.status).toBe('ingesting')
  writeFileSync(gate, '')
  await until(async () => (await readingOf(client, asset_id))?.why?.includes('and 4') ?? false)
  expect(await readingOf(client, asset_id)).toMatchObject({
    of: 4,
    seen: 1,
    why: 'pages 1–2 and 4 have no words that were recognised',
  })
})

test('B-42 a file fails when no page of it has words, and a blank page counts as seen', async () => {
  const wordless = { ...quick, tesseract: `${quick.tesseract}\n: > "$2.tsv"` }
  const client = await start({ ingest: programs(wordless) })
  const failed = await client.upload(scan(2), 'photos.pdf')
  expect((await recordOf(client, failed)).error).toEqual({
    code: 'publicapi.asset.ingest.no_text',
    humane:
      'The file cannot be read: it has no text: pages 1–2 have no words that were recognised.',
  })
  await client.service.close()
  const pdftoppm = `${quick.pdftoppm}\nprintf 'P5 2 1 255 \\377\\377' > "$1.pgm"`
  const blank = await start({ ingest: programs({ ...wordless, pdftoppm }) })
  const asset_id = await blank.upload(scan(2, 1), 'backs.pdf')
  await seenIs(blank, asset_id, 3)
  const backs = await blank.upload(scan(2), 'backs.pdf')
  expect((await recordOf(blank, backs)).error.humane).toContain('it has no text, only pictures')
})

test('B-42 a blank picture of several in a file counts as seen, and a broken one is named once', async () => {
  const tiff = Buffer.alloc(20)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt32LE(14, 10)
  const tesseract = `case "$*" in
  *page_number=0*tsv) printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\tlantern\\n' > "$2.tsv"; exit;;
  *page_number=1*) : > "$2.tsv"; : > "$2.pdf"; exit;;
esac
${quick.tesseract}`
  const pdftoppm = `${quick.pdftoppm}\nprintf 'P5 2 1 255 \\377\\377' > "$1.pgm"`
  const client = await start({ ingest: programs({ pdftoppm, tesseract }) })
  const asset_id = await client.upload(tiff, 'fax.tif')
  await seenIs(client, asset_id, 2)
  const broken = { ...quick, tesseract: `[ "$1" = --list-langs ] || exit 1\n${quick.tesseract}` }
  const none = await start({ ingest: programs(broken) })
  const failed = await none.upload(tiff.subarray(0, 14), 'photo.tif')
  expect((await recordOf(none, failed)).error.humane).toBe(
    'The file cannot be read: it is broken, or in a form that tesseract does not know.',
  )
})

test('B-42 a page with one short line has its words, though nearly all of it is blank', async () => {
  const pdftoppm = `${quick.pdftoppm}\nprintf 'P5 2 1 255 \\377\\377' > "$1.pgm"`
  const client = await start({ ingest: programs({ ...quick, pdftoppm }) })
  const asset_id = await client.upload(scan(1, 1), 'stamp.pdf')
  await seenIs(client, asset_id, 2)
  expect(passages(client).join(' ')).toContain('lantern')
})

test('B-42 at most 200 pages of a file are recognised, and the others are named', async () => {
  const client = await start({ ingest: programs(quick) })
  const asset_id = await client.upload(scan(209, 1), 'long.pdf')
  expect(await readingOf(client, asset_id)).toMatchObject({
    seen: 1,
    why: 'recognition goes on; pages 2–201 are pictures; pages 202–210 were not recognised: at most 200 pages a file',
  })
})

test('B-42 scans, pictures and old office files within a mail are read like files of their own', async () => {
  const converted = join(makeStore(), 'a.xlsx')
  const rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>heron</t></is></c></row>'
  writeFileSync(converted, officePackage(workbookPart({ rows, related: [] })))
  const soffice = `while [ $# -gt 2 ]; do shift; done\nmkdir "$1"; cp ${converted} "$1/input.xlsx"`
  const client = await start({ ingest: programs({ ...quick, soffice }) })
  const photo = Buffer.from('\x89PNG\r\n\x1a\n.....7', 'latin1')
  const files = [
    filePart('filename=scan.pdf', scan(2, 1)),
    filePart('filename=quay.png', photo),
    filePart('filename=old.xls', compoundOf({ Workbook: Buffer.alloc(4_096) })),
    filePart('filename=scan.pdf.gz', gzipSync(scan(1))),
  ]
  const mail = Buffer.from(mailOf('mixed', [textPart('See the scans.'), ...files]))
  const asset_id = await client.upload(mail, 'a.eml')
  await seenIs(client, asset_id, 5)
  expect(await readingOf(client, asset_id)).toMatchObject({ of: 5, unit: 'attachment' })
  expect(passages(client).join(' ').replace(/\s+/g, ' ')).toMatch(
    /scan\.pdf The cover says lighthouse\. lantern2 lantern3 Attachment: quay\.png lantern7 Attachment: old\.xls .*heron Attachment: scan\.pdf\.gz lantern1/,
  )
})

test('without the programs a mail says which packages its attachments need', async () => {
  const client = await start({ ingest: programs({}) })
  const files = [
    filePart('filename=scan.pdf', scan(1)),
    filePart('filename=old.xls', compoundOf({ Workbook: Buffer.alloc(4_096) })),
  ]
  const mail = Buffer.from(mailOf('mixed', [textPart('See the scans.'), ...files]))
  const reading = await readingOf(client, await client.upload(mail, 'a.eml'))
  expect(reading.why).toBe(
    "the attachment scan.pdf: it has no text, only pictures; the attachment old.xls: in the old format .xls, which only soffice reads; to read more it needs tesseract-ocr and poppler-utils and libreoffice-calc-nogui, not installed on the service's machine",
  )
})

test('each file has its turn: a short one does not wait for the end of a long one', async () => {
  const client = await start({ ingest: programs(quick) })
  const long = await client.upload(scan(40, 1), 'long.pdf')
  const short = await client.upload(scan(2), 'short.pdf')
  await seenIs(client, short, 2)
  expect((await readingOf(client, long)).seen).toBeLessThan(35)
  await seenIs(client, long, 41)
  expect(
    passages(client)
      .join(' ')
      .match(/lantern\d+/g),
  ).toHaveLength(42)
})

test('a program that hangs ends with what it started, and its page is named', async () => {
  const started = join(makeStore(), 'pid')
  const tesseract = `${quick.tesseract}\n[ "$page" = 2 ] || exit 0\nsleep 1000 & echo $! > ${started}; wait`
  const ingest = { ...programs({ ...quick, tesseract }), page_time_ms: 600 }
  const client = await start({ ingest })
  const asset_id = await client.upload(scan(3), 'scan.pdf')
  await seenIs(client, asset_id, 2)
  expect(await readingOf(client, asset_id)).toMatchObject({
    of: 3,
    seen: 2,
    why: 'page 2 was not recognised: it takes longer than 0.6 s',
  })
  await until(() => !isAlive(readFileSync(started, 'utf8').trim()))
})

/** False for a process that has ended, also if nothing has asked for its code. */
function isAlive(pid: string): boolean {
  const status = `/proc/${pid}/status`
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'))
}

test('a program has a private home, no network, one thread and no secrets', async () => {
  const seen = join(makeStore(), 'seen')
  const tesseract = `[ "$1" = --list-langs ] || { env > ${seen}; grep -o '[a-z]*[0-9]*:' /proc/net/dev >> ${seen}; pwd >> ${seen}; }\n${quick.tesseract}`
  const client = await start({ ingest: programs({ ...quick, tesseract }) })
  await client.upload(scan(1), '-r.pdf')
  const home = join(client.service.data_dir, 'programs')
  const lines = readFileSync(seen, 'utf8').trim().split('\n')
  const own = lines.at(-1)!
  expect(own.startsWith(`${home}/run-`)).toBe(true)
  expect(lines).toEqual(
    expect.arrayContaining([`HOME=${own}`, `TMPDIR=${own}`, 'OMP_THREAD_LIMIT=1']),
  )
  const names = lines.map((one) => one.replace(/=.*/, '')).filter((name) => /^[A-Z_]+$/.test(name))
  expect(names.sort()).toEqual(['HOME', 'LC_ALL', 'OMP_THREAD_LIMIT', 'PATH', 'PWD', 'TMPDIR'])
  const has_namespaces = spawnSync('unshare', ['-rn', 'true']).status === 0
  if (has_namespaces) expect(lines.filter((one) => one.endsWith(':'))).toEqual(['lo:'])
  else console.log('the network is not checked: this machine allows no namespaces')
  await until(() => !existsSync(home))
})

test('a removed file ends its work', async () => {
  const runs = join(makeStore(), 'runs')
  const tesseract = `[ "$1" = --list-langs ] || { echo >> ${runs}; sleep 0.2; }\n${quick.tesseract}`
  const client = await start({ ingest: programs({ ...quick, tesseract }) })
  const asset_id = await client.upload(scan(200), 'scan.pdf')
  expect((await client.delete(`/v1/assets/${asset_id}`)).status).toBe(204)
  const next = await client.upload(scan(1), 'next.pdf')
  await seenIs(client, next, 1)
  expect(readFileSync(runs, 'utf8').length).toBeLessThan(10)
})

test('after kill -9 in the middle, recognition goes on at the page in hand', async () => {
  const runs = join(makeStore(), 'runs')
  const gate = join(makeStore(), 'open')
  const tesseract = `${quick.tesseract}\necho "$page" >> ${runs}
[ "$page" = 5 ] && [ ! -e ${gate} ] && sleep 30; exit 0`
  const ingest = programs({ ...quick, tesseract })
  const account = makeAccount()
  const first = await startInProcess(account.data_dir, { ingest })
  const slot = await makeSlot(first, account, 'scan.pdf')
  await put(slot, scan(8))
  const asset = `/v1/assets/${slot.asset_id}`
  await call(`${first.api}${asset}/complete`, account, {})
  const pagesRun = () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : [])
  await until(() => pagesRun().at(-1) === '5', 'the fifth page')
  await until(
    async () => (await call(`${first.api}${asset}`, account)).body.reading?.seen === 4,
    'four are in the index',
  )
  first.child.kill('SIGKILL')
  await once(first.child, 'close')

  writeFileSync(gate, '')
  const { headers, data_dir } = account
  const again = (await start({ data_dir, ingest })).as({
    token: headers['x-api-key']!,
    project_id: headers['x-project-id']!,
  })
  await seenIs(again, slot.asset_id, 8)
  expect(pagesRun()).toEqual(['1', '2', '3', '4', '5', '5', '6', '7', '8'])
  expect(
    passages(again)
      .join(' ')
      .match(/lantern\d/g),
  ).toEqual(Array.from({ length: 8 }, (_, at) => `lantern${at + 1}`))
  // A lost index takes no further recognition.
  await again.service.close()
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(data_dir, `passages.db${end}`), { force: true })
  const third = await start({ data_dir, ingest })
  expect(passages(third).join(' ')).toContain('lantern8')
  expect(pagesRun()).toHaveLength(9)
})

test('B-43 without the programs a file says which package it needs; installed later, they are used', async () => {
  const directory = temporaryFolder()
  const ingest = programs({}, directory)
  const lines: string[] = []
  const client = await start({ ingest, log: (text) => lines.push(text) })
  const failed = await client.upload(scan(2), 'scan.pdf')
  const needs = "needs tesseract-ocr and poppler-utils, not installed on the service's machine"
  expect((await recordOf(client, failed)).error).toEqual({
    code: 'publicapi.asset.ingest.needs_program',
    humane: `The file cannot be read: it ${needs}.`,
  })
  expect(lines).toEqual([`the file scan.pdf (${failed}) failed, it cannot be read: it ${needs}`])
  const in_part = await client.upload(scan(2, 1), 'cover.pdf')
  const found = await readingOf(client, in_part)
  expect(found.why).toBe(`pages 2–3 are pictures; to read more it ${needs}`)
  expect(await client.service.describePrograms()).toBe(
    'does not read scans: install tesseract-ocr and poppler-utils; ' +
      'does not read .xls: install libreoffice-calc-nogui; does not read .ppt: install libreoffice-impress-nogui',
  )
  await client.service.close()

  programs(quick, directory)
  const again = (await start({ data_dir: client.service.data_dir, ingest })).as(same(client))
  await seenIs(again, in_part, 3)
  expect(await readingOf(again, in_part)).not.toHaveProperty('why')
  // A failed asset stays failed: its content is uploaded once more.
  expect((await recordOf(again, failed)).status).toBe('failed')
  await seenIs(again, await again.upload(scan(2), 'scan.pdf'), 2)
  expect(await again.service.describePrograms()).toMatch(
    /^reads scans: tesseract 5\.3\.0 with eng; pdftoppm; does not read \.xls/,
  )
})

test('programs that were removed while a file waited for them: it fails and names them', async () => {
  const directory = temporaryFolder()
  const pdftoppm = `${quick.pdftoppm}\nsleep 30`
  const ingest = programs({ ...quick, pdftoppm }, directory)
  const client = await start({ ingest })
  const asset_id = await send(client, scan(1), 'scan.pdf')
  await until(() => existsSync(join(client.service.data_dir, 'programs')), 'it is drawn')
  await client.service.close()
  rmSync(join(directory, 'tesseract'))
  const again = (await start({ data_dir: client.service.data_dir, ingest })).as(same(client))
  await until(() => again.statusOf(asset_id) === 'failed')
  expect((await recordOf(again, asset_id)).error.code).toBe('publicapi.asset.ingest.needs_program')
})

test('a language that is not installed stops no file for ever: the log names its package', async () => {
  const lines: string[] = []
  const ingest = { ...programs(quick), recognition: 'eng+fra' }
  const client = await start({ ingest, log: (text) => lines.push(text) })
  const asset_id = await send(client, scan(1), 'scan.pdf')
  await until(() => lines.some((text) => text.includes('install tesseract-ocr-fra')))
  expect(client.statusOf(asset_id)).toBe('ingesting')
})

test('without a directory to look in, the programs are missing, not switched off', async () => {
  const client = await start({ ingest: { program_path: 'bin:.' } })
  expect(await client.service.describePrograms()).toContain('does not read scans: install')
})
