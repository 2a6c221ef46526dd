import { expect, test } from 'vitest'
import { extractDocument } from '../../../src/service/ingest/extract-document.ts'
import { compoundOf } from './mail/compound-writer.ts'

const limits = { unpacked_bytes: 1_000_000, text_length: 100_000 }
const named = { filename: 'a', mime_type: '' }
const read = (bytes: Buffer, done: readonly object[] = [], goes_on = true) =>
  extractDocument({ ...named, bytes, recognition: { done: done as never, goes_on } }, limits)

/** A TIFF file with empty directories, the last of which points to `last`. */
function tiff(pages: number, last = 0, is_little = true): Buffer {
  const bytes = Buffer.alloc(8 + 6 * pages)
  bytes.write(is_little ? 'II*\0' : 'MM\0*', 'latin1')
  const point = (at: number, to: number) =>
    is_little ? bytes.writeUInt32LE(to, at) : bytes.writeUInt32BE(to, at)
  point(4, 8)
  for (let page = 0; page < pages; page++)
    point(10 + 6 * page, page + 1 < pages ? 14 + 6 * page : last)
  return bytes
}

const bmp = Buffer.alloc(60)
bmp.write('BM')
bmp.writeUInt32LE(40, 14)

test.each([
  ['png', Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1'), 1],
  ['jpeg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 1],
  ['webp', Buffer.from('RIFF....WEBP'), 1],
  ['bmp', bmp, 1],
  ['tiff', tiff(1), 1],
  ['tiff of three pages', tiff(3), 3],
  ['tiff, high bytes first', tiff(2, 0, false), 2],
  ['tiff in a ring', tiff(2, 8), 2],
  ['tiff that ends early', tiff(3).subarray(0, 15), 1],
])('each page of a picture is for programs: %s', async (_what, bytes, count) => {
  const pages = Array.from({ length: count }, (_, at) => at + 1)
  expect(await read(bytes)).toEqual({
    unreadable: 'the service does not read this kind of file',
    for_programs: pages.map((page) => ({ kind: 'picture', page })),
  })
})

test.each(['BM is a company', 'BMW', 'RIFF and WEBP', 'II* 42'])(
  'a text is no picture: %s',
  async (text) => expect(await read(Buffer.from(text))).toMatchObject({ text }),
)

test.each(['a.heic', 'a.avif', 'a.jp2', 'a.gif'])(
  'a picture that no program reads is of that kind: %s',
  async (filename) =>
    expect(
      await extractDocument({ filename, mime_type: '', bytes: Buffer.from('\0\x01\xff') }, limits),
    ).toEqual({ unreadable: 'the service does not read this kind of file' }),
)

test('the words of the pages of a picture, and why one has none', async () => {
  const fault = 'was not recognised: it takes longer than 20 s'
  const done = [
    { page: 1, words: 'The heron', fault: null },
    { page: 2, words: '', fault: null },
    { page: 3, words: '', fault },
  ]
  expect(await read(tiff(4), done)).toMatchObject({
    text: 'The heron\n\n\n\n\n\n',
    reading: { of: 4, seen: 2, unit: 'page', why: `page 3 ${fault}; page 4 is a picture` },
    for_programs: [{ kind: 'picture', page: 4 }],
  })
})

test('an animation without words has no text, which says nothing about its kind', async () => {
  const done = [{ page: 1, words: '', fault: 'has no words that were recognised' }]
  expect(await read(tiff(1), done)).toEqual({
    unreadable: 'it has no words that were recognised',
    has_no_text: true,
  })
})

test('at most 200 pages of a file are recognised', async () => {
  const found = await read(tiff(300), [{ page: 1, words: 'The heron', fault: null }])
  expect(found.for_programs).toHaveLength(199)
  expect(found).toMatchObject({
    reading: {
      seen: 1,
      why: 'pages 2–200 are pictures; pages 201–300 were not recognised: at most 200 pages a file',
    },
  })
  // Without programs, none of them will be.
  expect(
    await read(tiff(300), [{ page: 1, words: 'The heron', fault: null }], false),
  ).toMatchObject({
    reading: { why: 'pages 2–300 are pictures' },
  })
})

test.each([
  ['a workbook', ['Workbook'], 'xls'],
  ['a workbook of Excel 95', ['Book'], 'xls'],
  ['slides', ['Current User', 'PowerPoint Document'], 'ppt'],
  ['a Word document with a workbook in it', ['WordDocument', 'Workbook'], undefined],
  ['an encrypted file', ['EncryptedPackage'], undefined],
])('an old office file for soffice: %s', async (_what, names, kind) => {
  const streams = names.map((name) => [name, Buffer.alloc(4_096)])
  const found = await read(compoundOf(Object.fromEntries(streams)))
  expect(found).toHaveProperty('unreadable')
  expect(found.for_programs).toEqual(kind && [{ kind, page: 1 }])
})
