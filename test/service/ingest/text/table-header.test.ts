import { expect, test } from 'vitest'
import {
  beginsAnew,
  type FilledRow,
  findHeader,
} from '../../../../src/service/ingest/table-header.ts'

function row(line: string): FilledRow {
  return line
    .split('\t')
    .map((words, column) => ({ column, words }))
    .filter(({ words }) => words !== '')
}

test.each<[string, string[], string[]]>([
  ['the first row', ['Name\tPay', 'Anna\t5000', 'Bert\t4000'], ['Name\tPay']],
  ['a row below a title', ['Salaries', 'Name\tPay', 'Anna\t5000'], ['Name\tPay']],
  [
    'a row below a title of two cells',
    ['Salaries\t2026', 'Name\tTown\tDesk\tPay', 'Anna\tKiel\tA 1\t5000', 'Bert\tBonn\tA 2\t4000'],
    ['Name\tTown\tDesk\tPay'],
  ],
  [
    'a row below a title of words',
    ['Salaries\tMiller Ltd', 'Name\tTown\tPay', 'Anna\tKiel\t5000', 'Bert\tBonn\t4000'],
    ['Name\tTown\tPay'],
  ],
  [
    'a row below a date',
    ['State\t2026-03-14', 'Name\tPay', 'Anna\t5000', 'Bert\t4000'],
    ['Name\tPay'],
  ],
  [
    'a row below a fact',
    ['Firm:\tMiller Ltd', 'Name\tPay', 'Anna\t5000', 'Bert\t4000'],
    ['Name\tPay'],
  ],
  [
    'words alone below a title',
    ['Salaries\t2026', 'Name\tTown\tDesk', 'Anna\tKiel\tA 1', 'Bert\tBonn\tA 2'],
    ['Name\tTown\tDesk'],
  ],
  ['words alone', ['Name\tTown', 'Anna\tKiel', 'Bert\tBonn'], ['Name\tTown']],
  ['years', ['Land\t2025\t2026', 'Kiel\t83\t84', 'Bonn\t91\t92'], ['Land\t2025\t2026']],
  ['days', ['Name\t1\t2\t3', 'Anna\tF\tS\tF', 'Bert\tS\tS\tF'], ['Name\t1\t2\t3']],
  [
    'two rows',
    [
      '\tNorth\t\tSouth',
      'Town\tMen\tWomen\tMen\tWomen',
      'Kiel\t50\t51\t52\t53',
      'Bonn\t60\t61\t62\t63',
    ],
    ['\tNorth\t\tSouth', 'Town\tMen\tWomen\tMen\tWomen'],
  ],
  [
    'two rows with a cell that reaches down',
    ['Town\tNorth', '\tMen\tWomen', 'Kiel\t500\t510', 'Bonn\t600\t610'],
    ['Town\tNorth', '\tMen\tWomen'],
  ],
  [
    'a row with fewer cells than some rows',
    ['Name\tPay', 'Anna\t5000\tlate', 'Bert\t4000\tlate', 'Cara\t3000\tlate'],
    ['Name\tPay'],
  ],
  [
    'a row above an unknown number',
    ['Name\tTown\tPay', 'Anna\tKiel\tunknown', 'Bert\tBonn\tunknown', 'Cara\tUlm\t3000'],
    ['Name\tTown\tPay'],
  ],
  ['no row of data', ['Anna\t5000', 'Bert\t4000', 'Cara\t3000'], []],
  ['no row of small numbers', ['Anna\t5', 'Bert\t400', 'Cara\t30'], []],
  ['no row of years', ['Metropolis\t1927', 'Vertigo\t1958', 'Alien\t1979'], []],
  ['nothing of one row', ['Name\tPay'], []],
  ['the row above notes', ['Name\tPay', 'Anna\t5000', 'Source: the office'], ['Name\tPay']],
])('a header is %s', (_what, lines, header) => {
  const found = findHeader(lines.map(row)) ?? { from: 0, to: 0 }
  expect(lines.slice(found.from, found.to)).toEqual(header)
})

test.each<[string, string, string, boolean]>([
  ['words in all cells after numbers', 'Town\tMen\tWomen', 'Anna\t500\t600', true],
  ['a title', 'Towns', 'Anna\t500', true],
  ['a number', 'Bert\t400\t700', 'Anna\t500\t600', false],
  ['one word for a number', 'Bert\tunknown', 'Anna\t500', false],
  ['the same word for each number', 'Bert\tnone\tnone', 'Anna\t500\t600', false],
  ['words below words', 'Bert\tBonn\tA 2', 'Anna\tKiel\tA 1', false],
  ['a second line of a title', 'in euros', 'Salaries', false],
])('a row with %s begins anew', (_what, line, before, expected) =>
  expect(beginsAnew(row(line), row(before))).toBe(expected),
)
