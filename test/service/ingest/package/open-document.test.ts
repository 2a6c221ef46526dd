import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { splitDocument } from '../../../../src/service/ingest/passages/split-passages.ts'
import { passageTexts } from '../passage-texts.ts'
import { type ZipPart, zipOf } from '../zip.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

interface OpenContent {
  kind: 'text' | 'spreadsheet' | 'presentation'
  body: string
  /** XML of the automatic styles. */
  styles?: string
  parts?: readonly ZipPart[]
}

async function read({ kind, body, styles = '', parts = [] }: OpenContent) {
  const content = `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`
  const bytes = zipOf([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
    { name: 'content.xml', content },
    ...parts,
  ])
  return await extractDocument({ filename: 'a.bin', mime_type: '', bytes }, limits)
}

async function textOf(content: OpenContent): Promise<string> {
  const found = await read(content)
  return 'text' in found ? found.text.trimEnd() : found.unreadable
}

const p = (words: string) => `<text:p>${words}</text:p>`
const cell = (words: string, more = '') =>
  `<table:table-cell ${more}>${words === '' ? '' : p(words)}</table:table-cell>`
const row = (cells: string, more = '') => `<table:table-row ${more}>${cells}</table:table-row>`
const table = (rows: string, more = 'table:name="Pay"') =>
  `<table:table ${more}>${rows}</table:table>`

describe('sheets', () => {
  test.each<[string, string, string]>([
    [
      'stand under their columns',
      row(cell('Anna') + cell('') + cell('Berta') + cell('5000')),
      'Anna\t\tBerta\t5000',
    ],
    [
      'stand for several equal ones',
      row(
        cell('a') +
          cell('', 'table:number-columns-repeated="2"') +
          cell('b', 'table:number-columns-repeated="2"') +
          cell('c'),
      ),
      'a\t\t\tb\tb\tc',
    ],
    [
      'are covered by others',
      row(
        `${cell('a', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>${cell('c')}`,
      ),
      'a\t\tc',
    ],
    [
      'are in rows that stand for several equal ones',
      row(cell('a'), 'table:number-rows-repeated="2"') +
        row(cell(''), 'table:number-rows-repeated="1048574"'),
      'a\na',
    ],
    ['are hidden', row(cell('a'), 'table:visibility="filter"'), 'a\t(hidden row)'],
    [
      'are hidden with their group',
      `<table:table-row-group table:display="false">${row(cell('a'))}</table:table-row-group>${row(cell('b'))}`,
      'a\t(hidden row)\nb',
    ],
    [
      'are in hidden columns',
      `<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>${row(cell('a') + cell('b') + cell('') + cell('d'))}`,
      'a\tb\t\td\n(hidden columns: B)',
    ],
    [
      'are in a hidden group of columns',
      `<table:table-column-group table:display="false"><table:table-column/></table:table-column-group><table:table-column/>${row(cell('a') + cell('b'))}`,
      'a\tb\n(hidden columns: A)',
    ],
    [
      'stand for many equal ones',
      row(cell('a', 'table:number-columns-repeated="300"') + cell('end')),
      `${'a\t'.repeat(300)}end`,
    ],
    [
      'have values without text',
      row(
        cell('', 'office:value-type="float" office:value="19.989999999999998"') +
          cell('', 'office:value-type="percentage" office:value="0.5"') +
          cell('', 'office:value-type="currency" office:value="5" office:currency="EUR"') +
          cell('', 'office:value-type="date" office:date-value="2026-03-14T09:30:00"') +
          cell('', 'office:value-type="time" office:time-value="PT15H30M00S"') +
          cell('', 'office:value-type="time" office:time-value="-PT1H30M"') +
          cell('', 'office:value-type="time" office:time-value="P1DT02H30M00S"') +
          cell('', 'office:value-type="time" office:time-value="P2D"') +
          cell('', 'office:value-type="time" office:time-value="PT90M"') +
          cell('', 'office:value-type="time" office:time-value="PT15H29M59.9999999S"') +
          cell('', 'office:value-type="time" office:time-value="PT0H0M5,4S"') +
          cell('', 'office:value-type="boolean" office:boolean-value="true"') +
          cell('', 'office:value-type="string" office:string-value="words"') +
          cell('', 'office:value-type="float"'),
      ),
      '19.99\t50%\t5 EUR\t2026-03-14 09:30\t15:30\t-01:30\t26:30\t48:00\t01:30\t15:30\t00:00:05\tTRUE\twords',
    ],
    [
      'show their text, not their value',
      row(cell('5,00 €', 'office:value-type="currency" office:value="5"')),
      '5,00 €',
    ],
    [
      'have comments',
      row(cell('x')) +
        row(
          `${cell('a')}<table:table-cell office:value-type="float" office:value="7"><office:annotation><dc:creator>Yrsa</dc:creator>${p('ask')}${p('Anna')}</office:annotation></table:table-cell>`,
        ),
      'x\na\t7\n\nComment on B2: ask\n\nAnna',
    ],
    [
      'have text boxes beside them',
      row(
        `<table:table-cell>${p('a')}<draw:frame><draw:text-box>${p('in a box')}</draw:text-box></draw:frame></table:table-cell>${cell('b')}`,
      ),
      'a\tb\n\nin a box',
    ],
  ])('cells %s', async (_what, rows, expected) => {
    expect(await textOf({ kind: 'spreadsheet', body: table(rows) })).toBe(`Pay\n\n${expected}`)
  })

  test('have rows and columns without a size, which are hidden', async () => {
    const styles =
      '<style:style style:name="ro1"><style:table-row-properties style:row-height="0cm"/></style:style>' +
      '<style:style style:name="co1"><style:table-column-properties style:column-width="0.000in"/></style:style>' +
      '<style:style style:name="co2"><style:table-column-properties style:column-width="0.5in"/></style:style>'
    const body = table(
      `<table:table-column table:style-name="co2"/><table:table-column table:style-name="co1"/>${row(cell('a') + cell('b'), 'table:style-name="ro1"')}`,
    )
    expect(await textOf({ kind: 'spreadsheet', body, styles })).toBe(
      'Pay\n\na\tb\t(hidden row)\n(hidden columns: B)',
    )
  })

  test('are units, hidden ones are marked, and those of other files are left out', async () => {
    const styles =
      '<style:style style:name="ta1"/><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    const body =
      table(row(cell('1')), 'table:name="One" table:style-name="ta1"') +
      table(row(cell('2')), 'table:name="Two" table:style-name="ta2"') +
      table(row(cell('3')), `table:name="'file:///a.ods'#Three"`)
    expect(await read({ kind: 'spreadsheet', body, styles })).toMatchObject({
      text: 'One\n\n1\n\n\nTwo (hidden sheet)\n\n2\n',
      reading: { of: 2, seen: 2, unit: 'sheet' },
    })
  })

  test('have their header in each passage', async () => {
    const rows = Array.from({ length: 200 }, (_, at) =>
      row(cell(`row ${at}`) + cell('') + cell('x')),
    )
    const body = table(row(cell('Name') + cell('') + cell('Pay')) + rows.join(''))
    const found = await read({ kind: 'spreadsheet', body })
    if (!('text' in found)) throw new Error(found.unreadable)
    const passages = [...passageTexts(found)].slice(1)
    expect(passages.length).toBeGreaterThan(1)
    for (const passage of passages) expect(passage).toMatch(/^Name\t\tPay\nrow \d+\t\tx/)
  })

  test('without a value have no word of their own: names, headers and help texts are none', async () => {
    const master = `<style:master-page><style:header>${p('<text:sheet-name>???</text:sheet-name>')}</style:header><style:footer>${p('Page <text:page-number>1</text:page-number>')}</style:footer></style:master-page>`
    const body = `<table:content-validations><table:help-message>${p('Choose')}</table:help-message></table:content-validations>${table(row(cell('')))}`
    const parts = [{ name: 'styles.xml', content: master }]
    expect(await read({ kind: 'spreadsheet', body, parts })).toEqual({
      unreadable: 'it has no text',
      has_no_text: true,
    })
  })

  test('that repeat a cell without end stay small', async () => {
    const many = 'table:number-columns-repeated="1000000"'
    const body = table(row(cell('x', many), 'table:number-rows-repeated="1000000"'))
    expect((await textOf({ kind: 'spreadsheet', body })).length).toBeLessThan(600_000)
  })

  test('have the words of their charts', async () => {
    const chart = `<chart:chart><chart:title>${p('Tides')}</chart:title>${table(row(cell('Monday', 'office:value-type="string"') + cell('77', 'office:value-type="float"')))}</chart:chart>`
    const frame =
      '<table:shapes><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></table:shapes>'
    const parts = [{ name: 'Object 1/content.xml', content: chart }]
    expect(await textOf({ kind: 'spreadsheet', body: table(frame + row(cell('1'))), parts })).toBe(
      'Pay\n\nTides Monday\n1',
    )
  })
})

describe('texts', () => {
  test.each<[string, string, string]>([
    ['paragraphs', '<text:h>Berths</text:h><text:p>one\n two</text:p>', 'Berths\n\none two'],
    ['spaces and tabs', p('a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d'), 'a   b\tc\nd'],
    [
      'notes',
      p(
        `The lamp<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('of 1898')}</text:note-body></text:note> is lit.`,
      ) + p('next'),
      'The lamp[1] is lit.\n\n[1] of 1898\n\nnext',
    ],
    [
      'comments',
      p(
        `a<office:annotation><dc:creator>Yrsa</dc:creator><dc:date>2026</dc:date>${p('why?')}</office:annotation>b`,
      ),
      'ab\n\nComment: why?',
    ],
    [
      'deletions',
      `<text:tracked-changes><text:deletion>${p('gone')}</text:deletion></text:tracked-changes>${p('a<text:change/>b')}`,
      'ab',
    ],
    [
      'readings',
      p(
        '<text:ruby><text:ruby-base>港</text:ruby-base><text:ruby-text>みなと</text:ruby-text></text:ruby>',
      ),
      '港',
    ],
    [
      'alternative texts',
      p(
        'a<draw:frame><draw:image><office:binary-data>AAAA</office:binary-data></draw:image><svg:title>The pier</svg:title><svg:desc>in fog</svg:desc></draw:frame>b',
      ),
      'ab\n\nPicture: The pier\n\nPicture: in fog',
    ],
    [
      'text boxes',
      p(`a <draw:frame><draw:text-box>${p('box')}</draw:text-box></draw:frame>sentence`),
      'a sentence\n\nbox',
    ],
    [
      'a text box alone',
      p(
        `<draw:frame><draw:text-box>${p('one')}${table(row(cell('a') + cell('b')))}</draw:text-box></draw:frame>`,
      ),
      'one\n\na\tb',
    ],
    ['tables', table(row(cell('a') + cell('') + cell('c'))) + p('behind'), 'a\t\tc\n\nbehind'],
    [
      'tables in a cell of data',
      table(
        row(cell('Name') + cell('Berths')) +
          row(
            `${cell('Anna')}<table:table-cell>${table(row(cell('1') + cell('2')))}</table:table-cell>`,
          ),
      ),
      'Name\tBerths\nAnna\t1, 2',
    ],
    [
      'notes in tables',
      table(
        row(
          `${cell(`a<text:note><text:note-citation>*</text:note-citation><text:note-body>${p('note')}</text:note-body></text:note>`)}${cell('b')}`,
        ),
      ),
      'a[*]\tb\n\n[*] note',
    ],
    [
      'fields of forms',
      '<office:forms><form:form><form:text form:label="Name" form:current-value="Erika"/></form:form></office:forms>',
      'Name\nErika',
    ],
  ])('%s', async (_what, body, expected) =>
    expect(await textOf({ kind: 'text', body })).toBe(expected),
  )

  test('have the numbers of their lists and headings', async () => {
    const level = (at: number, more: string) =>
      `<text:list-level-style-number text:level="${at}" ${more}/>`
    const styles = `<text:list-style style:name="L1">${level(1, 'style:num-format="1" style:num-suffix="."')}${level(2, 'style:num-format="a" style:num-suffix=")" text:start-value="2"')}${level(3, 'style:num-format="I" text:display-levels="3"')}</text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1"/></text:list-style>`
    const outline =
      '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    const list = (items: string, more = '') => `<text:list ${more}>${items}</text:list>`
    const item = (content: string, more = '') =>
      `<text:list-item ${more}>${content}</text:list-item>`
    const deep = list(item(p('two')) + item(p('three') + list(item(p('deep')))))
    const body =
      '<text:h>Tides</text:h><text:h text:outline-level="2">Low</text:h><text:h text:outline-level="2">High</text:h><text:h>Berths</text:h><text:h text:outline-level="2">North</text:h>' +
      list(
        item(p('one') + p('more') + deep) + item(p('five'), 'text:start-value="5"'),
        'text:style-name="L1"',
      ) +
      p('between') +
      list(item(p('six')), 'text:style-name="L1" text:continue-numbering="true"') +
      list(item(p('again')), 'text:style-name="L1"') +
      list(item(p('bullet')), 'text:style-name="L2"')
    const parts = [{ name: 'styles.xml', content: `<x>${outline}</x>` }]
    expect((await textOf({ kind: 'text', body, styles, parts })).split('\n\n')).toEqual([
      ...['1 Tides', '1.1 Low', '1.2 High', '2 Berths', '2.1 North'],
      ...['1. one', 'more', 'b) two', 'c) three', '1.c.I deep', '5. five', 'between', '6. six'],
      ...['1. again', 'bullet'],
    ])
  })

  test('have headers and footers once', async () => {
    const page = (header: string) =>
      `<style:master-page><style:header>${p(header)}</style:header><style:footer>${p('Page <text:page-number>1</text:page-number>')}</style:footer></style:master-page>`
    const parts = [{ name: 'styles.xml', content: `<x>${page('Harbour')}${page('Harbour')}</x>` }]
    expect(await textOf({ kind: 'text', body: p('body'), parts })).toBe('Harbour\n\nPage\n\nbody')
  })

  test('have pictures of full pages, which are not seen', async () => {
    const picture = (size: string) =>
      p(`<draw:frame svg:width="${size}" svg:height="${size}"><draw:image/></draw:frame>`)
    const body = p('Nine pages') + picture('3cm') + picture('20cm').repeat(9)
    expect(await read({ kind: 'text', body })).toMatchObject({
      reading: { of: 10, seen: 1, unit: 'part', why: 'parts 2–10 are pictures' },
    })
  })

  test('of pictures only have no text', async () =>
    expect(await read({ kind: 'text', body: p('<draw:frame><draw:image/></draw:frame>') })).toEqual(
      { unreadable: 'it has no text, only pictures', has_no_text: true },
    ))
})

test('a sheet of a picture alone is not seen', async () => {
  const shapes = '<table:shapes><draw:frame><draw:image/></draw:frame></table:shapes>'
  const body = table(row(cell('a')) + shapes) + table(shapes)
  expect(await read({ kind: 'spreadsheet', body })).toMatchObject({
    reading: { of: 2, seen: 1, unit: 'sheet', why: 'sheet 2 is a picture' },
  })
})

describe('slides', () => {
  const page = (name: string, body: string, more = '') =>
    `<draw:page draw:name="${name}" ${more}>${body}</draw:page>`
  const picture = (size: string) =>
    `<draw:frame svg:width="${size}" svg:height="${size}"><draw:image/></draw:frame>`
  const box = (words: string) =>
    `<draw:frame><draw:text-box>${p(words)}</draw:text-box></draw:frame>`

  test('are units with their notes, and a large picture alone is not seen', async () => {
    const notes = `<presentation:notes>${box('say it slowly')}</presentation:notes>`
    const styles =
      '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    const body =
      page('page1', box('Berths') + notes) +
      page('Tides', picture('18cm')) +
      page('page3', picture('3cm') + box('small'), 'draw:style-name="dp2"')
    expect(await read({ kind: 'presentation', body, styles })).toMatchObject({
      text: 'Berths\n\nsay it slowly\n\nTides\n\n(hidden slide)\n\nsmall',
      reading: { of: 3, seen: 2, unit: 'slide', why: 'slide 2 is a picture' },
    })
  })

  test('have tables, whose picture counts for nothing', async () => {
    const frame = `<draw:frame svg:width="20cm" svg:height="20cm">${table(row(cell('a') + cell('') + cell('c')))}<draw:image/></draw:frame>`
    expect(await read({ kind: 'presentation', body: page('page1', frame) })).toMatchObject({
      text: 'a\t\tc\n',
      reading: { of: 1, seen: 1 },
    })
  })
})

test('paragraphs with numbers of their own, and headings that begin anew', async () => {
  const styles = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>`
  const outline =
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/></text:outline-style>'
  const numbered = (words: string, more = '') =>
    `<text:numbered-paragraph text:list-id="x" text:style-name="L1" ${more}>${p(words)}</text:numbered-paragraph>`
  const body =
    numbered('one') +
    numbered('below', 'text:level="2"') +
    numbered('two') +
    numbered('seven', 'text:start-value="7"') +
    p('plain') +
    '<text:h>Tides</text:h><text:h text:restart-numbering="true" text:start-value="5">Berths</text:h><text:h>Piers</text:h><text:h text:restart-numbering="true">Anew</text:h>'
  const parts = [{ name: 'styles.xml', content: `<x>${outline}</x>` }]
  expect((await textOf({ kind: 'text', styles, body, parts })).split(/\n+/)).toEqual([
    ...['1. one', 'a) below', '2. two', '7. seven', 'plain'],
    ...['1 Tides', '5 Berths', '6 Piers', '1 Anew'],
  ])
})

test('rows of a sheet have their numbers, also below empty, repeated and hidden ones', async () => {
  const rows = [
    row(cell('Berth') + cell('Metres')),
    row(cell('Heron') + cell('120')),
    row(cell(''), 'table:number-rows-repeated="13"'),
    row(cell('Turnstile') + cell('90'), 'table:number-rows-repeated="2"'),
    row(cell('Crane') + cell('80'), 'table:visibility="collapse"'),
    row(cell('Winch') + cell('70')),
  ]
  const found = await read({ kind: 'spreadsheet', body: table(rows.join('')) })
  if (!('text' in found)) throw new Error(found.unreadable)
  const numbered = [...splitDocument(found)].flatMap(({ text, rows }) =>
    text.split('\n').map((line, at) => `${rows[at]} ${line}`),
  )
  for (const line of ['2 Heron\t120', '16 Turnstile\t90', '19 Winch\t70'])
    expect(numbered, numbered.join(' | ')).toContain(line)
})
