import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { numberText } from '../../../../src/service/ingest/package/workbook/number-text.ts'
import { officePackage, workbookPart } from '../office-package.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }
const text = (words: string) => `<is><t>${words}</t></is>`

async function read(bytes: Buffer) {
  return await extractDocument({ filename: 'a.xlsx', mime_type: '', bytes }, limits)
}

/** The text of a workbook behind the name of its sheet. */
async function sheetText(content: Parameters<typeof workbookPart>[0]): Promise<string> {
  const found = await read(officePackage(workbookPart(content)))
  return 'text' in found ? found.text.replace(/^Berths\n\n/, '').trimEnd() : found.unreadable
}

describe('cells', () => {
  test.each<[string, string, string]>([
    [
      'stand under their columns',
      `<row r="1"><c r="A1" t="inlineStr">${text('Anna')}</c><c r="C1" t="inlineStr">${text('Berta')}</c><c r="D1"><v>5000</v></c></row>`,
      'Anna\t\tBerta\t5000',
    ],
    [
      'without references follow one another',
      '<row><c><v>1</v></c><c/><c><v>3</v></c></row>',
      '1\t\t3',
    ],
    [
      'with two letters',
      '<row><c r="Z1"><v>1</v></c><c r="AA1"><v>2</v></c></row>',
      `${'\t'.repeat(25)}1\t2`,
    ],
    [
      'in rows that are left out',
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="B9"><v>2</v></c></row>',
      '1\n\t2',
    ],
    ['of a hidden row', '<row hidden="1"><c><v>1</v></c></row>', '1\t(hidden row)'],
    ['of a row without a height', '<row ht="0"><c><v>1</v></c></row>', '1\t(hidden row)'],
    [
      'of the shared strings',
      '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>9</v></c></row>',
      'seven\teight',
    ],
    [
      'of formulas',
      '<row><c><f>A1+1</f><v>2.5</v></c><c t="str"><f>A1</f><v>text</v></c></row>',
      '2.5\ttext',
    ],
    [
      'with truth and errors',
      '<row><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c></row>',
      'TRUE\tFALSE\t#DIV/0!',
    ],
    ['with a date as text', '<row><c t="d"><v>2026-03-14</v></c></row>', '2026-03-14'],
    [
      'with a time as text',
      '<row><c t="d"><v>2026-03-14T09:30:00Z</v></c></row>',
      '2026-03-14 09:30',
    ],
    [
      'with escaped characters',
      '<row><c t="inlineStr"><is><t>a_x000D_b_x005F_x000D_</t></is></c></row>',
      'a b_x000D_',
    ],
    [
      'of formulas without a value',
      '<row><c><f>SUM(B1:B4)</f></c><c t="str"><f>IF(A1,1,2)</f><v></v></c><c><v>3</v></c></row>',
      '=SUM(B1:B4)\t\t3',
    ],
  ])('%s', async (_what, rows, expected) => {
    const strings =
      '<si><t>seven</t></si><si><r><t>ei</t></r><r><t>ght</t></r><rPh><t>hidden</t></rPh></si>'
    expect(await sheetText({ rows, strings })).toBe(expected)
  })
})

test.each<[string | number | undefined, string, string]>([
  [undefined, '19.989999999999998', '19.99'],
  [undefined, '123456789012', '123456789012'],
  [undefined, '1e300', '1E+300'],
  [undefined, '1E21', '1E+21'],
  [undefined, '-1.5E20', '-1.5E+20'],
  [undefined, '1E-7', '1E-07'],
  [undefined, '0.0000123', '0.0000123'],
  [undefined, '4006381333931', '4006381333931'],
  [undefined, '1234567890123450', '1234567890123450'],
  ['General', '1E-10', '1E-10'],
  [20, '0.645833333333333', '15:30'],
  [18, '0.645833333333333', '3:30 PM'],
  [46, '1.5', '36:00:00'],
  [20, '-0.25', '-6:00'],
  ['[hh]:mm', '1.0000115740740742', '24:00'],
  ['[Red][hh]:mm', '0.25', '06:00'],
  [14, '46095', '2026-03-14'],
  ['dd.mm.yyyy hh:mm', '46095.395833333336', '2026-03-14 09:30'],
  ['yyyy-mm-dd hh:mm:ss', '46095.395844907', '2026-03-14 09:30:01'],
  [15, '0.5', '1900-01-00'],
  [22, '0.645833333333333', '1900-01-00 15:30'],
  ['dd.mm.yyyy hh:mm', '0.645833333333333', '1900-01-00 15:30'],
  ['dd.mm. hh:mm', '2.5', '1900-01-02 12:00'],
  ['dd.mm. hh:mm', '-2.5', '-2.5'],
  ['d"d "hh:mm', '2.5', '2d 12:00'],
  ['d"d "h"h "mm"m "ss"s"', '2.5', '2d 12h 00m 00s'],
  ['d"d "h:mm AM/PM', '2.5', '2d 12:00 PM'],
  ['d hh:mm', '46095.5', '2026-03-14 12:00'],
  ['mmm hh:mm', '46095.5', '2026-03-14 12:00'],
  ['[$-409]h:mm AM/PM', '0.5', '12:00 PM'],
  ['[$-F400]h:mm:ss AM/PM', '0.5', '12:00:00 PM'],
  ['[$-407]d. mmmm yyyy', '46095', '2026-03-14'],
  ['#,##0.00 [$€-407]', '-1234.5', '-1,234.50 €'],
  ['[$$-409]#,##0.00', '1234.5', '$1,234.50'],
  ['[$CHF-807] #,##0.00', '1234.5', 'CHF 1,234.50'],
  [9, '0.5', '50%'],
  [10, '0.1234', '12.34%'],
  [4, '1234.5', '1,234.50'],
  ['#,##0.00 [$€-407]', '1234.5', '1,234.50 €'],
  ['_-* #,##0.00\\ "€"_-', '1234.5', '1,234.50 €'],
  ['[Red]0.00" days"', '46095', '46095.00 days'],
  ['"Yes";"Yes";"No"', '0', 'No'],
  ['0.00E+00', '12345', '1.23E+04'],
  ['# ?/?', '0.5', '1/2'],
  ['0 [xx', '5', '5'],
])('format %s shows %s as %s', async (code, value, shown) => {
  const quoted = typeof code === 'string' ? code.replaceAll('"', '&quot;') : code
  const formats = quoted === undefined ? [] : [quoted]
  const rows = `<row><c s="${formats.length}"><v>${value}</v></c></row>`
  expect(await sheetText({ rows, formats })).toBe(shown)
})

test('hidden columns with cells are marked below their rows', async () => {
  const cols =
    '<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1" width="9"/><col min="4" max="4" width="0"/><col min="9" max="16384" hidden="1"/></cols>'
  const rows = '<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>3</v></c><c r="D1"><v>4</v></c></row>'
  expect(await sheetText({ rows, cols })).toBe('1\t\t3\t4\n(hidden columns: C, D)')
})

test('each of two tables on a sheet has its own header', async () => {
  const cells = (...words: string[]) =>
    `<c t="inlineStr">${words.map(text).join('</c><c t="inlineStr">')}</c>`
  const rows = `<row r="1">${cells('Name', 'Pay')}</row><row r="2">${cells('Anna', '5000')}</row><row r="3">${cells('Bert', '4000')}</row><row r="6">${cells('Town', 'Flats')}</row><row r="7">${cells('Kiel', '90000')}</row>`
  expect(await read(officePackage(workbookPart({ rows })))).toMatchObject({
    tables: [{ header: 'Name\tPay' }, { header: 'Town\tFlats' }],
  })
})

test.each([
  ['0;0;0;"Name: "@', 'Name: Anna'],
  ['"Name: "@', 'Name: Anna'],
  ['_-* #,##0.00_-;-* #,##0.00_-;_-@_-', 'Anna'],
  ['@', 'Anna'],
  ['0.00', 'Anna'],
  [';;;', 'Anna'],
])('format %s shows a text as %s', async (code, shown) => {
  const formats = [code.replaceAll('"', '&quot;')]
  const rows = `<row><c s="1" t="s"><v>0</v></c><c s="1" t="str"><v>Anna</v></c></row>`
  const strings = '<si><t>Anna</t></si>'
  expect(await sheetText({ rows, strings, formats })).toBe(`${shown}\t${shown}`)
})

test('dates of the Mac begin four years later', () =>
  expect(numberText('44633', 'yyyy-mm-dd', true)).toBe('2026-03-14'))

describe('sheets', () => {
  const rows = '<row><c><v>1</v></c></row>'

  test('are told from one another, and hidden ones are marked', async () => {
    const found = await read(officePackage(workbookPart({ rows, sheet: 'state="veryHidden"' })))
    expect(found).toMatchObject({
      text: 'Berths (hidden sheet)\n\n1\n\n',
      reading: { of: 1, seen: 1, unit: 'sheet' },
    })
  })

  test('of a picture alone are not seen, but its alternative text is found', async () => {
    const picture =
      '<xdr:wsDr><xdr:pic><xdr:cNvPr descr="Plan of the pier"/><a:blip/></xdr:pic></xdr:wsDr>'
    const drawing = { kind: 'drawing', name: 'xl/drawings/drawing1.xml', content: picture }
    const main = workbookPart({ rows, related: [drawing] })
    const [first, ...others] = main.related!
    const second = { kind: 'worksheet', name: 'xl/b.xml', content: '<x/>', related: [drawing] }
    const content = main.content
      .toString()
      .replace('</sheets>', '<sheet name="Pier" r:id="rId4"/></sheets>')
    const book = { ...main, content, related: [first!, ...others, second] }
    expect(await read(officePackage(book))).toMatchObject({
      text: expect.stringContaining('\nPicture: Plan of the pier\n'),
      reading: { of: 2, seen: 1, unit: 'sheet', why: 'sheet 2 is a picture' },
    })
  })

  test('without a value have no word of their own: their names are none', async () =>
    expect(await read(officePackage(workbookPart({ rows: '' })))).toEqual({
      unreadable: 'it has no text',
      has_no_text: true,
    }))

  test('have comments, threads, text boxes and charts', async () => {
    const run = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`
    const chart = `<c:title>${run('Tides')}</c:title><c:cat><c:strCache><c:pt><c:v>Monday</c:v></c:pt></c:strCache></c:cat><c:cat><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt><c:v>2031</c:v></c:pt></c:numCache></c:numRef></c:cat><c:cat><c:numRef><c:numCache><c:formatCode>m/d/yyyy</c:formatCode><c:pt><c:v>46095</c:v></c:pt></c:numCache></c:numRef></c:cat><c:val><c:numCache><c:pt><c:v>77</c:v></c:pt></c:numCache></c:val>`
    const found = await sheetText({
      rows,
      related: [
        {
          kind: 'comments',
          name: 'xl/comments1.xml',
          content:
            '<comments><comment ref="B2"><text><r><t>ask Yrsa</t></r></text></comment></comments>',
        },
        {
          kind: 'drawing',
          name: 'xl/drawings/drawing1.xml',
          content: `<xdr:wsDr><xdr:txBody>${run('in a box')}</xdr:txBody></xdr:wsDr>`,
          related: [
            { kind: 'chart', name: 'xl/charts/chart1.xml', content: `<c:chart>${chart}</c:chart>` },
          ],
        },
      ],
    })
    expect(found.split(/\n+/)).toEqual([
      '1',
      'Comment on B2: ask Yrsa',
      'in a box',
      'Tides',
      'Monday',
      '2031',
    ])
  })
})

describe('a package', () => {
  const rows = '<row><c><v>7</v></c></row>'
  const good = officePackage(workbookPart({ rows }))

  test.each<[string, Buffer]>([
    [
      'of the strict kind',
      officePackage(
        workbookPart({ rows }),
        'http://purl.oclc.org/ooxml/officeDocument/relationships',
      ),
    ],
    ['with a line behind it', Buffer.concat([good, Buffer.from('\n')])],
    [
      'with lines before and behind it',
      Buffer.concat([good.subarray(0, 0), good, Buffer.from('\r\n--boundary--')]),
    ],
  ])('%s is read', async (_what, bytes) =>
    expect(await read(bytes)).toMatchObject({ text: 'Berths\n\n7\n\n' }),
  )

  test('finds its parts in another case', async () => {
    const main = workbookPart({ rows, strings: '<si><t>seven</t></si>' })
    const bytes = officePackage(main)
      .toString('latin1')
      .replaceAll('xl/sharedStrings.xml', 'xl/SharedStrings.xml')
    expect(await read(Buffer.from(bytes, 'latin1'))).toHaveProperty('text')
  })
})

test('headers and footers of pages stand once, without their codes', async () => {
  const margin = (name: string, words: string) => `<${name}>${words}</${name}>`
  const rows = `<row><c><v>1</v></c></row></sheetData><headerFooter>${[
    margin(
      'oddHeader',
      '&amp;L&amp;"Arial,Bold"&amp;12Rates&amp;CR&amp;&amp;D 2026&amp;R&amp;K04-024Draft',
    ),
    margin('evenHeader', '&amp;LRates&amp;CR&amp;&amp;D 2026&amp;RDraft'),
    margin('oddFooter', '&amp;CPage &amp;P of &amp;N'),
    margin('firstFooter', '&amp;R&amp;D'),
  ].join('')}</headerFooter><sheetData>`
  expect(await sheetText({ rows })).toBe('1\n\nRates R&D 2026 Draft\n\nPage of')
})
