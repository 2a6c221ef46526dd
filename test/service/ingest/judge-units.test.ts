import { expect, test } from 'vitest'
import type { AssetReading } from '../../../src/contract/messages/messages-assets.ts'
import { readingOf, type UnitFound } from '../../../src/service/ingest/judge-units.ts'

const text: UnitFound = { words: 21, picture_share: 0 }
const blank: UnitFound = { words: 0, picture_share: 0 }
const scan: UnitFound = { words: 0, picture_share: 1 }
const pages = (count: number, page: UnitFound) => Array<UnitFound>(count).fill(page)

test.each<[string, UnitFound[], Partial<AssetReading> | undefined]>([
  ['text only', pages(3, text), { of: 3, seen: 3 }],
  ['no page', [], undefined],
  ['nothing drawn', pages(2, blank), undefined],
  ['pictures only', pages(2, scan), undefined],
  ['one word and a blank back', [{ words: 1, picture_share: 0 }, blank], { of: 2, seen: 2 }],
  ['one scan', [text, scan], { of: 2, seen: 1, why: 'page 2 is a picture' }],
  [
    'nine scans behind a cover',
    [text, ...pages(9, scan)],
    { of: 10, seen: 1, why: 'pages 2–10 are pictures' },
  ],
  [
    'a picture of a third of the page',
    [text, { words: 0, picture_share: 0.333 }],
    { of: 2, seen: 2 },
  ],
  [
    'one above a third',
    [text, { words: 0, picture_share: 0.34 }],
    { of: 2, seen: 1, why: 'page 2 is a picture' },
  ],
  [
    'a picture above 20 words',
    [text, { words: 20, picture_share: 1 }],
    { of: 2, seen: 1, why: 'page 2 is a picture' },
  ],
  [
    'one slide, with a picture and a title',
    [{ words: 3, picture_share: 1 }],
    { of: 2, seen: 1, unit: 'part', why: 'page 1 is a picture' },
  ],
  [
    'captions only',
    pages(3, { words: 3, picture_share: 1 }),
    { of: 4, seen: 1, unit: 'part', why: 'pages 1–3 are pictures' },
  ],
  ['a picture above 21 words', [{ words: 21, picture_share: 1 }], { of: 1, seen: 1 }],
  [
    'pages in turn',
    [scan, text, scan, scan, text, scan],
    { of: 6, seen: 2, why: 'pages 1, 3–4 and 6 are pictures' },
  ],
  [
    'more ranges than a line holds',
    Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? text : scan)),
    { of: 16, seen: 8, why: 'pages 2, 4, 6, 8, 10 and 3 more are pictures' },
  ],
  [
    'two reasons',
    [text, scan, { ...blank, fault: 'is encrypted' }, { ...blank, fault: 'is encrypted' }],
    { of: 4, seen: 1, why: 'page 2 is a picture; pages 3–4 are encrypted' },
  ],
  [
    'reasons that name what is missing',
    [text, scan, ...pages(7, { ...text, fault: 'the file a.zip: encrypted', is_named: true })],
    {
      of: 9,
      seen: 1,
      why: `page 2 is a picture; ${'the file a.zip: encrypted; '.repeat(5)}2 pages more`,
    },
  ],
])('B-36 %s', (_what, found, reading) => {
  expect(readingOf('page', found)).toEqual(reading && { unit: 'page', ...reading })
})
