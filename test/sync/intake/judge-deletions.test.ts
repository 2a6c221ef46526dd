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
  known_files: 1_000,
  counted: undefined,
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
  test.each<[string, number, Partial<DeletionsSeen>]>([
    ['most files are deleted', 501, {}],
    [
      'single events add up to most files of the last scan',
      1,
      { folder: { ...folder, counted: { files: 2_001, directories: 1 } } },
    ],
    ['the root is offline', 1, { root: { kind: 'offline', reason: 'missing', detail: '' } }],
    ['another disk is mounted', 1, { root: { ...root, device: 2n } }],
    ['another directory stands at the root', 1, { root: { ...root, identity: '9@9' } }],
    ['no disk of the folder is known yet', 1, { folder: { ...folder, device: undefined } }],
    ['the folder is empty', 1, { root: { ...root, empty: true }, by_full_scan: true }],
    ['many more files are missing than the user confirmed', 900, { folder: acknowledged(400) }],
  ])('%s', (_what, deleted, change) => {
    expect(judge(deleted, change)).toBe('scan_first')
  })
})

test('a full scan has judged the number of deletions itself', () => {
  expect(judge(900, { by_full_scan: true })).toBe('record')
})

test('records deletions that the user confirmed', () => {
  expect(judge(900, { folder: acknowledged(100) })).toBe('record')
  expect(judge(1_000, { folder: acknowledged(0), root: { ...root, empty: true } })).toBe('record')
})
