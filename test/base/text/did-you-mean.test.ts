import { expect, test } from 'vitest'
import { didYouMean, didYouMeanText, knownAre } from '../../../src/base/text/did-you-mean.ts'

const keys = ['service', 'folders', 'uploads', 'settle_ms', 'max_file_bytes', 'path']

test.each([
  ['fodlers', 'folders'],
  ['Folders', 'folders'],
  ['folder', 'folders'],
  ['settle', undefined],
  ['setle_ms', 'settle_ms'],
  ['max_file_size', 'max_file_bytes'],
  ['pth', 'path'],
  ['zzz', undefined],
  ['', undefined],
])('%s -> %s', (word, meant) => expect(didYouMean(word, keys)).toBe(meant))

test.each([
  ['nws', ['news'], 'did you mean news?'],
  ['nosuch', ['news'], 'the only prompt is news'],
  ['nosuch', ['news', 'weekly'], 'the prompts are news, weekly'],
])('the hint for %s among %j', (word, known, hint) =>
  expect(didYouMeanText(word, known, knownAre('prompt', known))).toBe(hint),
)
