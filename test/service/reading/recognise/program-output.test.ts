import { expect, test } from 'vitest'
import {
  isBlankPage,
  languagesIn,
  recognisedWords,
  waited_ms,
} from '../../../../src/service/recognise/program-output.ts'

/** A row of tesseract's table: block, paragraph and line of a word. */
const row = (place: string, word: string, confidence = 96) =>
  ['5', '1', ...place.split(' '), '1', '0', '0', '9', '9', `${confidence}`, word].join('\t')

test.each([
  ['words of a line', [row('1 1 1', 'blue'), row('1 1 1', 'boat')], 'blue boat'],
  ['lines', [row('1 1 1', 'blue'), row('1 1 2', 'boat')], 'blue\nboat'],
  ['paragraphs', [row('1 1 1', 'blue'), row('1 2 1', 'boat')], 'blue\n\nboat'],
  ['blocks', [row('1 1 1', 'blue'), row('2 1 1', 'boat')], 'blue\n\nboat'],
  ['a word parted at a line end', [row('1 1 1', 'har-'), row('1 1 2', 'bour')], 'harbour'],
  ['words in doubt', [row('1 1 1', 'blue'), row('1 1 1', 'x~', 12)], 'blue'],
  ['a few marks of a photo', [row('1 1 1', 'i'), row('1 1 2', '|'), row('1 1 3', 'e')], ''],
  ['rows of other levels', ['level\tpage', row('1 1 1', ' '), row('1 1 1', 'boat'), ''], 'boat'],
])('the words of a page: %s', (_what, rows, words) =>
  expect(recognisedWords(rows.join('\n'))).toBe(words),
)

const pixels = 100_000

test.each([
  ['white', 255, 0, 0, true],
  ['yellowed paper', 190, 0, 0, true],
  ['dust', 255, 20, 40, true],
  ['a line of text', 255, 20, 400, false],
  ['white on black', 0, 400, 255, false],
])('a page is blank: %s', (_what, paper, ink, count, expected) => {
  const grey = Buffer.alloc(pixels, paper)
  grey.fill(ink, 0, count)
  const picture = Buffer.concat([Buffer.from(`P5\n1000 100\n255\n`), grey])
  expect(isBlankPage(picture)).toBe(expected)
})

test('a picture of another form is not blank', () =>
  expect(isBlankPage(Buffer.from('P6\n1 1\n255\n...'))).toBe(false))

test('the languages of tesseract, without what is no language', () => {
  const answer = 'List of available languages in "/usr/share" (4):\ndeu\neng\nosd\nchi_sim\n'
  expect(languagesIn(answer)).toEqual(['deu', 'eng', 'chi_sim'])
  expect(languagesIn('')).toEqual([])
})

test.each([
  ['it ran and waited', '2500000000 750000000 40\n', 750],
  ['it waited without end', '1 999000000000 1\n', 60_000],
  ['the kernel does not say it', '', 0],
])('time without a processor is no time of a program: %s', (_what, schedstat, ms) =>
  expect(waited_ms(schedstat)).toBe(ms),
)
