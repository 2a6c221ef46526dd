import { expect, test } from 'vitest'
import { phrasesOf } from '../../../../src/service/store/passages/match-words.ts'
import { byFile, byTurns } from '../../../../src/service/store/passages/rank-hits.ts'

test.each([
  ['verträge', '"verträg" * "vertraeg" *'],
  ['zahlungen', '"zahlung" *'],
  ['straße', '"straß" * "strass" *'],
  ['strasse', '"strass" * "straß" *'],
  ['muenchen', '"muench" * "munch" *'],
  ['größe', '"größe" * "groess" * "gröss" *'],
  ['groessen', '"groess" * "groeß" * "gross" * "große" *'],
  ['haus', '"haus"'],
  ['wk1377', '"wk1377" "wk 1377"'],
  ['5', '"5" "05"'],
  ['05', '"05" "5"'],
  ['policies', '"policies"'],
  ['2024', '"2024"'],
])('%s matches %s', (word, phrases) => {
  expect(phrasesOf(word).join(' ')).toBe(phrases)
})

test('English words stay as they are', () => {
  expect(phrasesOf('contracts', true)).toEqual(['"contracts"'])
  expect(phrasesOf('uebersicht', true)).toEqual(['"uebersicht"', '"ubersicht"'])
})

test('a file has one passage before another file has its first, unless its second fits half again as well', () => {
  const hits = (...scores: [asset: number, score: number][]) =>
    scores.map(([asset, score]) => ({ asset, score }))
  const order = (found: { asset: number }[]) => found.map(({ asset }) => asset)
  expect(order(byFile(hits([1, 9], [1, 8], [2, 7], [3, 6])))).toEqual([1, 2, 3, 1])
  expect(order(byFile(hits([1, 9], [1, 9], [2, 5])))).toEqual([1, 1, 2])
})

test('indexes give by turns', () => {
  expect(byTurns([['a', 'b', 'c'], [], ['d']])).toEqual(['a', 'd', 'b', 'c'])
})
