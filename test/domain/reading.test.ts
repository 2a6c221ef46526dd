import { describe, expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../src/base/time/time.ts'
import { type AssetSaid, ingestFault, isUsable, lossOf } from '../../src/domain/asset.ts'
import { amountRead, nextLook_ms, type Reading, readingText } from '../../src/domain/reading.ts'

describe('how much of a file was read', () => {
  test.each<[string, Reading | undefined, string, string | undefined]>([
    ['the service does not say it', undefined, 'unknown', undefined],
    ['all', { of: 10, seen: 10, unit: 'page' }, 'whole', undefined],
    [
      'all, with a doubt',
      { of: 1, seen: 1, unit: 'part', why: 'its charset is a guess' },
      'whole',
      'the service adds to what it read: its charset is a guess',
    ],
    [
      'in part',
      { of: 10, seen: 1, unit: 'page', why: 'pages 2–10 are pictures' },
      'in_part',
      '1 of 10 pages read: pages 2–10 are pictures',
    ],
    [
      'in part, without a reason',
      { of: 2, seen: 1, unit: 'slide' },
      'in_part',
      '1 of 2 slides read',
    ],
    ['much', { of: 12_000, seen: 11_999, unit: 'page' }, 'in_part', '11,999 of 12,000 pages read'],
    [
      'nothing',
      { of: 3, seen: 0, unit: 'page', why: 'its pages are pictures' },
      'nothing',
      'the service could read nothing of it: its pages are pictures',
    ],
    [
      'nothing, in a strange unit',
      { of: 3, seen: 0 },
      'nothing',
      'the service could read nothing of it',
    ],
    ['some of a strange unit', { of: 3, seen: 1, why: 'the rest is broken' }, 'unknown', undefined],
    ['all of a strange unit', { of: 3, seen: 3 }, 'unknown', undefined],
  ])('%s', (_, reading, amount, text) => {
    expect([amountRead(reading), readingText(reading)]).toEqual([amount, text])
  })
})

test.each([
  ['nothing more comes', 'pages 2–10 are pictures', 0, undefined],
  ['without a reason', undefined, 0, undefined],
  ['at first', 'recognition goes on; pages 2–10 are pictures', 0, 2_000],
  ['since a wrong clock', 'recognition goes on; page 2 is a picture', -5_000, 2_000],
  ['after a minute', 'recognition goes on; page 2 is a picture', minute_ms, minute_ms / 2],
  ['after a day', 'recognition goes on; page 2 is a picture', day_ms, hour_ms],
])('when its record is read again: %s', (_, why, age_ms, wait_ms) =>
  expect(nextLook_ms(why === undefined ? {} : { why }, 7_000, 7_000 + age_ms)).toBe(
    wait_ms === undefined ? undefined : 7_000 + age_ms + wait_ms,
  ),
)

describe('an asset of which nothing was read', () => {
  const empty: AssetSaid = {
    status: 'ready',
    raw_status: 'ready',
    reading: { of: 2, seen: 0, unit: 'page', why: 'its pages are pictures' },
  }
  const pictures: AssetSaid = {
    status: 'failed',
    raw_status: 'failed',
    why_failed: 'The file cannot be read: it has no text, only pictures',
    has_no_text: true,
  }
  const asset = { content: 7, asset_id: 'asset_7' }

  test('is not usable, and its loss is a failure of the file', () => {
    expect(isUsable(empty)).toBe(false)
    expect(isUsable({ status: 'ready', reading: { of: 2, seen: 1, unit: 'page' } })).toBe(true)
    expect(isUsable({ status: 'ready', reading: { of: 2, seen: 1 } })).toBe(true)
    expect(lossOf(asset, empty)).toMatchObject({ type: 'asset_failed', ...asset })
    expect(lossOf(asset, { ...empty, reading: { of: 2, seen: 1, unit: 'page' } })).toBe(undefined)
  })

  test.each<[string, AssetSaid, string, string]>([
    [
      'by its reading',
      empty,
      'nothing_to_read',
      'the service could read nothing of it: its pages are pictures',
    ],
    ['by its code', pictures, 'nothing_to_read', 'it has no text, only pictures'],
    [
      'by its code, without words',
      { status: 'failed', raw_status: 'failed', has_no_text: true },
      'nothing_to_read',
      'it has no text',
    ],
    [
      'by words alone, which say nothing',
      { ...pictures, has_no_text: false },
      'ingest_failed',
      'the service cannot read this file: it has no text, only pictures',
    ],
    [
      'by its code, whatever the words say of its kind',
      { ...pictures, why_failed: 'the service does not read this kind of file' },
      'nothing_to_read',
      'the service does not read this kind of file',
    ],
  ])('%s', (_, said, code, message) => {
    expect(ingestFault(said, 'scan.pdf')).toEqual({ code, message })
  })
})
