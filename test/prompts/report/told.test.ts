import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mentionsOf, namesIn } from '../../../src/base/text/mentions.ts'
import type { SourceRead } from '../../../src/domain/source-read.ts'
import { readText, toldFiles, toldText } from '../../../src/prompts/report/told.ts'
import { assetOf, turnOf } from '../settings.ts'

const assets = ['a.pdf', 'b.pdf', 'c.pdf'].map((path, turn) => {
  return { ...assetOf(turn, `finance/2026/${path}`), turn: Math.min(turn, 1) }
})
const sourceOf = (at: number, source: Omit<SourceRead, 'asset_id'>): SourceRead => {
  return { asset_id: assets[at]!.asset_id, ...source }
}
const said_first = [
  { ...turnOf('{}', 'See `a.pdf`.'), sources: [sourceOf(0, { read: 'part', places: ['page 2'] })] },
  turnOf('{}', 'Nothing more; xb.pdf and b.pdf_old are others.'),
]

test.each([
  ['a service that says nothing', said_first.slice(1), [undefined, undefined, undefined]],
  ['a service that says it for one of two turns', said_first, ['part', undefined, undefined]],
  [
    'a file that the service does not list',
    [
      { ...said_first[0]!, sources: [] },
      { ...said_first[1]!, sources: [] },
    ],
    ['not', 'not', 'not'],
  ],
  [
    'the source of another turn',
    [{ ...said_first[0]!, sources: [sourceOf(1, { read: 'whole' })] }],
    ['not', undefined, undefined],
  ],
])('what was read: %s', (_, turns, read) => {
  expect(toldFiles({ assets, turns }).map((file) => file.read)).toEqual(read)
})

test('a file is named only where an answer has its whole name', () => {
  const files = toldFiles({ assets, turns: said_first })
  expect(files.map(({ is_named }) => is_named)).toEqual([true, false, false])
  expect(files[0]).toMatchObject({ places: ['page 2'], why: undefined })
})

test('the line that says why a file was not read does not name it', () => {
  const answer = 'Nothing on the rest.\n\n## Not read\n\n- finance/1.md: in part, past the limit'
  const source = sourceOf(0, { read: 'part', why: 'past the limit' })
  const isNamed = (text: string) =>
    toldFiles({
      assets: [{ ...assets[0]!, name: 'finance/1.md' }],
      turns: [{ ...said_first[0]!, answer: text, sources: [source] }],
    })[0]!.is_named
  expect([isNamed(answer), isNamed(`1.md says more. ${answer}`)]).toEqual([false, true])
})

const told = (read: SourceRead['read'] | undefined, is_named = false) => ({ read, is_named })

test.each([
  [[told(undefined), told(undefined, true)], 'the service does not say which it read; 1 named'],
  [[told('whole', true), told('whole'), told('not')], '2 read whole, 1 not read; 1 named'],
  [[told('part'), told(undefined)], '1 read in part, 1 not known; none named'],
])('what of several files was read: %j', (files, text) => {
  expect(toldText(files)).toBe(`${text} in the answer`)
})

test.each([
  [{ read: 'whole' as const }, 'read whole'],
  [
    { read: 'part' as const, places: ['page 2'], why: 'too long' },
    'read in part (page 2; too long)',
  ],
  [{ read: 'not' as const, why: null }, 'not read'],
  [{ read: null }, undefined],
])('what of one file was read: %j', (file, text) => {
  expect(readText(file)).toBe(text)
})

test('property: the files that an answer names are those that it mentions', () => {
  const piece = fc.constantFrom('a', 'b.', '-', ' ', '_', 'é', '\u{1d4b6}', '9', '(', 'ab')
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.array(text), text, (names, answer) => {
      const mentioned = names.filter((name) => mentionsOf(answer, name).length > 0)
      expect(namesIn(answer, names)).toEqual(new Set(mentioned))
    }),
  )
})

test('ten thousand files and an answer of 1 MB hold the thread for less than a second', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => {
    return { ...assets[0]!, turn: 0, name: `finance/Report ${at} of the week.docx` }
  })
  const answer = 'Report 7 of the week.docx says that nothing has changed.\n'.repeat(20_000)
  const before = process.cpuUsage()
  const files = toldFiles({ assets: many, turns: [turnOf('{}', answer)] })
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  expect(files.filter(({ is_named }) => is_named)).toHaveLength(1)
})
