import { expect, test } from 'vitest'
import { day_ms, hour_ms } from '../../src/base/time/time.ts'
import { uploadTime } from '../../src/inspect/plan/upload-time.ts'
import { configFor } from './config-for.ts'

function estimate(
  amount: { files: number; bytes: number },
  uploads: object = {},
  days: number | null = null,
) {
  return uploadTime(amount, configFor({ root: '/nowhere/docs', uploads }).uploads, days)
}

test('without a limit for the line, an assumed line of 10 Mbit/s sends 4.5 GB in an hour', () => {
  expect(estimate({ files: 10, bytes: 4.5e9 })).toEqual({
    ms: hour_ms,
    decided_by: 'bytes',
    bytes_per_s: 1_250_000,
    bytes_per_s_from: 'assumed',
    calls_at_once: 16,
    assumed_call_ms: 100,
  })
})

test('uploads.bandwidth decides the rate; hours without a limit count with the assumed line', () => {
  const limited = estimate({ files: 10, bytes: 3.6e9 }, { bandwidth: '2MB/s' })
  expect(limited).toMatchObject({
    ms: hour_ms / 2,
    bytes_per_s: 2e6,
    bytes_per_s_from: 'uploads.bandwidth',
  })
  const half_a_day = estimate(
    { files: 10, bytes: 1e9 },
    { bandwidth: { '08:00-20:00': '250kB/s' } },
  )
  expect(half_a_day).toMatchObject({ bytes_per_s: 750_000, bytes_per_s_from: 'uploads.bandwidth' })
})

test('many small files take as long as their calls, which uploads.concurrency limits', () => {
  const small = { files: 480_000, bytes: 480_000 }
  expect(estimate(small)).toMatchObject({
    ms: 2.5 * hour_ms,
    decided_by: 'calls',
    calls_at_once: 16,
  })
  expect(estimate(small, { concurrency: 4 })).toMatchObject({ ms: 10 * hour_ms, calls_at_once: 4 })
})

test('a daily limit decides if the bytes take more than a day under it', () => {
  expect(estimate({ files: 3, bytes: 300 }, {}, 3)).toMatchObject({
    ms: 3 * day_ms,
    decided_by: 'max_bytes_per_day',
  })
  expect(estimate({ files: 3, bytes: 4.5e9 }, {}, 1)).toMatchObject({
    ms: hour_ms,
    decided_by: 'bytes',
  })
})

test('nothing to upload takes no time', () => {
  expect(estimate({ files: 0, bytes: 0 }).ms).toBe(0)
})
