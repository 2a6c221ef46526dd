import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../src/service/ingest/extract-document.ts'

async function read(rtf: string) {
  const file = { filename: 'a.rtf', mime_type: 'text/rtf', bytes: Buffer.from(rtf, 'latin1') }
  return extractDocument(file, { unpacked_bytes: 4_000_000, text_length: 1_000_000 })
}

async function textOf(rtf: string): Promise<string> {
  const found = await read(rtf)
  return 'text' in found ? found.text : `unreadable: ${found.unreadable}`
}

describe('braces', () => {
  test.each([
    [String.raw`{\rtf1\ansi\pard text\par}}`, 'text\n\n'],
    [String.raw`{\rtf1\ansi\pard text\par`, 'text\n\n'],
    [String.raw`{\rtf1 {\b a}`, 'a'],
    ['{\\rtf1 a}\0\0\0', 'a'],
    [String.raw`{\rtf1\ansi\ansicpg1251 \'cf} \'f0\'e8}`, 'П ри'],
  ])('%s', async (rtf, text) => expect(await textOf(rtf)).toBe(text))

  test.each([String.raw`{\rtf1 {\b {\i a}`, String.raw`{\rtf1 a}}}`])('not %s', async (rtf) =>
    expect(await read(rtf)).toEqual({ unreadable: expect.stringMatching(/^broken/) }),
  )
})

describe('a broken escape loses no text', () => {
  const words = ['one', 'two', 'three', 'four', 'five']
  const faults = [
    ...[String.raw`\'zz `, String.raw`\'4 `, String.raw`\'g1 `, "\\'\n", '\\\u00e4 ', '\\\0 '],
    ...[String.raw`\u `, String.raw`\u99999999999 `, String.raw`\bin99999999 `, String.raw`\bin `],
    ...[
      String.raw`\bin-4 `,
      String.raw`\-7 `,
      String.raw`\0 `,
      String.raw`\'}{ `,
      String.raw`\'\'`,
    ],
  ]
  test.each(faults)('%j', async (fault) => {
    for (const at of words.keys()) {
      const body = words.map((word, index) => (index === at ? `${word} ${fault}` : word)).join(' ')
      const found = await textOf(`{\\rtf1\\ansi{\\b\\pard ${body}\\par}}`)
      for (const word of words) expect(found).toContain(word)
    }
  })

  test.each(['\\', "\\'", "\\'4"])('at the end of the file: %j', async (fault) =>
    expect(await textOf(`{\\rtf1 one\\par}${fault}`)).toContain('one'),
  )
})

describe('groups', () => {
  test.each([
    [String.raw`{\rtf1 a{\*\unknown b}c}`, 'ac'],
    [String.raw`{\rtf1 {\b\*\cs7 a}}`, 'a'],
    [String.raw`{\rtf1 a{\nonesttables\par b}}`, 'a'],
    [
      String.raw`{\rtf1 a{\*\shpinst{\sp{\sn name}{\sv value}}{\shptxt in a box\par}}{\shprslt again} b}`,
      'a\nin a box\n b',
    ],
    [String.raw`{\rtf1 a{\*\do{\dptxbxtext in a box\par}}}`, 'a\nin a box\n'],
    [String.raw`{\rtf1 a{\footnote see below} b\par c}`, 'a b\n\nc\n\nsee below'],
    [
      String.raw`{\rtf1 a{\*\atnid YH}{\*\atnauthor Yrsa}\chatn{\*\annotation{\*\atnref 1}check it} b}`,
      'a b\n\nYrsa: check it',
    ],
    [
      String.raw`{\rtf1{\header Harbour\par}{\headerf Harbour\par}a\par{\footer Page}\sect b}`,
      'Harbour\na\n\nPage\n\n\nb',
    ],
    [String.raw`{\rtf1{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt shown}}}`, 'shown'],
    [String.raw`{\rtf1{\listtext\pard\plain 1.\tab}first}`, '1.\tfirst'],
    [String.raw`{\rtf1{\object{\*\objclass X}{\*\objdata 00}{\result shown}}}`, 'shown'],
    [String.raw`{\rtf1{\upr{Gr?n}{\*\ud{Gr\u252 ?n}}}}`, 'Grün'],
    [String.raw`{\rtf1{\info{\upr{\title a}{\*\ud{\title b}}}}c}`, 'c'],
    [String.raw`{\rtf1 a{\v hidden} b\v hidden\v0 c{\deleted gone}}`, 'a bc'],
    [String.raw`{\rtf1 a\objattph b}`, 'a b'],
  ])('%s', async (rtf, text) => expect(await textOf(rtf)).toBe(text))
})

describe('characters', () => {
  test.each([
    [String.raw`{\rtf1 op\-tional non\_breaking\~space}`, 'optional non-breaking\u00a0space'],
    [String.raw`{\rtf1\uc1 a\u-10179?\u-8704?}`, 'a\u{1f600}'],
    [String.raw`{\rtf1 a\u128512 ?}`, 'a\u{1f600}'],
    [String.raw`{\rtf1\ansicpg932 \'93{\b \'fa\'96\'7b}}`, '日本'],
    [String.raw`{\rtf1\ansicpg932 \'83e\'83X}`, 'テス'],
    [`{\\rtf1\\ansicpg1250 za\xbf\xf3\xb3\xe6}`, 'zażółć'],
    [String.raw`{\rtf1\mac \'8a}`, 'ä'],
    [String.raw`{\rtf1\ansicpg866 \'af\'e0\'a8}`, 'при'],
    [String.raw`{\rtf1\ansicpg858 \'d5 5}`, '€ 5'],
    [String.raw`{\rtf1\ansicpg874 \'a1}`, 'ก'],
    [String.raw`{\rtf1\ansicpg932{\fonttbl{\f1\fcharset0 A;}}\'93{\f1 \'e4}}`, '\ufffdä'],
    [String.raw`{\rtf1\ansicpg1251{\fonttbl{\f0\fcharset1 A;}}\f0 \'cf\'f0\'e8}`, 'При'],
    [String.raw`{\rtf1{\fonttbl{\f0\fcharset0\cpg1253 A;}}\f0 \'e1}`, 'α'],
  ])('%s', async (rtf, text) => expect(await textOf(rtf)).toBe(text))
})

test('each cell stands under its header, and nested cells stand in theirs', async () => {
  const row = (...cells: string[]) =>
    `\\trowd\\cellx1\\pard\\intbl ${cells.map((cell) => `${cell}\\cell`).join(' ')}\\row\n`
  const inner = (...cells: string[]) =>
    `${cells.map((cell) => `${cell}\\nestcell`).join(' ')}{\\*\\nesttableprops\\trowd\\nestrow}`
  const nested = `{\\pard\\intbl\\itap2 ${inner('x', 'y')}${inner('z', '')}}\\pard\\intbl`
  const found = await read(
    `{\\rtf1 Staff\\par ${row('Name', 'Town', 'Pay')}${row('Anna', '', '5000')}${row('Bo\\par Berg', nested, '1')}\\pard end\\par}`,
  )
  expect(found).toMatchObject({
    text: 'Staff\n\nName\tTown\tPay\nAnna\t\t5000\nBo Berg\tx, y; z\t1\nend\n\n',
    tables: [{ header: 'Name\tTown\tPay' }],
  })
})

test.each<[string, string[], string]>([
  [
    'spans two columns',
    [
      '\\cellx1000\\cellx2000\\cellx3000 \\intbl Name\\cell Town\\cell Pay\\cell\\row',
      '\\cellx2000\\cellx3000 \\intbl Anna of Kiel\\cell 5000\\cell\\row',
    ],
    'Name\tTown\tPay\nAnna of Kiel\t\t5000\n',
  ],
  [
    'has nearly the edges of others, and the definition of the row behind it again',
    [
      '\\cellx1000\\cellx2000 \\intbl a\\cell b\\cell \\trowd\\cellx9000\\row',
      '\\cellx1020\\cellx1990 \\intbl c\\cell d\\cell\\row',
    ],
    'a\tb\nc\td\n',
  ],
  [
    'stands beside a table with own edges',
    [
      '\\cellx1000\\cellx2000 \\intbl a\\nestcell {\\*\\nesttableprops\\trowd\\cellx500\\cellx700\\nestrow}\\cell b\\cell\\row',
      '\\cellx1000\\cellx2000 \\intbl c\\cell d\\cell\\row',
    ],
    'a\tb\nc\td\n',
  ],
  ['has no edge', [' \\intbl a\\cell b\\cell\\row'], 'a\tb\n'],
])('a cell that %s stands in its column', async (_what, rows, text) => {
  const source = rows.map((row) => `\\trowd${row}`).join('\n')
  expect((await textOf(`{\\rtf1 ${source}\\pard\\par}`)).trim()).toBe(text.trim())
})

describe('pictures', () => {
  const picture = String.raw`{\pict\pngblip\picwgoal10000\pichgoal14000 89504e47}`
  test('nothing else: no text', async () =>
    expect(await read(`{\\rtf1\\pard{\\*\\shppict${picture}}\\par}`)).toEqual({
      unreadable: 'it has no text, only pictures',
      has_no_text: true,
    }))

  test('a scan below a line', async () =>
    expect(await read(`{\\rtf1 Scan\\par${picture}}`)).toMatchObject({
      reading: { of: 2, seen: 1, why: 'part 2 is a picture' },
    }))

  const long = `${'word '.repeat(30)}\\par`

  test('scans behind a text, each with its copy for old programs', async () => {
    const scan = `{\\*\\shppict${picture}}{\\nonshppict${picture}}\\par`
    expect(await read(`{\\rtf1 ${long}${scan}${scan}}`)).toMatchObject({
      reading: { of: 3, seen: 1, why: 'parts 2–3 are pictures' },
    })
  })

  test('a background is normal', async () => {
    const shape = `{\\shp{\\*\\shpinst{\\sp{\\sn fillBlip}{\\sv ${picture}}}}}`
    expect(await read(`{\\rtf1 {\\*\\background${shape}}${long}}`)).toMatchObject({
      reading: { of: 1, seen: 1 },
    })
  })

  test('a small one beside few words', async () =>
    expect(await read(`{\\rtf1 Letter\\par${picture.replace('14000', '1400')}}`)).toMatchObject({
      reading: { of: 1, seen: 1 },
    }))
})

describe('many small parts in one paragraph take no time', () => {
  test.each([
    ['boxes', '{\\shptxt box}'.repeat(60_000)],
    ['headers', '{\\header head}'.repeat(60_000)],
    ['boxes in boxes', `${'{\\shptxt a'.repeat(30_000)}${'}'.repeat(30_000)}`],
    ['cells of an inner table', `\\intbl ${'a\\nestcell '.repeat(60_000)}`],
  ])('%s', async (_what, parts) => {
    const began = performance.now()
    expect(await textOf(`{\\rtf1\\ansi Begin ${parts}\\par End}`)).toMatch(/^Begin[\s\S]*End\s*$/)
    expect(performance.now() - began).toBeLessThan(4_000)
  })
})
