import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../src/service/ingest/extract-document.ts'
import type { Unreadable } from '../../../src/service/ingest/extract-limits.ts'
import { wordDocument, zipOf } from './zip.ts'

const folder = join(import.meta.dirname, 'documents')
const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

/** The text of a file, or why it is unreadable. */
async function extract(
  bytes: Buffer,
  filename = 'a.bin',
  mime_type = 'application/octet-stream',
): Promise<{ text: string } | Unreadable> {
  const read = await extractDocument({ filename, mime_type, bytes }, limits)
  return 'text' in read ? { text: read.text } : read
}

async function textOf(bytes: Buffer): Promise<string> {
  const read = await extract(bytes)
  return 'text' in read ? read.text.replace(/\s+/g, ' ').trim() : `unreadable: ${read.unreadable}`
}

const documents = readdirSync(folder).filter((name) =>
  /^(harbour|office)\.(pdf|docx|xlsx|pptx|od[tsp]|rtf|epub)$/.test(name),
)

test.each(documents)('%s is read whole, in its order, without its markup', async (name) => {
  const text = await textOf(readFileSync(join(folder, name)))
  const is_prose = !/\.(xlsx|ods|pptx|odp)$/.test(name)
  expect(text).toContain('is trimmed by Yrsa Holm at a quarter past four.')
  expect(text).not.toMatch(/[<>{}\\]|urn:|http/)
  if (!is_prose) return
  expect(text).toContain('the ropes were counted and nobody had anything to add. Größe, façade')
  expect(text).toMatch(/On day 20 .*Yrsa Holm.*On day 21 .*seven.*Kittiwake.*On day 23 /)
  expect(text.match(/On day/g)).toHaveLength(40)
})

describe('word documents', () => {
  test.each([
    ['<w:p><w:r><w:t>One</w:t></w:r></w:p><w:p><w:r><w:t>Two</w:t></w:r></w:p>', 'One\n\nTwo'],
    [
      '<w:p><w:t>a</w:t><w:delText>gone</w:delText><w:instrText>PAGE</w:instrText><w:br/><w:t>b</w:t></w:p>',
      'a\nb',
    ],
    ['<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:t>a</w:t><w:tab/><w:t>b</w:t></w:p>', 'a\tb'],
    [
      '<w:tbl><w:tr><w:tc><w:p><w:t>1</w:t></w:p></w:tc><w:tc><w:p><w:t>2</w:t></w:p></w:tc></w:tr></w:tbl>',
      '1\t2\n',
    ],
    ['<mc:Choice><w:t>once</w:t></mc:Choice><mc:Fallback><w:t>once</w:t></mc:Fallback>', 'once'],
    [
      '<a xmlns:b="u"><mc:Choice Requires="b"><w:t>no</w:t></mc:Choice><mc:Fallback><w:t>older</w:t></mc:Fallback></a>',
      'older',
    ],
    [
      '<a xmlns:b="http://schemas.microsoft.com/b"><mc:Choice Requires="b"><w:t>new</w:t></mc:Choice><mc:Fallback><w:t>older</w:t></mc:Fallback></a>',
      'new',
    ],
    [
      '<mc:AlternateContent><mc:Choice Requires="b"/><mc:Choice Requires="c"/><mc:Fallback><w:t>older</w:t></mc:Fallback></mc:AlternateContent>',
      'older',
    ],
    ['<w:t>&lt;tag&gt; &amp; &#228;</w:t>', '<tag> & ä'],
    [
      '<w:constructor/><w:toString>x</w:toString><w:t __proto__="x">names of JavaScript</w:t>',
      'names of JavaScript',
    ],
    [
      `<v:shape o:gfxdata="${'A'.repeat(300_000)}"/><!--${'A'.repeat(300_000)}--><w:t>behind a picture</w:t>`,
      'behind a picture',
    ],
  ])('%#', async (body, text) => expect(await extract(wordDocument(body))).toEqual({ text }))
})

test.each<[string, Buffer, string]>([
  [
    'as Word in the browser names its part',
    zipOf([
      { name: 'word/document2.xml', content: '<w:document><w:t>saved there</w:t></w:document>' },
    ]),
    'saved there',
  ],
  [
    'in Latin-1, and says so',
    wordDocumentOf(
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><w:t>Größe</w:t>', 'latin1'),
    ),
    'Größe',
  ],
  [
    'in UTF-8 that calls itself UTF-16',
    wordDocumentOf(Buffer.from('<?xml version="1.0" encoding="UTF-16"?><w:t>Größe</w:t>')),
    'Größe',
  ],
])('a word document %s', async (_what, bytes, text) => expect(await textOf(bytes)).toBe(text))

function wordDocumentOf(content: Buffer): Buffer {
  return zipOf([{ name: 'word/document.xml', content }])
}

test('sheets and slides are read in the order of their numbers, whatever their names', async () => {
  const part = (folder: string) => (name: string) => ({
    name: `${folder}/${name}.xml`,
    content: `<x><row><c t="inlineStr"><t>${name}</t></c></row></x>`,
  })
  const relations = { name: 'xl/worksheets/_rels/sheet2.xml.rels', content: '<x/>' }
  const sheets = ['sheet10', 'Data', 'sheet2'].map(part('xl/worksheets'))
  const workbook = zipOf([
    { name: 'xl/workbook.xml', content: '<workbook/>' },
    relations,
    ...sheets,
  ])
  expect(await textOf(workbook)).toBe('Data sheet2 sheet10')
  const slides = ['slide10', 'opening', 'slide2'].map(part('ppt/slides'))
  const presentation = zipOf([{ name: 'ppt/presentation.xml', content: '<x/>' }, ...slides])
  expect(await textOf(presentation)).toBe('opening slide2 slide10')
})

test('a PDF behind other lines is read, as readers do, when its name ends in .pdf', async () => {
  const pdf = Buffer.concat([
    Buffer.from('\nsent by a printer\n'),
    readFileSync(join(folder, 'harbour.pdf')),
  ])
  expect(await extract(pdf, 'a.pdf')).toEqual({ text: expect.stringContaining('Yrsa Holm') })
  expect(await extract(Buffer.from('of the mark %PDF-1.7'), 'a.txt')).toEqual({
    text: 'of the mark %PDF-1.7',
  })
})

describe('RTF', () => {
  test.each([
    [String.raw`{\rtf1\ansi\ansicpg1252 Gr\'fc\'dfe\par next}`, 'Grüße\n\nnext'],
    [String.raw`{\rtf1\ansi\ansicpg932 \'93\'fa\'96\'7b}`, '日本'],
    [String.raw`{\rtf1\uc1 \u26085?\u26412 ?\u-3913 ?x}`, `日本\uf0b7x`],
    [String.raw`{\rtf1\uc2 \u228\'e4\'e4z{\uc0\u228 q}\u228??z}`, 'äzäqäz'],
    [
      String.raw`{\rtf1{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}{\f1 \'cf\'f0\'e8} \f0 a}`,
      'При a',
    ],
    [String.raw`{\rtf1{\*\unknown hidden}{\info{\title no}}{\pict 0102}shown\{\}\\}`, 'shown{}\\'],
    [String.raw`{\rtf1 a\bin4 }}}}b}`, 'ab'],
    [String.raw`{\rtf1 a\constructor\toString b}`, 'ab'],
  ])('%s', async (rtf, text) => expect(await extract(Buffer.from(rtf, 'latin1'))).toEqual({ text }))
})

describe('character sets', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const german =
    'Die Straße ist für alle Gäste gesperrt, auch für Fußgänger und für die Fähre über den Fluß.'
  test.each<[string, Buffer, string]>([
    ['windows-1252', Buffer.from(german, 'latin1'), german],
    ['a few words of windows-1252', Buffer.from('Grüße an alle', 'latin1'), 'Grüße an alle'],
    [
      'windows-1252 quotes',
      Buffer.from([0x93, ...Buffer.from('quoted text'), 0x94, 0x20, 0x80]),
      '“quoted text” €',
    ],
    ['UTF-16 without a mark', utf16('plain text'), 'plain text'],
    ['UTF-16 without a mark, big-endian', utf16('plain text').swap16(), 'plain text'],
    [
      'Shift_JIS',
      Buffer.from(
        '93fa967b8cea82cc83658358836782c582b7814282b182ea82cd95b68e9a89bb82af82b582dc82b982f18142',
        'hex',
      ),
      '日本語のテストです。これは文字化けしません。',
    ],
    [
      'a list of few words in Shift_JIS',
      Buffer.from(
        '4e6f2c956996bc2c909497ca0a312c82e882f182b22c31300a322c82dd82a982f12c32300a',
        'hex',
      ),
      'No,品名,数量\n1,りんご,10\n2,みかん,20\n',
    ],
    [
      'ISO-2022-JP',
      Buffer.from('\x1b$B9A$NLg$O6e;~$KJD$^$j$^$9!#\x1b(B', 'latin1'),
      '港の門は九時に閉まります。',
    ],
    [
      'KOI8-R',
      Buffer.from(
        'f0d2c9d7c5d420cdc9d22e20fcd4cf20d4c5cbd3d420ceC120d2d5d3d3cbcfcd20d1dad9cbc52e',
        'hex',
      ),
      'Привет мир. Это текст на русском языке.',
    ],
  ])('%s', async (_what, bytes, text) =>
    expect(await extract(bytes, 'a.txt', 'text/plain')).toEqual({ text }),
  )

  test('a page of HTML names its own', async () => {
    const page = Buffer.concat([
      Buffer.from('<html><head><meta charset="windows-1251"></head><p>'),
      Buffer.from('cff0e8', 'hex'),
      Buffer.from('</p>'),
    ])
    expect(await extract(page, 'a.html', 'text/html')).toEqual({ text: 'При' })
  })

  test.each(['00010203', '0001000200030004', '4142ff00'])(
    'these bytes are no text: %s',
    async (hex) =>
      expect(await extract(Buffer.from(hex, 'hex'), 'a.txt', 'text/plain')).toHaveProperty(
        'unreadable',
      ),
  )

  test('bytes that are no text are not read as text', () => {
    const not_text = fc.uint8Array({ minLength: 200, maxLength: 400 })
    return fc.assert(
      fc.asyncProperty(not_text, async (array) => {
        expect(await extract(Buffer.from(array), 'a.txt', 'text/plain')).toHaveProperty(
          'unreadable',
        )
      }),
    )
  })
})

const entities = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`
const chapters = (encryption: string) =>
  zipOf([
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfile full-path="x/book.opf"/></container>',
    },
    {
      name: 'META-INF/encryption.xml',
      content: `<encryption><CipherReference URI="${encryption}"/></encryption>`,
    },
    {
      name: 'x/book.opf',
      content:
        '<package><item id="1" href="one%20a.xhtml"/><itemref idref="1"/><itemref idref="none"/></package>',
    },
    { name: 'x/one a.xhtml', content: '<p>Chapter one</p>' },
  ])

describe('e-books', () => {
  test('encrypted fonts do not matter', async () =>
    expect(await textOf(chapters('x/font.otf'))).toBe('Chapter one'))
  test.each([
    ['100%.xhtml', '100%.xhtml'],
    ['one%20a.xhtml#top', 'one a.xhtml'],
  ])('a chapter at %s', async (href, name) => {
    const book = zipOf([
      { name: 'META-INF/container.xml', content: '<c><rootfile full-path="p.opf"/></c>' },
      { name: 'p.opf', content: `<p><item id="a" href="${href}"/><itemref idref="a"/></p>` },
      {
        name,
        content: Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><p>Größe</p>', 'latin1'),
      },
    ])
    expect(await textOf(book)).toBe('Größe')
  })
  test('of several chapters are parts, and their table of contents is not doubled', async () => {
    const page = (title: string, body: string) =>
      `<html><head><title>Book</title></head><body><h1>${title}</h1>${body}</body></html>`
    const items = ['cover', 'nav', 'one', 'two'].map(
      (name) => `<item id="${name}" href="${name}.xhtml" properties="${name}"/>`,
    )
    const spine = ['cover', 'nav', 'one', 'two'].map((name) => `<itemref idref="${name}"/>`)
    const book = zipOf([
      { name: 'META-INF/container.xml', content: '<c><rootfile full-path="p.opf"/></c>' },
      { name: 'p.opf', content: `<package>${items.join('')}${spine.join('')}</package>` },
      { name: 'cover.xhtml', content: '<body><img src="cover.jpg"/></body>' },
      { name: 'nav.xhtml', content: page('Contents', '<nav><ol><li>Tides</li></ol></nav>') },
      { name: 'one.xhtml', content: page('Tides', '<table><tr><td/><td>12:30</td></tr></table>') },
      { name: 'two.xhtml', content: page('Berths', '<p>Two of them.</p>') },
    ])
    const read = await extractDocument({ filename: 'a', mime_type: '', bytes: book }, limits)
    expect(read).toMatchObject({ reading: { of: 3, seen: 2, why: 'part 1 is a picture' } })
    expect(read).toHaveProperty(
      'text',
      'Book\n\nTides\n\n\t12:30\n\n\nBook\n\nBerths\n\nTwo of them.',
    )
  })
  test('encrypted chapters make it unreadable', async () =>
    expect(await extract(chapters('x/one%20a.xhtml'))).toEqual({ unreadable: 'encrypted' }))
})

describe('files that end failed', () => {
  const bomb = '<w:p/>'.padEnd(5_000_000)
  test.each<[string, Buffer, RegExp]>([
    ['a ZIP bomb', wordDocument(bomb), /^it unpacks to more than 4\.0 MB$/],
    [
      'a ZIP bomb that lies about its size',
      wordDocument(bomb, { said_bytes: 1_000 }),
      /^broken: too many bytes/,
    ],
    [
      'too much text',
      wordDocument(`<w:t>${'x'.repeat(1_500_000)}</w:t>`),
      /^it has more than 1000000 characters/,
    ],
    [
      'a bomb of XML entities',
      wordDocument('<w:t>&b;</w:t>', {}, entities),
      /^broken: XML that declares entities$/,
    ],
    ['an undeclared entity', wordDocument('<w:t>&b;</w:t>'), /^broken: XML/],
    ['broken XML', wordDocument('<w:t>'), /^broken: XML/],
    ['an encrypted part', wordDocument('', { flags: 1 }), /^encrypted$/],
    ['a broken archive', wordDocument('<w:t>text</w:t>').subarray(0, 60), /^broken:/],
    [
      'an archive of something else',
      zipOf([{ name: 'a.txt', content: 'a' }]),
      /^the service does not read this kind of file$/,
    ],
    [
      'an encrypted OpenDocument',
      zipOf([
        { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
        { name: 'META-INF/manifest.xml', content: '<manifest:encryption-data/>' },
        { name: 'content.xml', content: 'noise' },
      ]),
      /^encrypted$/,
    ],
    ['an encrypted PDF', readFileSync(join(folder, 'encrypted.pdf')), /^encrypted$/],
    ['half a PDF', readFileSync(join(folder, 'harbour.pdf')).subarray(0, 20_000), /./],
    ['a PDF of nothing', Buffer.from('%PDF-1.7\n'), /^broken:/],
    [
      'an office file of old without its header',
      Buffer.from('d0cf11e0a1b11ae10000', 'hex'),
      /^broken: a compound file/,
    ],
  ])('%s', async (_what, bytes, reason) =>
    expect(await extract(bytes)).toEqual({ unreadable: expect.stringMatching(reason) }),
  )

  test('bytes that are no text under the name of a document end failed', async () =>
    expect(await extract(Buffer.from('a\0b\x01'), 'a.docx')).toEqual({
      unreadable: 'it is not text in a known character set',
    }))
})

test('damaged documents are read or refused, and nothing else happens', () => {
  const originals = documents
    .filter((name) => !name.endsWith('.pdf'))
    .map((name) => readFileSync(join(folder, name)))
  const damage = fc.record({
    original: fc.constantFrom(...originals),
    cut: fc.double({ min: 0.05, max: 1, noNaN: true }),
    at: fc.array(
      fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
      {
        maxLength: 8,
      },
    ),
  })
  return fc.assert(
    fc.asyncProperty(damage, async ({ original, cut, at }) => {
      const bytes = Buffer.from(original.subarray(0, Math.ceil(original.length * cut)))
      for (const [place, byte] of at) bytes[Math.floor(place * bytes.length)] = byte
      const read = await extract(bytes)
      expect('text' in read || read.unreadable !== '').toBe(true)
    }),
    { numRuns: 200 },
  )
})
