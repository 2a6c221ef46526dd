import { expect, test } from 'vitest'
import {
  type Found,
  hasVanished,
  isNewcomer,
  isOtherDisk,
  waitingText,
} from '../../src/domain/disappearance.ts'

const limits = { empty_folder_files: 10, missing_files: 100, missing_percent: 50 }

test.each<[what: string, found: Found, vanished: boolean]>([
  ['nothing is missing', { known: 12_431, missing: 0, files: 12_431 }, false],
  ['all of a few', { known: 9, missing: 9, files: 0 }, false],
  ['all of many', { known: 12_431, missing: 12_431, files: 0 }, true],
  ['all but a stray one', { known: 12_431, missing: 12_431, files: 1 }, true],
  ['less than half', { known: 1_000, missing: 499, files: 501 }, false],
  ['more than half', { known: 1_000, missing: 501, files: 499 }, true],
  ['more than half of not so many', { known: 150, missing: 100, files: 50 }, false],
  ['all of it renamed, or replaced', { known: 12_431, missing: 12_431, files: 12_431 }, false],
  ['all of it, beside 145 skipped files', { known: 150, missing: 150, files: 0 }, true],
  ['half of it renamed, half of it gone', { known: 1_000, missing: 1_000, files: 499 }, true],
])('%s', (_what, found, vanished) => expect(hasVanished(found, limits)).toBe(vanished))

const now_ms = 1_700_000_000_000

test.each<[what: string, arrived_ms: number | undefined, is_newcomer: boolean]>([
  ['there before the folder was configured', undefined, false],
  ['just now', now_ms, true],
  ['9 min 59 s ago', now_ms - 599_000, true],
  ['10 min ago', now_ms - 600_000, false],
  ['in the future: a clock was wrong', now_ms + 1, false],
])('a file that came %s is a newcomer: %s', (_what, arrived_ms, is_newcomer) => {
  expect(isNewcomer(arrived_ms, now_ms)).toBe(is_newcomer)
})

test.each<[known: number, met: number, is_other: boolean]>([
  [1, 1, false],
  [1, 0, true],
  [3, 3, false],
  [3, 2, true],
  [4, 2, false],
  [4, 1, true],
  [12_431, 6_216, false],
  [12_431, 6_215, true],
])('of %i known files %i are found: another disk %s', (known, met, is_other) => {
  expect(isOtherDisk({ known, met })).toBe(is_other)
})

test('the text says what was found and what to do, and never asks for a file to be made', () => {
  expect(waitingText('docs', { known: 12_431, missing: 12_431, files: 0 })).toBe(
    '0 of 12,431 files found: waiting; if that is right: sluice accept docs',
  )
})
