import { expect, test } from 'vitest'
import { barText, createPassMeter, passState } from '../../../src/cli/text/pass-meter.ts'
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
    sent: { files: 13, bytes: 13_000 },
    sending: { files: 3, bytes: 3_000 },
    moved: undefined,
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

const moved_bytes = (bytes: number) => ({ files: 0, bytes, count: 1, largest_left_bytes: 0 })
const state = (files: number, bytes: number, is_scanning = false) => ({
  is_scanning,
  total: { files: 1_000, bytes: 10_000_000 },
  done: { files, bytes },
  sent: { files, bytes },
  sending: { files: 0, bytes: 0 },
  moved: moved_bytes(0),
})

test('rates come from the last seconds, the time left from the whole pass', () => {
  const meter = createPassMeter()
  expect(meter(state(0, 0, true), 0)).toMatchObject({
    files: '0 of 1,000 files',
    left: 'still scanning',
  })
  expect(meter(state(0, 0), 100).left).toBe('')
  for (let second = 1; second <= 40; second++)
    meter(state(second * 5, second * 50_000), second * 1_000)
  expect(meter(state(205, 2_050_000), 41_000)).toEqual({
    files: '205 of 1,000 files',
    bytes: '2.0 MB of 10 MB',
    rate: '5.0 files/s, 50 kB/s',
    left: expect.stringMatching(/^about 2 min (3|4)\d s left$/),
  })
  expect(meter(state(1_000, 10_000_000), 42_000).left).toBe('done')
})

test('nothing is shown before a tenth of the time, or for bytes of a kind not seen yet', () => {
  const meter = createPassMeter()
  for (let second = 0; second <= 60; second++)
    expect(meter(state(second * 16, second), second * 1_000).left).toBe('')
})

test('the bytes of a large file count in the rate while they move', () => {
  const meter = createPassMeter()
  meter(state(0, 0), 0)
  const moving = { ...state(0, 0), moved: moved_bytes(2_000_000) }
  expect(meter(moving, 2_000).rate).toBe('0.0 files/s, 1.0 MB/s')
})

test('a line and a bar leave out what is not known', () => {
  const texts = { files: '1 of 2 files', bytes: '1 B of 2 B', rate: '1 files/s, 1 B/s', left: '' }
  expect(barText(0.5, texts, 200)).toMatch(/1 B\/s$/)
})
