import { describe, expect, test } from 'vitest'
import { isBlank, isPlaceholder, originalOf, placeholdersOf } from '../../src/domain/placeholder.ts'
import { md5Of } from '../ledger/fixture.ts'

const times = { mtime_ns: 0n, ctime_ns: 0n, inode: 0n }
const document = { is_evidence: true, reason: undefined, stat: { size: 5_000 } }
const new_file = { is_evidence: false, reason: undefined, stat: { size: 5_000 } }

describe('a file is a placeholder by its stat', () => {
  test.each([
    ['a document that has one byte now', 'a.docx', 1, document, true],
    ['a document that was emptied: empty, and its content stays', 'a.docx', 0, document, false],
    ['a document that has two bytes now', 'a.docx', 2, document, false],
    [
      'a document of one byte that has another one',
      'VERSION',
      1,
      { ...document, stat: { size: 1 } },
      false,
    ],
    ['an unknown file of one byte: its byte decides', 'VERSION', 1, undefined, false],
    ['a file of one byte that never settled', 'VERSION', 1, new_file, false],
    [
      'a placeholder still',
      'a.docx',
      1,
      { is_evidence: false, reason: 'placeholder', stat: { size: 1 } },
      true,
    ],
    [
      'a placeholder that got its bytes',
      'a.docx',
      2,
      { is_evidence: false, reason: 'placeholder', stat: { size: 1 } },
      false,
    ],
    [
      'a file that `start` left out: `start` judges it',
      'a.docx',
      1,
      { ...document, reason: 'before_start' },
      false,
    ],
    ['an ending of Nextcloud and one byte', 'b/a.docx.nextcloud', 1, undefined, true],
    ['an ending of ownCloud and no byte', 'a.docx.owncloud', 0, undefined, true],
    ['a document that a person gave such an ending', 'move to.nextcloud', 2, undefined, false],
  ])('%s: %s with %i bytes', (_name, path, size, known, expected) => {
    expect(
      isPlaceholder(path, { size }, known && { ...known, stat: { ...times, ...known.stat } }),
    ).toBe(expected)
  })
})

test.each([
  [' ', true],
  ['', false],
  ['2', false],
  ['\n', false],
  ['  ', false],
])('the bytes %j are those of a placeholder: %s', (text, expected) => {
  expect(isBlank(text.length, md5Of(text))).toBe(expected)
})

test.each([
  ['a.docx.nextcloud', 'a.docx'],
  ['b/a.docx.owncloud', 'b/a.docx'],
  ['a.docx', undefined],
  ['.nextcloud', undefined],
  ['b/.owncloud', undefined],
])('%j stands for %j', (path, original) => {
  expect(originalOf(path)).toBe(original)
})

test('the places of a placeholder, and what may lie there', () => {
  expect(placeholdersOf('b/a.docx')).toEqual([
    'b/a.docx.nextcloud',
    'b/a.docx.owncloud',
    'b/.a.docx.icloud',
  ])
  expect(placeholdersOf('a.docx').at(-1)).toBe('.a.docx.icloud')
})
