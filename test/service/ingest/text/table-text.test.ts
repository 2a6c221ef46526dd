import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DocumentText, type Table } from '../../../../src/service/ingest/document-text.ts'
import { max_passage_length } from '../../../../src/service/ingest/passages/cut-line.ts'
import { TableText } from '../../../../src/service/ingest/table-text.ts'
import { passageTexts } from '../passage-texts.ts'

type Row = readonly (readonly [column: number, words: string])[]

function write(rows: readonly Row[]): { text: string; tables: readonly Table[] } {
  const text = new DocumentText({ text_length: 1_000_000 }, 'sheet')
  const table = new TableText(text)
  for (const row of rows) {
    for (const [column, words] of row) table.put(column, words)
    table.endRow()
  }
  table.end()
  return text.end()
}

test.each<[string, Row, string]>([
  [
    'a blank cell',
    [
      [0, 'Anna'],
      [2, 'Berta'],
      [3, '5000'],
    ],
    'Anna\t\tBerta\t5000',
  ],
  ['a blank first cell', [[1, 'b']], '\tb'],
  [
    'blank last cells',
    [
      [0, 'a'],
      [1, ' '],
      [2, '\n'],
    ],
    'a',
  ],
  [
    'lines and tabs in a cell',
    [
      [0, ' a\n\tb '],
      [1, 'c'],
    ],
    'a b\tc',
  ],
  [
    'two texts of one cell',
    [
      [0, 'a'],
      [0, 'b'],
    ],
    'a b',
  ],
  [
    'cells out of their order',
    [
      [2, 'c'],
      [0, 'a'],
    ],
    'a\t\tc',
  ],
  [
    'a cell far to the right',
    [
      [0, 'a'],
      [16_383, 'z'],
    ],
    `a${'\t'.repeat(16_383)}z`,
  ],
])('a row with %s', (_what, row, line) => expect(write([row]).text).toBe(`${line}\n`))

test('rows without text are left out, and a title alone is no header', () => {
  const { text, tables } = write([
    [[0, 'Salaries']],
    [],
    [
      [0, 'Name'],
      [1, 'Pay'],
    ],
    [[0, 'Anna']],
  ])
  expect(text).toBe('Salaries\nName\tPay\nAnna\n')
  expect(tables).toEqual([{ from: 0, to: text.length, header: 'Name\tPay' }])
})

test('each passage of a long table has its header row, and no row is lost or cut', () => {
  const cell = fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'abc ä') })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 60, maxLength: 200 }), (cells) => {
      const named = cells.map(
        ([a, b], at) =>
          [
            [0, `row${at} ${a}`],
            [2, b],
          ] as const,
      )
      const { text, tables } = write([
        [
          [0, 'Name'],
          [2, 'Pay'],
        ],
        ...named,
      ])
      const passages = [
        ...passageTexts({
          text: `before\n\n${text}after`,
          tables: tables.map((table) => ({ ...table, from: table.from + 8, to: table.to + 8 })),
        }),
      ]
      expect(passages[0]).toBe('before')
      expect(passages.at(-1)).toBe('after')
      const rows = passages.slice(1, -1).flatMap((passage) => {
        expect(passage.length).toBeLessThanOrEqual(max_passage_length)
        const [header, ...lines] = passage.split('\n')
        expect(header).toBe('Name\t\tPay')
        return lines
      })
      expect(rows).toEqual(text.trimEnd().split('\n').slice(1))
    }),
    { numRuns: 30 },
  )
})

/** Rows from lines: a tab between cells, and an empty line as a blank row. */
function rowsOf(lines: readonly string[]): Row[] {
  return lines.map((line) =>
    line.split('\t').flatMap((words, column) => (words === '' ? [] : [[column, words] as const])),
  )
}

function passagesOf(lines: readonly string[]): string[] {
  return [...passageTexts(write(rowsOf(lines)))]
}

const people = Array.from({ length: 60 }, (_, at) => `Person ${at}\t${100 + at}\t${4000 + at}`)
const towns = Array.from({ length: 60 }, (_, at) => `Town ${at}\t${200 + at}\t${90_000 + at}`)

test.each<[string, string[]]>([
  ['a blank row', ['']],
  ['blank rows and a title', ['', '', 'Towns', '']],
  ['a title', ['Towns']],
  ['nothing', []],
])('two tables with %s between them have each their own header', (_what, between) => {
  const rows = ['Name\tDesk\tPay', ...people, ...between, 'Town\tRegion\tFlats', ...towns]
  for (const passage of passagesOf(rows)) {
    const header = passage.includes('Town ') ? 'Town\tRegion\tFlats' : 'Name\tDesk\tPay'
    if (!passage.startsWith('Towns')) expect(passage.split('\n')[0]).toBe(header)
    expect(passage.includes('Town ') && passage.includes('Person ')).toBe(false)
  }
})

test('rows far to the right stand behind the letters of their columns when there are many', () => {
  const rows = Array.from(
    { length: 10 },
    (_, at): Row => [
      [0, `row ${at}`],
      [16_383, 'far'],
    ],
  )
  const lines = write(rows).text.split('\n')
  expect(lines[0]).toBe(`row 0${'\t'.repeat(16_383)}far`)
  expect(lines[9]).toBe('row 9\t\tXFD: far')
})

describe('a row that is too long', () => {
  const names = Array.from({ length: 12 }, (_, at) => `Name ${at}`)
  const cells = names.map((_, at) => `cell ${at} ${'word '.repeat(30)}`.trim())

  test('stands in tables of some of its columns, with its first cell in each', () => {
    const passages = passagesOf([names.join('\t'), cells.join('\t'), cells.join('\t')])
    for (const passage of passages.slice(1)) {
      const [header = '', row = ''] = passage.split('\n')
      const found = row.split('\t').map((cell) => cell.replace(/^cell (\d+) .*/, 'Name $1'))
      expect(found).toEqual(header.split('\t'))
    }
    expect(passages.join('\n').match(/cell 11 /g)).toHaveLength(2)
  })

  test('has its name in each part of a cell that is longer than a passage', () => {
    const passages = passagesOf(['Who\tWhat', `Anna\t${'long text. '.repeat(300)}`, 'Bert\t5'])
    expect(passages.length).toBeGreaterThan(3)
    for (const passage of passages) expect(passage).toMatch(/^Who\tWhat(\n|$)/)
    for (const passage of passages.slice(1, -1)) expect(passage).toContain('\nAnna\tlong text.')
  })

  test('has only the names of its own cells below a long header', () => {
    const long_names = Array.from({ length: 40 }, (_, at) => `A rather long name ${at}`)
    const rows = Array.from({ length: 30 }, (_, at) => `row ${at}${'\t'.repeat(at + 1)}${at}00`)
    const passages = passagesOf([long_names.join('\t'), ...rows])
    expect(passages.at(-1)).toBe('A rather long name 0\tA rather long name 30\nrow 29\t2900')
  })

  test('of comma-separated values is cut between its fields', () => {
    const row = names.map((_, at) => `"cell ${at}, ${'word '.repeat(30)}"`).join(';')
    const text = `${names.join(';')}\n${row}\n`
    const table = { from: 0, to: text.length, header: names.join(';'), separator: ';' }
    const passages = [...passageTexts({ text, tables: [table] })]
    expect(passages.at(-1)).toMatch(/^Name 10;Name 11\n"cell 10, .*;"cell 11, /s)
  })
})

test('a short table is not cut, and keeps its blank first cells', () => {
  const table = `\tMonday\tTuesday\n${'Berth 4\tship\tferry\n'.repeat(30)}`
  const text = `${'Sentence. '.repeat(60)}\n${table}Below the table.`
  const from = text.indexOf('\tMonday')
  const tables = [{ from, to: from + table.length, header: '' }]
  expect([...passageTexts({ text, tables })]).toContain(table.trimEnd())
})
