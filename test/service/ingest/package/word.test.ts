import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { officePackage, officeParts, type RelatedPart, wordPart } from '../office-package.ts'
import { zipOf } from '../zip.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

async function read(bytes: Buffer, filename = 'a.docx') {
  return await extractDocument({ filename, mime_type: '', bytes }, limits)
}

async function readBody(body: string, related?: readonly RelatedPart[]) {
  return await read(officePackage(wordPart(body, related)))
}

/** The lines of a document that are not empty. */
async function linesOf(body: string, related?: readonly RelatedPart[]): Promise<string[]> {
  const found = await readBody(body, related)
  return 'text' in found ? found.text.split(/\n+/).filter(Boolean) : [found.unreadable]
}

const run = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`
const paragraph = (words: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr>${run(words)}</w:p>`
const part = (kind: string, content: string, name = `word/${kind}.xml`): RelatedPart => ({
  kind,
  name,
  content,
})

describe('paragraphs', () => {
  test.each<[string, string, string[]]>([
    [
      'without text that moved away',
      `<w:moveFrom>${run('from here')}</w:moveFrom><w:moveTo>${run('to here')}</w:moveTo>`,
      ['to here'],
    ],
    [
      'without deleted text',
      `<w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r>${run('old')}</w:del>`,
      ['new'],
    ],
    [
      'that go on where their mark is deleted',
      paragraph('one', '<w:rPr><w:del/></w:rPr>') + paragraph('two'),
      ['one two'],
    ],
    [
      'with results of fields, and without their codes',
      '<w:p><w:fldChar w:fldCharType="begin"/><w:instrText>IF</w:instrText><w:t>code</w:t><w:fldChar w:fldCharType="separate"/><w:t>result</w:t><w:fldChar w:fldCharType="end"/></w:p>',
      ['result'],
    ],
    [
      'behind a field that never ends',
      `<w:p><w:fldChar w:fldCharType="begin"/></w:p>${paragraph('shown')}`,
      ['shown'],
    ],
    [
      'with the boxes and lists of forms',
      '<w:p><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/><w:ffData><w:checkBox/></w:ffData><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData></w:p>',
      ['☒☐blue'],
    ],
    [
      'with WordArt',
      '<w:p><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:p>',
      ['DRAFT'],
    ],
    [
      'with symbols',
      '<w:p><w:sym w:font="Symbol" w:char="F062"/><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Wingdings" w:char="F001"/><w:sym w:font="Arial" w:char="00A7"/></w:p>',
      ['β☑§'],
    ],
    [
      'with hyphens',
      '<w:p><w:t>op</w:t><w:softHyphen/><w:t>tional</w:t><w:noBreakHyphen/><w:t>x</w:t></w:p>',
      ['optional-x'],
    ],
    [
      'with formulas',
      '<w:p><m:f><m:num><m:t>a</m:t></m:num><m:den><m:t>b</m:t></m:den></m:f><m:sSup><m:e><m:t>x</m:t></m:e><m:sup><m:t>2</m:t></m:sup></m:sSup></w:p>',
      ['a/bx^2'],
    ],
    [
      'of text boxes, once',
      `<w:p>${run('above')}<mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph('boxed')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${paragraph('boxed')}</w:txbxContent></mc:Fallback></mc:AlternateContent>${run(' it')}</w:p>`,
      ['above it', 'boxed'],
    ],
    [
      'with a large first letter',
      paragraph('D', '<w:framePr w:dropCap="drop"/>') + paragraph('rop'),
      ['Drop'],
    ],
  ])('%s', async (_what, body, lines) => expect(await linesOf(body)).toEqual(lines))

  test('with alternative texts, but not with the names of files', async () => {
    const picture = (words: string) =>
      `<w:p>${run('seen')}<w:drawing><wp:docPr name="Picture 1" descr="${words}"/></w:drawing></w:p>`
    expect(await linesOf(picture('The pier at night'))).toEqual([
      'seen',
      'Picture: The pier at night',
    ])
    expect(await linesOf(picture('pier.png'))).toEqual(['seen'])
  })
})

describe('tables', () => {
  const cell = (content: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
  const table = (...rows: string[]) =>
    `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`
  const header = ['Name', 'Deputy', 'Pay'].map((words) => cell(paragraph(words))).join('')

  test.each<[string, string, string[]]>([
    [
      'with an empty cell',
      cell(paragraph('Anna')) + cell('<w:p/>') + cell(paragraph('5000')),
      ['Anna\t\t5000'],
    ],
    [
      'with a cell that spans two columns',
      cell(paragraph('Anna'), '<w:gridSpan w:val="2"/>') + cell(paragraph('5000')),
      ['Anna\t\t5000'],
    ],
    [
      'with a cell below another one',
      cell('<w:p/>', '<w:vMerge/>') + cell(paragraph('Berta')),
      ['\tBerta'],
    ],
    [
      'with a row that begins late',
      `<w:trPr><w:gridBefore w:val="2"/></w:trPr>${cell(paragraph('5000'))}`,
      ['\t\t5000'],
    ],
    ['with a deleted row', `<w:trPr><w:del/></w:trPr>${cell(paragraph('gone'))}`, []],
    [
      'with a table in a cell',
      cell(
        paragraph('Anna') +
          table(cell(paragraph('x')) + cell('<w:p/>') + cell(paragraph('z'))) +
          '<w:p/>',
      ) + cell(paragraph('Berta')),
      ['Anna x, , z\tBerta'],
    ],
  ])('%s', async (_what, row, lines) =>
    expect(await linesOf(table(header, row))).toEqual(['Name\tDeputy\tPay', ...lines]),
  )

  test('name their header', async () => {
    const body = paragraph('before') + table(header, cell(paragraph('Anna')))
    expect(await readBody(body)).toMatchObject({
      tables: [{ from: 8, to: 29, header: 'Name\tDeputy\tPay' }],
    })
  })
})

describe('automatic numbers', () => {
  const level = (at: number, format: string, pattern: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${pattern}"/>${more}</w:lvl>`
  const lists = (levels: string, more = '') =>
    part(
      'numbering',
      `<w:numbering><w:abstractNum w:abstractNumId="7">${levels}</w:abstractNum>
       <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>${more}</w:numbering>`,
    )
  const item = (words: string, at: number, list = 1) =>
    paragraph(words, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`)

  test('of levels, which begin anew', async () => {
    const levels =
      level(0, 'decimal', '§ %1') + level(1, 'decimal', '§ %1.%2') + level(2, 'lowerLetter', '%3)')
    const body = [
      item('a', 0),
      item('b', 1),
      item('c', 2),
      item('d', 2),
      item('e', 1),
      item('f', 2),
      item('', 0),
      item('g', 1),
    ].join('')
    expect(await linesOf(body, [lists(levels)])).toEqual([
      '§ 1 a',
      '§ 1.1 b',
      'a) c',
      'b) d',
      '§ 1.2 e',
      'a) f',
      '§ 2.1 g',
    ])
  })

  test('in roman, as digits where lawyers want them, and of levels that go on', async () => {
    const levels =
      level(0, 'upperRoman', '%1.') +
      level(1, 'decimalZero', '%1.%2', '<w:isLgl/>') +
      level(2, 'decimal', '(%3)', '<w:lvlRestart w:val="0"/>')
    const body = [item('a', 0), item('b', 1), item('c', 2), item('d', 0), item('e', 2)].join('')
    expect(await linesOf(body, [lists(levels)])).toEqual([
      'I. a',
      '1.1 b',
      '(1) c',
      'II. d',
      '(2) e',
    ])
  })

  test('of two lists of one definition, one of which begins at 5', async () => {
    const other =
      '<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    const body = [item('a', 0), item('b', 0, 2), item('c', 0, 2), item('d', 0)].join('')
    expect(await linesOf(body, [lists(level(0, 'decimal', '%1.'), other)])).toEqual([
      '1. a',
      '5. b',
      '6. c',
      '7. d',
    ])
  })

  test('of styles, and of styles that are based on them', async () => {
    const levels =
      level(0, 'decimal', '%1') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="Second"/>')
    const styles = part(
      'styles',
      `<w:styles>
        <w:style w:type="paragraph" w:styleId="First"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
        <w:style w:type="paragraph" w:styleId="Second"><w:basedOn w:val="First"/></w:style>
        <w:style w:type="paragraph" w:styleId="Circle"><w:basedOn w:val="Circle"/></w:style>
      </w:styles>`,
    )
    const styled = (words: string, style: string, more = '') =>
      paragraph(words, `<w:pStyle w:val="${style}"/>${more}`)
    const none = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    const body = [
      styled('a', 'First'),
      styled('b', 'Second'),
      styled('c', 'Second'),
      styled('d', 'First', none),
      styled('e', 'Circle'),
    ].join('')
    expect(await linesOf(body, [lists(levels), styles])).toEqual([
      '1 a',
      '1.1 b',
      '1.2 c',
      'd',
      'e',
    ])
  })

  test('are none for bullets', async () =>
    expect(await linesOf(item('a', 0), [lists(level(0, 'bullet', '\uf0b7'))])).toEqual(['• a']))
})

describe('other parts', () => {
  test.each([
    ['4711-2026/0815', ['4711-2026/0815', 'body']],
    ['12.03.2026', ['12.03.2026', 'body']],
    ['0815', ['0815', 'body']],
    ['– –', ['body']],
  ])('a header of digits: %s', async (words, lines) =>
    expect(
      await linesOf(paragraph('body'), [part('header', `<w:hdr>${paragraph(words)}</w:hdr>`)]),
    ).toEqual(lines),
  )

  test('the number of a page is left out, and other fields are not', async () => {
    const field = (code: string, result: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>${code}</w:instrText><w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
    const header = `<w:hdr><w:p>${field(' PAGE ', '31')}${run('/')}<w:fldSimple w:instr="NUMPAGES">${run('32')}</w:fldSimple>${field('PAGEREF a', '33')}${field('IF 1 = 1', '34')}</w:p></w:hdr>`
    expect(await linesOf(paragraph('body'), [part('header', header)])).toEqual(['/3334', 'body'])
  })

  test('headers and footers come once, without page numbers alone', async () => {
    const header = (name: string, words: string) =>
      part('header', `<w:hdr>${paragraph(words)}</w:hdr>`, `word/${name}.xml`)
    const number = `<w:fldSimple w:instr="PAGE">${run('12')}</w:fldSimple>`
    const parts = [
      header('header1', 'Port office'),
      header('header2', 'Port office'),
      part('header', `<w:hdr><w:p>${number}</w:p></w:hdr>`, 'word/header3.xml'),
      part('footer', `<w:ftr>${paragraph('Page 1')}</w:ftr>`),
    ]
    expect(await linesOf(paragraph('body'), parts)).toEqual(['Port office', 'body', 'Page 1'])
  })

  test('notes and comments have marks', async () => {
    const notes = `<w:footnotes><w:footnote w:type="separator" w:id="0">${paragraph('line')}</w:footnote><w:footnote w:id="4">${paragraph('the note')}</w:footnote></w:footnotes>`
    const comments = `<w:comments><w:comment w:id="3" w:author="Ada">${paragraph('is it?')}</w:comment></w:comments>`
    const body = `<w:p><w:commentRangeStart w:id="3"/>${run('the pier')}<w:commentRangeEnd w:id="3"/>${run(' is long')}<w:footnoteReference w:id="4"/></w:p>`
    const parts = [part('footnotes', notes), part('comments', comments)]
    expect(await linesOf(body, parts)).toEqual([
      'the pier is long[1]',
      '[1] the note',
      'Comment by Ada on “the pier”: is it?',
    ])
  })

  test.each<[string, string, string | Buffer, string]>([
    ['HTML', 'word/a.html', '<html><body><p>held <b>words</b></p></body></html>', 'held words'],
    ['RTF', 'word/a.rtf', String.raw`{\rtf1\ansi held words}`, 'held words'],
    ['plain text', 'word/a.txt', 'held words', 'held words'],
    [
      'a Word document',
      'word/a.docx',
      officePackage(wordPart(paragraph('held words'))),
      'held words',
    ],
  ])('a document in the document: %s', async (_what, name, content, expected) => {
    const body = `${paragraph('above')}<w:altChunk r:id="rId1"/>${paragraph('below')}`
    const parts = [{ kind: 'aFChunk', name, content }]
    expect(await linesOf(body, parts)).toEqual(['above', expected, 'below'])
  })

  test('a page in the format of mail is read decoded', async () => {
    const mail =
      'MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>enc=6Fded</p>'
    const parts = [{ kind: 'aFChunk', name: 'word/a.mht', content: mail }]
    const body = `${paragraph('above')}<w:altChunk r:id="rId1"/>`
    expect(await linesOf(body, parts)).toEqual(['above', 'encoded'])
  })

  test('a fragment of a page is known by its media type', async () => {
    const types = `<Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/Chunk" ContentType="text/html"/><Default Extension="frag" ContentType="text/html"/></Types>`
    const chunks = [
      part('aFChunk', '<p>one</p>', 'word/chunk'),
      part('aFChunk', '<b>two</b>', 'word/a.frag'),
    ]
    const body = '<w:altChunk r:id="rId1"/><w:altChunk r:id="rId2"/>'
    const parts = officeParts(wordPart(body, chunks))
    const found = await read(zipOf([...parts, { name: '[Content_Types].xml', content: types }]))
    expect(found).toMatchObject({ text: expect.stringMatching(/^\s*one\s+two\s*$/) })
  })

  test('documents in documents have a limit of depth', async () => {
    let bytes = officePackage(wordPart(paragraph('innermost')))
    for (let depth = 0; depth < 5; depth++) {
      const chunk = { kind: 'aFChunk', name: 'word/a.docx', content: bytes }
      bytes = officePackage(wordPart(`${paragraph('around')}<w:altChunk r:id="rId1"/>`, [chunk]))
    }
    expect(await read(bytes)).toMatchObject({
      text: expect.not.stringContaining('innermost'),
      reading: {
        seen: 2,
        of: 3,
        why: expect.not.stringMatching(/in part unread.*in part unread/),
      },
    })
  })

  test('a broken header is a remark', async () =>
    expect(await readBody(paragraph('body'), [part('header', '<w:hdr>')])).toMatchObject({
      text: 'body',
      reading: { of: 3, seen: 2, unit: 'part', why: 'part 2 is broken (word/header.xml)' },
    }))
})

describe('pictures', () => {
  const picture = (cm: readonly [number, number], more = '') =>
    `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="${cm[0] * 360_000}" cy="${cm[1] * 360_000}"/><a:blip r:embed="rId9"/></wp:inline></w:drawing></w:r></w:p>${more}`
  const page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>'
  const cover = paragraph('The harbour in nineteen pictures')
  const image = { kind: 'image', name: 'word/media/a.png', content: '' }

  test('alone are no text', async () =>
    expect(await readBody(picture([5, 5]), [image])).toEqual({
      unreadable: 'it has no text, only pictures',
      has_no_text: true,
    }))

  test('of full pages behind a cover are not seen', async () =>
    expect(await readBody(cover + picture([16, 23]).repeat(9) + page, [image])).toMatchObject({
      reading: { of: 10, seen: 1, unit: 'part', why: 'parts 2–10 are pictures' },
    }))

  test('count where the package lacks their files', async () =>
    expect(await readBody(cover + picture([16, 23]).repeat(9))).toMatchObject({
      reading: { of: 10, seen: 1, why: 'parts 2–10 are pictures' },
    }))

  test('with captions are still pictures, and a text behind them is none', async () => {
    const caption = paragraph('Picture 1')
    const long = paragraph('word '.repeat(30))
    const body = cover + picture([16, 23], caption) + long
    expect(await readBody(body, [image])).toMatchObject({
      reading: { of: 3, seen: 2, why: 'part 2 is a picture' },
    })
  })

  test.each([
    ['a small picture', picture([8, 6])],
    ['half a page', picture([16, 11])],
    [
      'a full page of paper that is large',
      picture([16, 23], '<w:sectPr><w:pgSz w:w="16838" w:h="23811"/></w:sectPr>'),
    ],
    [
      'a background',
      '<w:drawing><wp:anchor behindDoc="1"><wp:extent cx="7560000" cy="10690000"/><a:blip/></wp:anchor></w:drawing>',
    ],
  ])('%s is normal', async (_what, body) =>
    expect(await readBody(cover + body, [image])).toMatchObject({ reading: { of: 1, seen: 1 } }),
  )
})

describe('a package', () => {
  const main = wordPart(paragraph('found'))

  test.each<[string, Buffer]>([
    ['with a main part of any name', officePackage({ ...main, name: 'doc.xml' })],
    [
      'of the strict kind',
      officePackage(main, 'http://purl.oclc.org/ooxml/officeDocument/relationships'),
    ],
    [
      'with its part in another case',
      zipOf([{ name: 'WORD/Document.XML', content: main.content }]),
    ],
  ])('%s is read', async (_what, bytes) =>
    expect(await read(bytes)).toMatchObject({ text: 'found' }),
  )

  test.each(['a.docm', 'a.dotx', 'a.dotm', 'a'])('is read under the name %s', async (name) =>
    expect(await read(officePackage(main), name)).toMatchObject({ text: 'found' }),
  )

  test('lacks a header that it names', async () => {
    const [rels, ...others] = [
      {
        name: 'word/_rels/document.xml.rels',
        content:
          '<Relationships><Relationship Id="rId1" Type="x/header" Target="gone.xml"/></Relationships>',
      },
      { name: 'word/document.xml', content: main.content },
    ]
    expect(await read(zipOf([rels!, ...others]))).toMatchObject({ text: 'found' })
  })
})
