import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Found, hasVanished, isOtherDisk, waitingText } from '../../src/domain/disappearance.ts'

const limits = { empty_folder_files: 10, missing_files: 100, missing_percent: 50 }

test.each<[what: string, found: Found, vanished: boolean]>([
  ['nothing is missing', { known: 12_431, missing: 0, files: 12_431 }, false],
  ['all of a few', { known: 9, missing: 9, files: 0 }, false],
  ['all of many', { known: 12_431, missing: 12_431, files: 0 }, true],
  ['all but a stray one', { known: 12_431, missing: 12_431, files: 1 }, true],
  ['less than half', { known: 1_000, missing: 499, files: 501 }, false],
  ['more than half', { known: 1_000, missing: 501, files: 499 }, true],
  ['more than half of not so many', { known: 150, missing: 100, files: 50 }, false],
  ['all of it renamed', { known: 12_431, missing: 12_431, files: 12_431 }, false],
  ['half of it renamed, half of it gone', { known: 1_000, missing: 1_000, files: 499 }, true],
])('%s', (_what, found, vanished) => expect(hasVanished(found, limits)).toBe(vanished))

test('what made a scan doubt a folder is doubted when the folder is compared', () => {
  const numbers = fc.record({ known: fc.nat(2_000), missing: fc.nat(2_000), files: fc.nat(2_000) })
  const property = fc.property(numbers, ({ known, missing, files }) => {
    const found = { known, missing: Math.min(known, missing), files }
    if (hasVanished(found, limits)) expect(isOtherDisk(found)).toBe(true)
  })
  fc.assert(property)
})

test('it says what was found, and what to do, and never to make a file', () => {
  expect(waitingText('docs', { known: 12_431, missing: 12_431, files: 0 })).toBe(
    '0 of 12,431 files found: waiting; if that is right: sluice accept docs',
  )
})
