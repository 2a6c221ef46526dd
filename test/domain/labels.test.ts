import { expect, test } from 'vitest'
import { type LabelSettings, labelGiver, labelNames } from '../../src/domain/labels.ts'

function given(settings: Partial<LabelSettings>, ...paths: string[]): string[] {
  const give = labelGiver({ labels: [], label_from: 'none', ...settings })
  const all = { by_rule: new Map<string, string | undefined>(), by_folder: new Set<string>() }
  for (const path of paths) give(path, all)
  return labelNames(all)
}

const labels: LabelSettings['labels'] = [
  'team',
  { path: '/contracts/**', add: ['legal', 'signed'] },
  { path: '*.pdf', add: ['print'] },
  { path: 'drafts/', add: ['draft'] },
]

test.each([
  ['a.txt', ['team']],
  ['contracts/2026/a.txt', ['legal', 'signed', 'team']],
  ['contracts', ['team']],
  ['old/contracts/a.txt', ['team']],
  ['contracts/drafts/a.pdf', ['draft', 'legal', 'print', 'signed', 'team']],
])('%s has the labels of every rule that matches it', (path, names) => {
  expect(given({ labels }, path)).toEqual(names)
})

test('paths with the same content give their labels together', () => {
  expect(given({ labels }, 'x/b.pdf', 'contracts/a')).toEqual(['legal', 'print', 'signed', 'team'])
})

test('the names of folders are labels if they are long enough, and one line', () => {
  expect(
    given({ label_from: 'every_folder' }, 'two\nlines/Bonn/tab\there/line\u2028end/a.txt'),
  ).toEqual(['Bonn'])
  expect(given({ label_from: 'every_folder' }, 'Berlin/x/2026/a.txt', 'top.txt')).toEqual([
    '2026',
    'Berlin',
  ])
  expect(given({ label_from: 'first_folder' }, 'Berlin/x/2026/a.txt', 'top.txt')).toEqual([
    'Berlin',
  ])
  expect(given({ label_from: 'none' }, 'Berlin/a.txt')).toEqual([])
})

test('with too many labels the names of folders are left out, the last by name first', () => {
  const paths = Array.from(
    { length: 200 },
    (_, index) => `folder ${String(index).padStart(3, '0')}/a`,
  ).reverse()
  const names = given({ labels: ['zeta'], label_from: 'every_folder' }, ...paths)
  expect(names).toHaveLength(100)
  expect(names.slice(-2)).toEqual(['folder 098', 'zeta'])
})
