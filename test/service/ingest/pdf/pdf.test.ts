import { createCipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { hasUnnamedLetters } from '../../../../src/service/ingest/pdf/page-text.ts'
import { line, pdfFile, picture } from './pdf-file.ts'

async function read(bytes: Buffer) {
  const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }
  return extractDocument({ filename: 'a.pdf', mime_type: 'application/pdf', bytes }, limits)
}

async function textOf(bytes: Buffer): Promise<string> {
  const found = await read(bytes)
  return 'text' in found ? found.text : `unreadable: ${found.unreadable}`
}

/** What a document says of a page with this content, behind a page of text. */
async function whyOf(content: string, more: Parameters<typeof pdfFile>[1] = []) {
  const found = await read(pdfFile([{ content: line('cover') }, { content }], more))
  return 'reading' in found ? found.reading.why : found
}

const scan = picture(0, 0, 600, 800)
const page_2 = 'page 2 is a picture'

describe('pages that are pictures', () => {
  test('nine of ten', async () => {
    const pages = [{ content: line('typed cover') }, ...Array(9).fill({ content: scan })]
    expect(await read(pdfFile(pages))).toMatchObject({
      text: expect.stringContaining('typed cover'),
      reading: { of: 10, seen: 1, unit: 'page', why: 'pages 2–10 are pictures' },
    })
  })

  test('all of them: no text', async () =>
    expect(await read(pdfFile([{ content: scan }, {}]))).toEqual({
      unreadable: 'it has no text, only pictures',
      has_no_text: true,
      for_programs: [{ kind: 'pdf', page: 1 }],
    }))

  test('a page with nothing on it is seen', async () => expect(await whyOf('')).toBeUndefined())

  const lines = [1, 2, 3].map((at) => line('seven words stand in each of lines', at * 50)).join('')
  const strips = (height: number, gap: number) =>
    Array.from({ length: 40 }, (_, at) => picture(0, at * 20, 600, height - gap)).join('')
  const form = (value: string) => [{ value, stream: scan }]
  const resources = '/Resources<</XObject<</Im 4 0 R>>>>'
  test.each<[string, string, Parameters<typeof pdfFile>[1], string | undefined]>([
    ['with a line of text', scan + line('page 2 of 10'), [], page_2],
    ['behind a line of text', line('page 2 of 10') + scan, [], page_2],
    ['cut into strips', strips(20, 0), [], page_2],
    [
      'cut into tiles',
      strips(20, 0).replaceAll('600 0 0', '300 0 0') + picture(300, 0, 300, 800),
      [],
      page_2,
    ],
    ['turned', 'q 0 800 -600 0 600 0 cm /Im Do Q', [], page_2],
    ['larger than the page', picture(-600, -800, 1800, 2400), [], page_2],
    ['scaled twice', 'q 0.5 0 0 0.5 0 0 cm 1200 0 0 1600 0 0 cm /Im Do Q', [], page_2],
    [
      'in a form',
      '/Fm Do',
      form(`<</Type/XObject/Subtype/Form/BBox[0 0 600 800]${resources}`),
      page_2,
    ],
    [
      'in a pattern',
      '/Pattern cs /P scn 0 0 600 800 re f',
      form(
        `<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600 800]/XStep 600/YStep 800${resources}`,
      ),
      page_2,
    ],
    ['in the content', 'q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x\nEI Q', [], page_2],
    ['small', picture(100, 100, 200, 200), [], undefined],
    [
      'small, some beside each other',
      [0, 1, 2, 3].map((at) => picture(40, at * 200, 300, 100)).join(''),
      [],
      undefined,
    ],
    ['beyond the page', picture(700, 0, 600, 800), [], undefined],
    ['beside many words', scan + lines, [], undefined],
    ['invisible, with its words', scan + lines.replaceAll('BT', 'BT 3 Tr'), [], undefined],
  ])('a picture %s', async (_what, content, more, why) =>
    expect(await whyOf(content, more)).toBe(why),
  )

  test.each([
    ['paints itself', '/Pattern cs /P scn 0 0 9 9 re f', ''],
    ['is painted by what it paints', '/Fm Do', '/Resources<</XObject<</Fm 101 0 R>>>>'],
  ])('a pattern that %s has an end', async (_what, stream, resources) => {
    const dictionary = `<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9`
    const form = '<</Subtype/Form/BBox[0 0 9 9]/Resources<</Pattern<</P 100 0 R>>>>'
    const content = '/Pattern cs /P scn 0 0 600 800 re f'
    const more = [
      { value: dictionary + resources, stream },
      { value: form, stream: content },
    ]
    expect(await whyOf(content + scan, more)).toBe(page_2)
  })

  test('letters that became shapes', async () => {
    const shape = '10 10 m 12 14 16 14 18 10 c 14 8 l h f\n'
    expect(await whyOf(shape.repeat(120))).toBe('page 2 is drawn as shapes')
    expect(await whyOf(shape.repeat(20))).toBeUndefined()
  })
})

const widget = (entries: string) => ({
  value: `<</Type/Annot/Subtype/Widget/Rect[50 600 300 620]${entries}>>`,
})
const form_of = (...widgets: string[]) => {
  const numbers = widgets.map((_, at) => `${100 + at} 0 R`).join(' ')
  return pdfFile(
    [{ content: line('Application'), entries: `/Annots[${numbers}]` }],
    widgets.map(widget),
    `/AcroForm<</Fields[${numbers}]>>`,
  )
}

describe('forms', () => {
  test.each([
    ['a text', '/FT/Tx/T(name)/V(Mustermann Erika)', 'name: Mustermann Erika'],
    [
      'a text with a tooltip',
      '/FT/Tx/T(a.b1)/TU(Full name)/V(Mustermann Erika)',
      'Full name: Mustermann Erika',
    ],
    ['a choice', '/FT/Ch/T(city)/Opt[[(b)(Berlin)][(k)(Kiel)]]/V(k)', 'city: Kiel'],
    [
      'several choices',
      '/FT/Ch/Ff 2097152/T(city)/Opt[(Berlin)(Kiel)]/V[(Berlin)(Kiel)]',
      'city: Berlin, Kiel',
    ],
    [
      'a checked box',
      '/FT/Btn/T(member)/V/Yes/AS/Yes/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>',
      'member: Yes',
    ],
  ])('the value of %s', async (_what, entries, words) =>
    expect(await textOf(form_of(entries))).toBe(`Application\n${words}`),
  )

  test.each([
    ['a password', '/FT/Tx/Ff 8192/T(pin)/V(4711)'],
    [
      'a box that is not checked',
      '/FT/Btn/T(member)/V/Off/AS/Off/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>',
    ],
    ['an empty text', '/FT/Tx/T(name)'],
  ])('nothing of %s', async (_what, entries) =>
    expect(await textOf(form_of(entries))).toBe('Application'),
  )

  test('a field that no page shows, once', async () => {
    const fields = [
      widget('/FT/Tx/T(name)/V(Mustermann Erika)'),
      widget('/FT/Tx/Ff 8192/T(pin)/V(4711)'),
    ]
    const bytes = pdfFile(
      [{ content: line('Application') }],
      fields,
      '/AcroForm<</Fields[100 0 R 101 0 R]>>',
    )
    expect(await textOf(bytes)).toBe('Application\nname: Mustermann Erika')
  })

  test('a form without a word of its own is its values', async () => {
    const fields = [widget('/FT/Tx/T(name)/V(Mustermann Erika)')]
    const bytes = pdfFile(
      [{ entries: '/Annots[100 0 R]' }],
      fields,
      '/AcroForm<</Fields[100 0 R]>>',
    )
    expect(await read(bytes)).toMatchObject({
      text: '\nname: Mustermann Erika',
      reading: { seen: 1 },
    })
  })

  test('a form in XFA, without its passwords', async () => {
    const field = (name: string, ui: string, value: string) =>
      `<field name="${name}" w="60mm" h="9mm"><ui>${ui}</ui><value><text>${value}</text></value></field>`
    const template = `<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form" layout="tb">
<pageSet><pageArea><contentArea w="200mm" h="250mm"/><medium short="210mm" long="297mm"/></pageArea></pageSet>
<draw w="60mm" h="9mm"><value><text>Application</text></value></draw>
${field('name', '<textEdit/>', 'Mustermann Erika')}${field('pin', '<passwordEdit/>', '4711')}</subform></template>`
    const xfa = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">${template}</xdp:xdp>`
    const bytes = pdfFile(
      [{ content: line('Please wait') }],
      [{ value: '<<', stream: xfa }],
      '/NeedsRendering true/AcroForm<</Fields[]/XFA 100 0 R>>',
    )
    const text = await textOf(bytes)
    expect(text.replace(/\s+/g, ' ').trim()).toBe('Application Mustermann Erika')
  })
})

describe('notes', () => {
  const note = (entries: string) => ({ value: `<</Type/Annot/Rect[0 0 9 9]${entries}>>` })
  const withNotes = (notes: string[], more: { value: string; stream: string }[] = []) => {
    const numbers = notes.map((_, at) => `${100 + at} 0 R`).join(' ')
    const pages = [{ content: line('Harbour'), entries: `/Annots[${numbers}]` }]
    return pdfFile(pages, [...notes.map(note), ...more])
  }

  test('are read once each, with their authors; links are no words', async () => {
    const notes = [
      '/Subtype/Text/T(Yrsa)/Contents(check the ropes)/Popup 101 0 R',
      '/Subtype/Popup/Parent 100 0 R',
      '/Subtype/Highlight/Contents(too long)/QuadPoints[0 0 9 0 0 9 9 9]',
      '/Subtype/StrikeOut/QuadPoints[0 0 9 0 0 9 9 9]/RT/Group/IRT 102 0 R',
      '/Subtype/FreeText/DA(/F1 9 Tf)/Contents(typed on the page)',
      '/Subtype/Link/Contents(no)/A<</S/URI/URI(http://example.org)>>',
      '/Subtype/Text/F 2/Contents(hidden)',
      '/Subtype/Text/Contents(check)',
      '/Subtype/Text/Contents(check)',
    ]
    expect(await textOf(withNotes(notes))).toBe(
      'Harbour\n\nYrsa: check the ropes\n\ntoo long\n\ntyped on the page\n\ncheck\n\ncheck',
    )
  })

  const appearance = {
    value: '<</Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</F1 3 0 R>>>>',
    stream: 'BT /F1 9 Tf [(Digitally)-300(sig)-20(ned)] TJ 0 -10 Td (by Erika) Tj ET',
  }
  test.each([
    ['a signature', '/Subtype/Widget/FT/Sig/T(Signature1)', '\nSignature1: '],
    ['a button', '/Subtype/Widget/FT/Btn/Ff 65536/T(Send)', '\nSend: '],
    ['a stamp', '/Subtype/Stamp', '\n\n'],
    ['a video', '/Subtype/RichMedia', '\n\n'],
  ])('the words that only the appearance of %s has', async (_what, entries, label) => {
    const bytes = withNotes([`${entries}/AP<</N 101 0 R>>`], [appearance])
    expect(await textOf(bytes)).toBe(`Harbour${label}Digitally signed\nby Erika`)
  })
})

describe('the text of a page', () => {
  test('a word parted at a line end is joined', async () => {
    const content = line('the har-') + line('bour of E-', 680) + line('Mail', 660)
    expect(await textOf(pdfFile([{ content }]))).toBe('the harbour of E-\nMail')
  })

  test('texts apart from each other are words apart', async () => {
    const content = 'BT /F1 12 Tf 300 700 Td (second) Tj ET BT /F1 12 Tf 50 700 Td (first) Tj ET'
    expect(await textOf(pdfFile([{ content }]))).toMatch(/^second\s+first$/)
  })

  test.each([
    ['\u0001\u0002\u0003 '.repeat(10), true],
    [`${'\ue001\ue002\ufffd '.repeat(10)}and some letters`, true],
    ['\uf0b7 a point\n'.repeat(40), false],
    ['\u0001\u0002', false],
    ['some letters\n', false],
  ])('%j has mostly letters that its font does not name: %s', (text, is_unnamed) =>
    expect(hasUnnamedLetters(text)).toBe(is_unnamed),
  )
})

const broken_page = {
  content: 'x\u009c\u00ff\u00ff\u00ff\u00ff',
  stream_entries: '/Filter/FlateDecode',
}

test('a page that cannot be read does not fail the others', async () => {
  const pages = [{ content: line('first') }, broken_page, { content: line('third') }]
  expect(await read(pdfFile(pages))).toMatchObject({
    text: expect.stringMatching(/first\s+third/),
    reading: { of: 3, seen: 2, why: 'page 2 cannot be read' },
  })
})

test('a portfolio says that it holds other files', async () => {
  const cover = pdfFile([{ content: line('cover') }], [], '/Collection<</View/D>>')
  expect(await read(cover)).toMatchObject({
    reading: { seen: 1, why: 'page 1 holds other files, which are not read' },
  })
  expect(await read(pdfFile([{}], [], '/Collection<</View/D>>'))).toEqual({
    unreadable: 'it has no text, only attached files',
    has_no_text: true,
  })
})

test('a file whose pages are all broken is broken', async () => {
  expect(await read(pdfFile([broken_page, broken_page]))).toEqual({
    unreadable: expect.stringMatching(/^broken/),
  })
})

test('a file that opens without a password is read, another one is refused', async () => {
  const encrypted = readFileSync(join(import.meta.dirname, '..', 'documents', 'encrypted.pdf'))
  expect(await read(encrypted)).toEqual({ unreadable: 'encrypted' })
  const file = pdfFile([{ content: line('Harbour') }]).toString('latin1')
  const trailer = `/Root 1 0 R/ID[<00><00>]/Encrypt<<${withEmptyPassword()}>>`
  const open = Buffer.from(file.replace('/Root 1 0 R', trailer), 'latin1')
  expect(await read(open)).toMatchObject({ text: 'Harbour' })
})

/** Entries of a file that opens with an empty password: Adobe's supplement to PDF 1.7, level 3. */
function withEmptyPassword(): string {
  const salt = Buffer.alloc(8)
  const hash = createHash('sha256').update(salt).digest()
  const cipher = createCipheriv('aes-256-cbc', hash, Buffer.alloc(16)).setAutoPadding(false)
  const user = Buffer.concat([hash, salt, salt]).toString('hex')
  const key = cipher.update(Buffer.alloc(32)).toString('hex')
  const owner = `/O<${'00'.repeat(48)}>/OE<${'00'.repeat(32)}>/P -4/Perms<${'00'.repeat(16)}>`
  const filters = '/CF<</StdCF<</CFM/AESV3/Length 32>>>>/StmF/Identity/StrF/Identity'
  return `/Filter/Standard/V 5/R 5/Length 256/U<${user}>/UE<${key}>${owner}${filters}`
}
