import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import {
  officeParts,
  presentationPart,
  type RelatedPart,
  wordPart,
  workbookPart,
} from '../office-package.ts'
import { type ZipPart, zipOf } from '../zip.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

const part = (kind: string, name: string, content: string, related?: RelatedPart[]) =>
  related ? { kind, name, content, related } : { kind, name, content }

const drawing = (words: string) =>
  `<xdr:wsDr><xdr:sp><a:p><a:t>${words}</a:t></a:p></xdr:sp></xdr:wsDr>`
const chart = (name: string) =>
  part('chart', name, '<c:chart><a:p><a:t>chart</a:t></a:p></c:chart>')

const word = wordPart(
  `<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>main words</w:t></w:r></w:p>
  <w:altChunk r:id="rId8"/>`,
  [
    part('header', 'word/header1.xml', '<w:hdr><w:p><w:r><w:t>top</w:t></w:r></w:p></w:hdr>'),
    part('footer', 'word/footer1.xml', '<w:ftr><w:p><w:r><w:t>foot</w:t></w:r></w:p></w:ftr>'),
    part('footnotes', 'word/footnotes.xml', '<w:footnotes><w:p/></w:footnotes>'),
    part('endnotes', 'word/endnotes.xml', '<w:endnotes><w:p/></w:endnotes>'),
    part('comments', 'word/comments.xml', '<w:comments><w:p/></w:comments>'),
    part('numbering', 'word/numbering.xml', '<w:numbering><w:num w:numId="1"/></w:numbering>'),
    chart('word/charts/chart1.xml'),
    part('aFChunk', 'word/chunk.html', '<html><p>chunk</p></html>'),
    part('styles', 'word/styles.xml', '<w:styles><w:style w:styleId="a"/></w:styles>'),
  ],
)

const remark = {
  xlsx: part(
    'threadedComment',
    'xl/thread1.xml',
    '<ThreadedComments><threadedComment/></ThreadedComments>',
  ),
  xlsm: part('comments', 'xl/comments1.xml', '<comments><comment ref="A1"/></comments>'),
}
const workbook = (kind: keyof typeof remark) =>
  workbookPart({
    rows: `<row><c t="inlineStr"><is><t>main words</t></is></c></row>
    <row><c t="s"><v>0</v></c></row>`,
    strings: '<si><t>shared</t></si>',
    formats: ['0.00'],
    related: [
      remark[kind],
      part('drawing', 'xl/drawings/drawing1.xml', drawing('box'), [chart('xl/charts/chart1.xml')]),
    ],
  })

const slide = (words: string) => `<p:sld><p:sp><a:p><a:t>${words}</a:t></a:p></p:sp></p:sld>`
const presentation = presentationPart([
  { content: slide('main words') },
  {
    content: slide('second'),
    related: [
      chart('ppt/charts/chart1.xml'),
      part(
        'diagramData',
        'ppt/diagrams/data1.xml',
        '<dgm:dataModel><a:t>art</a:t></dgm:dataModel>',
      ),
      part('comments', 'ppt/comments/comment1.xml', '<p:cmLst><p:cm/></p:cmLst>'),
      part('notesSlide', 'ppt/notesSlides/notesSlide1.xml', slide('notes')),
    ],
  },
])

const object = `<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>`
function openDocument(kind: string, body: string): ZipPart[] {
  return [
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: 'content.xml',
      content: `<office:document-content><office:${kind}>${body}</office:${kind}></office:document-content>`,
    },
    {
      name: 'styles.xml',
      content: '<office:document-styles><style:style/></office:document-styles>',
    },
    {
      name: 'META-INF/manifest.xml',
      content: `<manifest:manifest><manifest:file-entry manifest:media-type="application/vnd.oasis.opendocument.${kind}"/></manifest:manifest>`,
    },
    { name: 'Object 1/content.xml', content: '<math><mi>E</mi></math>' },
  ]
}

const book: ZipPart[] = [
  {
    name: 'META-INF/container.xml',
    content: '<container><rootfile full-path="a.opf"/></container>',
  },
  { name: 'META-INF/encryption.xml', content: '<encryption><EncryptedData/></encryption>' },
  {
    name: 'a.opf',
    content:
      '<package><item id="1" href="1.xhtml"/><item id="2" href="2.xhtml"/><itemref idref="1"/><itemref idref="2"/></package>',
  },
  { name: '1.xhtml', content: '<html><body><p>main words</p></body></html>' },
  { name: '2.xhtml', content: '<html><body><p>second</p></body></html>' },
]

/** Parts without words beside the main ones: a document may lack them. */
const silent = /^(mimetype|META-INF|_rels\/\.rels)/
/** Parts that a document cannot do without. */
const main =
  /^(word\/document|xl\/workbook|ppt\/presentation|content|META-INF\/container)\.xml$|opf$/
/** Parts that are searched for a word, and XHTML, which is read as HTML if it breaks off. */
const read_as_text = /^(mimetype|META-INF\/manifest\.xml)$|\.x?html$/
/** Here the words stand that are looked for. */
const words_of = /slide1\.xml$|sheet1\.xml$|^1\.xhtml$/

const documents: Readonly<Record<string, ZipPart[]>> = {
  docx: officeParts(word),
  xlsx: officeParts(workbook('xlsx')),
  xlsm: officeParts(workbook('xlsm')),
  pptx: officeParts(presentation),
  odt: openDocument('text', `<text:p>main words</text:p><text:p>${object}</text:p>`),
  ods: openDocument(
    'spreadsheet',
    `<table:table table:name="A"><table:table-row><table:table-cell><text:p>main words</text:p>${object}</table:table-cell></table:table-row></table:table>`,
  ),
  odp: openDocument('presentation', `<draw:page><text:p>main words</text:p>${object}</draw:page>`),
  epub: book,
}

function breaksOff(one: ZipPart): ZipPart {
  return { ...one, content: `${one.content}`.replace(/<\/[^>]*>$/, '</') }
}

async function read(parts: readonly ZipPart[], kind: string) {
  return await extractDocument(
    { filename: `a.${kind}`, mime_type: '', bytes: zipOf(parts) },
    limits,
  )
}

const cases = Object.entries(documents).flatMap(([kind, parts]) =>
  parts
    .filter(({ name }) => !main.test(name) && !words_of.test(name))
    .map(({ name }) => [kind, name] as const),
)

/** The folder of an object names it where its part is missing. */
const named = (name: string) => expect.stringContaining(name.replace('/content.xml', ''))

describe('a document is read without a part', () => {
  test.each(Object.keys(documents))('%s with all parts is read whole', async (kind) => {
    const found = await read(documents[kind]!, kind)
    expect(found).toMatchObject({ text: expect.stringContaining('main words') })
    expect(found).not.toHaveProperty('reading.why')
  })

  test.each(cases.filter(([, name]) => !read_as_text.test(name)))(
    '%s: that breaks off, %s, and names it',
    async (kind, tried) => {
      const parts = documents[kind]!.map((one) => (one.name === tried ? breaksOff(one) : one))
      expect(await read(parts, kind)).toMatchObject({
        text: expect.stringContaining('main words'),
        // The main part has its usual name.
        reading: tried === '_rels/.rels' ? {} : { why: named(tried) },
      })
    },
  )

  test.each(cases)(
    '%s: that is missing, %s, and names it if another part does',
    async (kind, tried) => {
      const parts = documents[kind]!.filter(({ name }) => name !== tried)
      const is_named = !silent.test(tried) && !/\.rels$|^styles\.xml$/.test(tried)
      expect(await read(parts, kind)).toMatchObject({
        text: expect.stringContaining('main words'),
        reading: is_named ? { why: named(tried) } : {},
      })
    },
  )
})

describe('what every sheet refers to', () => {
  const sheets = (['sharedStrings', 'styles'] as const).map((kind) => [kind] as const)

  test.each(sheets)('is missing on each: %s', async (kind) => {
    const parts = officeParts(workbook('xlsx')).filter(({ name }) => name !== `xl/${kind}.xml`)
    expect(await read(parts, 'xlsx')).toMatchObject({
      reading: { seen: 1, of: 2, why: `sheet 1 is broken (xl/${kind}.xml is missing)` },
    })
  })

  test('a text that no part has is noted', async () => {
    const parts = officeParts(
      workbookPart({ rows: '<row><c><v>1</v></c><c t="s"><v>0</v></c></row>' }),
    )
    expect(await read(parts, 'xlsx')).toMatchObject({
      reading: { why: 'sheet 1 is without some texts of cells' },
    })
  })
})

test.each([
  ['xlsx', 'xl/worksheets/sheet1.xml'],
  ['pptx', 'ppt/slides/slide1.xml'],
])('%s: the words before a fault are read', async (kind, name) => {
  const parts = documents[kind]!.map((one) => (one.name === name ? breaksOff(one) : one))
  expect(await read(parts, kind)).toMatchObject({
    text: expect.stringContaining('main words'),
    reading: { why: expect.stringContaining(`is broken (${name})`) },
  })
})
