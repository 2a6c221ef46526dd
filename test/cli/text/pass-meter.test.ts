import { expect, test } from 'vitest'
import { createPassMeter, passState } from '../../../src/cli/text/pass-meter.ts'
import { type Stage, stages } from '../../../src/ledger/views/view-files.ts'
import type { FolderView } from '../../../src/ledger/views/view-folders.ts'

function folder(
  amounts: Partial<Record<Stage, number>>,
  change: Partial<FolderView> = {},
): FolderView {
  const each = stages.map((stage) => [
    stage,
    { files: amounts[stage] ?? 0, bytes: (amounts[stage] ?? 0) * 1_000 },
  ])
  return { scan_ended_ms: 2_000, stages: Object.fromEntries(each), ...change } as FolderView
}

test('a file counts as done if nothing more happens to it by itself; a deleted file does not count', () => {
  const one = folder({
    ready: 5,
    refused: 1,
    removed_on_service: 1,
    blocked: 1,
    skipped: 1,
    gone: 50,
  })
  const other = folder({ settling: 1, waiting: 2, sending: 3, ingesting: 4 })
  expect(passState([one, other], 1_000)).toEqual({
    is_scanning: false,
    total: { files: 19, bytes: 19_000 },
    done: { files: 9, bytes: 9_000 },
  })
})

test.each([
  [{ scan_ended_ms: undefined }, true],
  [{ scan_ended_ms: 999 }, true],
  [{ scan_ended_ms: 1_000 }, false],
  [{ scan_ended_ms: undefined, offline_reason: 'unmounted' }, false],
] as const)('a folder with %j is being scanned: %s', (change, is_scanning) => {
  expect(passState([folder({}, change)], 1_000).is_scanning).toBe(is_scanning)
})

const state = (files: number, bytes: number, is_scanning = false) => ({
  is_scanning,
  total: { files: 1_000, bytes: 10_000_000 },
  done: { files, bytes },
})

test('rate and remaining time come from the last seconds', () => {
  const meter = createPassMeter()
  expect(meter(state(0, 0, true), 0)).toMatchObject({
    files: '0 of 1,000 files',
    left: 'still scanning',
  })
  expect(meter(state(0, 0), 100).left).toBe('time left unknown')
  // A slow start no longer counts after the window.
  for (let second = 1; second <= 40; second++)
    meter(state(Math.max(0, second - 20) * 10, second * 1_000), second * 1_000)
  expect(meter(state(210, 42_000), 41_000)).toEqual({
    files: '210 of 1,000 files',
    bytes: '42 kB of 10 MB',
    rate: '10 files/s, 1.1 kB/s',
    left: expect.stringMatching(/^2 h \d+ min left$/),
  })
})

test('the longer of two estimates counts: by files or by bytes', () => {
  const meter = createPassMeter()
  meter(state(0, 0), 0)
  expect(meter(state(10, 5_000_000), 1_000).left).toBe('1 min 39 s left')
  const large = createPassMeter()
  large(state(0, 0), 0)
  expect(large(state(990, 1_000_000), 1_000).left).toBe('9 s left')
  expect(large(state(1_000, 10_000_000), 2_000).left).toBe('done')
})
