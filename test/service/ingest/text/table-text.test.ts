import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DocumentText, type Table } from '../../../../src/service/ingest/document-text.ts'
import { TableText } from '../../../../src/service/ingest/table-text.ts'
import {
  max_passage_length,
  splitDocument,
} from '../../../../src/service/ingest/text/split-passages.ts'

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
    `a${'\t'.repeat(65)}z`,
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
        ...splitDocument({
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

test('a header that is too long is not repeated', () => {
  const header = `${'long name '.repeat(60)}`.trim()
  const rows = Array.from(
    { length: 200 },
    (_, at): Row => [
      [0, `row ${at}`],
      [1, 'x'],
    ],
  )
  const document = write([
    [
      [0, header],
      [1, 'x'],
    ],
    ...rows,
  ])
  expect([...splitDocument(document)].filter((passage) => passage.includes(header))).toHaveLength(1)
})
