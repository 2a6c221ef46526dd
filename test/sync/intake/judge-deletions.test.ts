import { describe, expect, test } from 'vitest'
import type { OnlineRoot } from '../../../src/disk/root/root.ts'
import type { FolderState } from '../../../src/ledger/ledger.ts'
import { type DeletionsSeen, judgeDeletions } from '../../../src/sync/intake/judge-deletions.ts'

const limits = { empty_folder_files: 10, missing_files: 100, missing_percent: 50 }
const root = { kind: 'online', device: 1n, identity: '2@3', empty: false } as OnlineRoot
const folder = {
  name: 'docs',
  device: 1n,
  identity: '2@3',
  evidence: 1_000,
  most_evidence: 1_000,
} as FolderState

function judge(deleted: number, change: Partial<DeletionsSeen> = {}): string {
  return judgeDeletions({ deleted, folder, root, by_full_scan: false, limits, ...change })
}

/** The folder after a user confirmed that this number of files is left. */
function acknowledged(files: number): FolderState {
  return { ...folder, disappearance: { device: 1n, identity: '2@3', files, is_accepted: true } }
}

test('records a few deletions', () => {
  expect(judge(500)).toBe('record')
})

describe('requires a full scan first', () => {
  test.each<[string, number, Partial<DeletionsSeen>, 'record_others' | 'scan_first']>([
    ['most files are deleted', 501, {}, 'record_others'],
    [
      'single events add up to most files of the last scan',
      1,
      { folder: { ...folder, most_evidence: 2_001 } },
      'record_others',
    ],
    [
      'the root is offline',
      1,
      { root: { kind: 'offline', reason: 'missing', detail: '' } },
      'scan_first',
    ],
    ['another disk is mounted', 1, { root: { ...root, device: 2n } }, 'scan_first'],
    ['another disk, and no file shows a loss', 0, { root: { ...root, device: 2n } }, 'scan_first'],
    [
      'another directory stands at the root',
      1,
      { root: { ...root, identity: '9@9' } },
      'scan_first',
    ],
    [
      'no disk of the folder is known yet',
      1,
      { folder: { ...folder, device: undefined } },
      'scan_first',
    ],
    [
      'the folder is empty',
      1,
      { root: { ...root, empty: true }, by_full_scan: true },
      'record_others',
    ],
    [
      'many more files are missing than the user confirmed',
      900,
      { folder: acknowledged(400) },
      'record_others',
    ],
  ])('%s', (_what, deleted, change, verdict) => {
    expect(judge(deleted, change)).toBe(verdict)
  })
})

test('records deletions of files that show no loss, however many, even the last ones', () => {
  expect(judge(0)).toBe('record')
  expect(judge(0, { root: { ...root, empty: true } })).toBe('record')
  expect(judge(0, { folder: { ...folder, most_evidence: 100_000 } })).toBe('record')
})

test('a full scan has judged the number of deletions itself', () => {
  expect(judge(900, { by_full_scan: true })).toBe('record')
})

test('records deletions that the user confirmed', () => {
  expect(judge(900, { folder: acknowledged(100) })).toBe('record')
  expect(judge(1_000, { folder: acknowledged(0), root: { ...root, empty: true } })).toBe('record')
})
