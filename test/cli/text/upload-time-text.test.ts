import { expect, test } from 'vitest'
import { firstSyncLines } from '../../../src/cli/text/upload-time-text.ts'
import { estimateOf } from '../../../src/inspect/plan/plan.ts'
import { configFor } from '../../inspect/config-for.ts'

/** The text for this much to upload. */
function textFor(options: {
  files: number
  bytes: number
  uploads?: object
  is_minimum?: boolean
}) {
  const { uploads = {}, is_minimum = false, ...amount } = options
  const estimate = estimateOf(amount, {
    config: configFor({ root: '/nowhere/notes', uploads }),
    ledger: undefined,
    now_ms: 0,
  })
  return firstSyncLines(estimate, is_minimum, 200).map(({ text }) => text)
}

test('the estimate names its basis', () => {
  expect(textFor({ files: 1_200, bytes: 9e9 })).toEqual([
    'first sync: 1,200 files (9.0 GB) to upload',
    '  it takes about 2 h if the line carries 10 Mbit/s (uploads.bandwidth sets no limit)',
  ])
  expect(textFor({ files: 1_200, bytes: 9e9, uploads: { bandwidth: '5MB/s' } })).toEqual([
    'first sync: 1,200 files (9.0 GB) to upload',
    '  it takes about 30 min at 5.0 MB/s, the average of uploads.bandwidth over a day',
  ])
  expect(textFor({ files: 48_000, bytes: 48_000, uploads: { concurrency: 4 } })).toEqual([
    'first sync: 48,000 files (48 kB) to upload',
    '  it takes about 1 h with 4 calls at once (uploads.concurrency), if each takes 0.1 s',
  ])
})

test('limits that make files wait stand beside it', () => {
  expect(
    textFor({
      files: 2,
      bytes: 300,
      uploads: { limit: { bytes: '100B' }, max_bytes_per_day: '100B' },
    }),
  ).toEqual([
    'first sync: 2 files (300 B) to upload',
    '  it takes about 3 days at uploads.max_bytes_per_day',
    'more than uploads.limit allows (100,000 files or 100 B in 24 h): the rest waits for `sluice accept PATH`',
  ])
})

test('an amount that may be larger is a minimum', () => {
  expect(textFor({ files: 1, bytes: 9e9, is_minimum: true })).toEqual([
    'first sync: at least 1 file (9.0 GB) to upload',
    '  it takes at least 2 h if the line carries 10 Mbit/s (uploads.bandwidth sets no limit)',
  ])
})

test('nothing to upload has no time', () => {
  expect(textFor({ files: 0, bytes: 0 })).toEqual(['first sync: 0 files (0 B) to upload'])
  const not_counted = textFor({ files: 0, bytes: 0, is_minimum: true })
  expect(not_counted).toEqual(['first sync: not known yet: no file was found'])
})
