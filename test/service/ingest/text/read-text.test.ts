import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { max_passage_length } from '../../../../src/service/ingest/passages/cut-line.ts'
import { splitPassages } from '../../../../src/service/ingest/passages/split-passages.ts'
import { readText } from '../../../../src/service/ingest/text/read-text.ts'

const read = (bytes: Buffer, filename = 'a.txt', mime_type = 'text/plain') =>
  readText({ filename, mime_type, bytes })
const utf16 = (text: string, big = false) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return big ? bytes.swap16() : bytes
}

describe('reading', () => {
  test.each([
    ['UTF-8', Buffer.from('Grüße, 世界')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße, 世界')],
    ['UTF-16, little-endian', utf16('Grüße, 世界')],
    ['UTF-16, big-endian', utf16('Grüße, 世界', true)],
  ])('%s', (_what, bytes) => expect(read(bytes)).toMatchObject({ text: 'Grüße, 世界' }))

  test.each([
    ['Latin-1', Buffer.from('Grüße', 'latin1')],
    ['UTF-16 without a mark', Buffer.from('plain', 'utf16le')],
    ['a PDF without binary parts', Buffer.from('%PDF-1.4\n1 0 obj\n')],
    ['RTF', Buffer.from('{\\rtf1 hello}')],
    ['UTF-16 of an odd length', Buffer.concat([utf16('ab'), Buffer.from([1])])],
    ['half a surrogate pair', utf16('a\ud800b')],
    ['a NUL behind a mark', utf16('a\0b')],
    ['an archive', Buffer.from('PK\u0003\u0004')],
  ])('%s is left to a child process', (_what, bytes) =>
    expect(read(bytes)).toEqual({ needs_child: true }),
  )

  test.each([
    ['the name of a document', 'a.docx', 'text/plain'],
    ['the type of a document', 'a', 'application/pdf; version=1.7'],
    [
      'the name of a document under the type of another program',
      'a.xlsx',
      'application/vnd.ms-excel',
    ],
  ])('so is %s, whatever its content', (_what, filename, mime_type) =>
    expect(read(Buffer.from('text'), filename, mime_type)).toEqual({ needs_child: true }),
  )

  test.each([
    ['NUL bytes', Buffer.from('a\0b'), 'a.txt'],
    ['NUL bytes among others', Buffer.from([0xff, 0, 0, 1, 2, 3, 0xfe, 0xff]), 'a'],
    ['PostScript', Buffer.from('%!PS'), 'a'],
    ['a video', Buffer.from('\0\0\0\x18ftypmp42', 'latin1'), 'a.mp4'],
  ])('not %s', (_what, bytes, filename) =>
    expect(read(bytes, filename)).toHaveProperty('unreadable'),
  )

  test('text that switches its charset is left to a child, and ASCII is read at once', () =>
    expect(
      readText({
        filename: 'a.txt',
        mime_type: 'text/plain',
        bytes: Buffer.from('\x1b$B9A\x1b(B'),
      }),
    ).toEqual({
      needs_child: true,
    }))

  test('text under the types of vendors is text', () => {
    expect(read(Buffer.from('{"a":1}'), 'a', 'application/vnd.api+json')).toMatchObject({
      text: '{"a":1}',
    })
    expect(read(Buffer.from('{"a":1}'), 'a', 'application/vnd.ms-excel')).toMatchObject({
      text: '{"a":1}',
    })
  })

  test('random bytes are read as exactly their text, or not at all', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const bytes = Buffer.from(array)
        const result = read(bytes)
        const has_mark = /^(fffe|feff|efbbbf)/.test(bytes.toString('hex'))
        if (!('text' in result) || has_mark) return
        const text = bytes.toString('latin1').replace(/^\0+|\0+$/g, '')
        expect(Buffer.from(result.text)).toEqual(Buffer.from(text, 'latin1'))
      }),
    )
  })
})

test('a large page of HTML is left to a child process with its time and memory limits; other text is not', async () => {
  const page = Buffer.from('<p>Grüße</p>'.padEnd(1_048_577, '<'))
  const file = { filename: 'a.html', mime_type: 'text/html', bytes: page }
  expect(readText(file)).toEqual({ needs_child: true })
  expect(readText({ ...file, bytes: page.subarray(0, 1_000) })).toMatchObject({
    text: expect.stringMatching(/^Grüße/),
  })
  expect(readText({ ...file, filename: 'a.txt', mime_type: 'text/plain' })).toHaveProperty('text')
  const limits = { unpacked_bytes: 1, text_length: 2_000_000 }
  expect(await extractDocument(file, limits)).toMatchObject({
    text: expect.stringMatching(/^Grüße\n\n<<</),
  })
})

describe('passages', () => {
  const words = fc.array(fc.stringMatching(/^[\p{L}\p{N}.,!?-]{1,30}$/u), { maxLength: 400 })
  const texts = fc
    .tuple(
      words,
      fc.array(fc.constantFrom(' ', '\n', '\n\n', '  \n \n', '\r\n\r\n'), { maxLength: 400 }),
    )
    .map(([list, gaps]) =>
      list.map((word, at) => word + (gaps[at % Math.max(1, gaps.length)] ?? ' ')).join(''),
    )
  const dense = (text: string) => text.replace(/\s+/g, '')

  test('nothing but white space is lost, and no passage is longer than allowed', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 5_000 })), (text) => {
        const passages = [...splitPassages(text)]
        expect(dense(passages.join(''))).toBe(dense(text))
        for (const passage of passages) {
          expect(passage.length).toBeLessThanOrEqual(max_passage_length)
          expect(passage.trim()).not.toBe('')
        }
      }),
    )
  })

  test('a sentence is not cut where there is another place to cut', () => {
    const sentences = Array.from(
      { length: 100 },
      (_, at) => `Sentence number ${at} says that all is well.`,
    )
    const passages = [...splitPassages(sentences.join(' '))]
    for (const sentence of sentences)
      expect(passages.some((passage) => passage.includes(sentence))).toBe(true)
  })

  test('no character is cut in two', () => {
    const passages = [...splitPassages(`a${'😀'.repeat(3_000)}`)]
    for (const passage of passages) expect(passage).not.toMatch(/\p{Surrogate}/u)
  })
})
