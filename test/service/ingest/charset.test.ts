import { describe, expect, test } from 'vitest'
import { charset_names } from '../../../src/config/schema/charset-names.ts'
import { extractDocument } from '../../../src/service/ingest/extract-document.ts'
import { decodeCharset, decodeForeign } from '../../../src/service/ingest/text/charset.ts'
import { samples, sentences } from './charset-samples.ts'

const limits = { unpacked_bytes: 1_000, text_length: 100_000 }

/** Line ends and the last line of a sample are no part of its sentence. */
function sentenceIn(text: string): string {
  return text.normalize('NFC').replace(/\r?\nOK\r?\n$/, '')
}

describe('a text in an old character set', () => {
  test.each(samples)('%s in %s', (language, _charset, hex) => {
    const decoded = decodeForeign(Buffer.from(hex, 'hex'))
    expect(sentenceIn(decoded?.text ?? '')).toBe(sentences[language]?.normalize('NFC'))
  })

  test('few of the samples are in doubt', () => {
    const doubts = samples.filter(([, , hex]) => decodeForeign(Buffer.from(hex, 'hex'))?.doubt)
    expect(doubts.length).toBeLessThan(samples.length / 10)
  })
})

/** The bytes of a text in a charset of one byte a character. */
function encode(text: string, charset: string): Buffer {
  const table = Array.from({ length: 256 }, (_, byte) =>
    decodeCharset(charset, Buffer.from([byte]), { strict: false }),
  )
  return Buffer.from(Array.from(text, (letter) => table.indexOf(letter)))
}

describe('a short text: the common Western reading wins unless the letters speak against it', () => {
  test.each([
    ['Größe', 'windows-1252'],
    ['Größe, façade', 'windows-1252'],
    ['für Müller', 'windows-1252'],
    ['Übergrößenträger', 'windows-1252'],
    ['café', 'windows-1252'],
    ['été à Noël', 'windows-1252'],
    ['manœuvre', 'windows-1252'],
    ['señor', 'windows-1252'],
    ['¿Qué año?', 'windows-1252'],
    ['ação', 'windows-1252'],
    ['città', 'windows-1252'],
    ['smörgås', 'windows-1252'],
    ['blåbær', 'windows-1252'],
    ['geëerd', 'windows-1252'],
    ['Ísland', 'windows-1252'],
    ['25 € für Gäste', 'windows-1252'],
    ['Łódź', 'windows-1250'],
    ['żółw', 'windows-1250'],
    ['příliš', 'windows-1250'],
    ['žluťoučký', 'iso-8859-2'],
    ['účet zítra', 'windows-1250'],
    ['teşekkürler', 'windows-1254'],
    ['İstanbul ağaç', 'windows-1254'],
    ['cám ơn bạn', 'viscii'],
    ['tiếng Việt', 'viscii'],
    ['Größe', 'cp850'],
    ['Não há ações às três da manhã', 'cp860'],
    ['Grüße', 'macintosh'],
    ['mañana', 'macintosh'],
    ['привет', 'windows-1251'],
    ['привет', 'koi8-r'],
    ['привет', 'ibm866'],
    ['καλημέρα', 'windows-1253'],
  ])('%s in %s', (text, charset) => expect(decodeForeign(encode(text, charset))?.text).toBe(text))

  test.each([
    ['proszę', 'windows-1250'],
    ['dziękuję', 'iso-8859-2'],
    ['gyümölcs, szőlő', 'windows-1250'],
  ])('%s in %s is a word of another language in another one: in doubt', (text, charset) =>
    expect(decodeForeign(encode(text, charset))?.doubt).toMatch(/^its character set is not/),
  )

  test('a text of many words in one Western language has no doubt', () => {
    const french = 'La réunion est annulée à cause de la grève, le garçon a été prévenu très tôt.'
    expect(decodeForeign(encode(french, 'windows-1252'))).toEqual({ text: french })
  })
})

describe('doubt', () => {
  const italian = Buffer.from('citt\xe0', 'latin1')
  const german = Buffer.from('Gr\xf6\xdfe und Stra\xdfe', 'latin1')

  async function readingOf(bytes: Buffer, mime_type = 'text/plain') {
    const read = await extractDocument({ filename: 'a.txt', mime_type, bytes }, limits)
    return 'reading' in read ? { text: read.text, ...read.reading } : read
  }

  test('two near character sets: the record says it, and the file counts as read', async () =>
    expect(await readingOf(italian)).toMatchObject({
      text: 'città',
      of: 1,
      seen: 1,
      why: expect.stringMatching(/^its character set is not certain: read as /),
    }))

  test.each([
    ['six characters of Japanese', 'c6fcb7eeb2d0bfe5cddaa4ce'],
    ['six characters of Chinese', 'c4e3bac3cac0bde7c5f3d3d1'],
    ['a word of Cyrillic', 'cff0e8e2e5f2'],
  ])('a few letters of another script: %s', (_what, hex) =>
    expect(decodeForeign(Buffer.from(hex, 'hex'))?.doubt).toMatch(/^its character set is not/),
  )

  test('none where the letters decide', async () =>
    expect(await readingOf(german)).toEqual({
      ...{ text: 'Größe und Straße', of: 1, seen: 1, unit: 'part' },
      text_md5: expect.any(String),
    }))

  test('UTF-8 with a few broken bytes is read, and says how many', async () => {
    const log = Buffer.concat([Buffer.from('Grüße '.repeat(20)), Buffer.from([0xff, 0x0a])])
    expect(await readingOf(log)).toMatchObject({
      text: expect.stringMatching(/^Grüße Grüße .*\ufffd\n$/),
      why: '1 of its characters is broken (UTF-8)',
    })
  })

  test('a text that is damaged throughout, or no text, is refused', () => {
    expect(decodeForeign(Buffer.from('80ff81fe82fd83fc', 'hex'))).toBeUndefined()
    expect(decodeForeign(Buffer.alloc(1_000, 0xff))).toBeUndefined()
  })
})

test('the charset that a page names wins, unless its bytes are invalid there', async () => {
  const page = (charset: string, text: Buffer) =>
    Buffer.concat([Buffer.from(`<html><meta charset="${charset}"><p>`), text])
  const text = async (bytes: Buffer) => {
    const file = { filename: 'a.html', mime_type: 'text/html', bytes }
    const read = await extractDocument(file, limits)
    return 'text' in read ? read.text : read
  }
  expect(await text(page('cp850', Buffer.from([0x81])))).toBe('ü')
  expect(await text(page('windows-1251', Buffer.from('cff0e8', 'hex')))).toBe('При')
  expect(await text(page('shift_jis', Buffer.from('Gr\xf6\xdfe', 'latin1')))).toBe('Größe')
  expect(await text(page('no-such-charset', Buffer.from('Gr\xf6\xdfe', 'latin1')))).toBe('Größe')
})

test('B-39 the media type names a charset, which UTF-8 and the page itself overrule', async () => {
  const text = async (bytes: string, charset: string) => {
    const mime_type = `text/plain; charset=${charset}`
    const file = { filename: 'a.txt', mime_type, bytes: Buffer.from(bytes, 'latin1') }
    const read = await extractDocument(file, limits)
    return 'text' in read ? read.text : read
  }
  expect(await text('\x81', 'cp850')).toBe('ü')
  expect(await text('\x81', '"IBM850"')).toBe('ü')
  expect(await text('Reuni\x97n', 'macintosh')).toBe('Reunión')
  expect(await text('Gr\xc3\xb6\xc3\x9fe', 'cp850')).toBe('Größe')
  expect(await text('Gr\xf6\xdfe', 'no-such-charset')).toBe('Größe')
})

test('half a character of an HTML entity is replaced', async () => {
  const bytes = Buffer.from('<p>a&#xD800;b')
  const file = { filename: 'a.html', mime_type: 'text/html', bytes }
  expect(await extractDocument(file, limits)).toMatchObject({ text: 'a\ufffdb' })
})

test('a large file of an old character set takes little time', () => {
  const began = performance.now()
  decodeForeign(Buffer.alloc(8_000_000, 'Größe und Straße. ', 'latin1'))
  decodeForeign(Buffer.alloc(400_000, 0xc4))
  expect(performance.now() - began).toBeLessThan(10_000)
})

test.each(charset_names)('%s, which a folder may name, is known here', (name) =>
  expect(decodeCharset(name, Buffer.from('abc'), { strict: true })).toBe('abc'),
)
