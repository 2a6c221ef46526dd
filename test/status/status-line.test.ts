import { expect, test } from 'vitest'
import { type Stage, stages } from '../../src/ledger/views/view-files.ts'
import type { FolderView } from '../../src/ledger/views/view-folders.ts'
import { statusLine } from '../../src/status/text/status-line.ts'

function folder(
  files: Partial<Record<Stage, number>>,
  change: Partial<FolderView> = {},
): FolderView {
  const amounts = stages.map((stage) => [stage, { files: files[stage] ?? 0, bytes: 0 }])
  return {
    name: 'docs',
    first_scan_ms: 1,
    offline_reason: undefined,
    stages: Object.fromEntries(amounts),
    ...change,
  } as FolderView
}

const account = { about: 'account', message: 'it was revoked' }
const api = { about: 'api', message: 'connection refused' }
const project = { about: 'project:project_1', message: 'no such project' }

test.each([
  ['all in', [folder({ ready: 12_431, skipped: 7, gone: 3 })], [], '12,431 ready'],
  [
    'summed over folders',
    [
      folder({ ready: 12_000, sending: 1 }),
      folder({ ready: 431, settling: 1, ingesting: 1, refused: 1, blocked: 2 }),
    ],
    [],
    '12,431 ready, 3 on the way, 1 refused, 2 blocked',
  ],
  [
    'the token',
    [folder({ waiting: 3 })],
    [api, account],
    'token refused: it was revoked; service unreachable, retrying; 0 ready, 3 on the way',
  ],
  ['a project', [folder({})], [project], 'project project_1 refused: no such project; 0 ready'],
  [
    'a folder',
    [folder({ ready: 1 }, { offline_reason: 'unmounted' })],
    [],
    'docs is offline; 1 ready',
  ],
  [
    'the beginning',
    [folder({}, { first_scan_ms: undefined })],
    [],
    '0 ready, first scan under way',
  ],
])('shows what matters in one line: %s', (_what, folders, troubles, line) => {
  expect(statusLine({ folders, troubles })).toBe(line)
})

test('a pause comes first', () => {
  expect(statusLine({ folders: [folder({ waiting: 2 })], troubles: [api], is_paused: true })).toBe(
    'paused; service unreachable, retrying; 0 ready, 2 on the way',
  )
})

test('a ledger that cannot record comes first: the counts are old', () => {
  const ledger_fault = { message: 'the disk is full', since_ms: Date.UTC(2026, 0, 2) }
  expect(
    statusLine({ folders: [folder({ ready: 2 })], troubles: [], is_paused: true, ledger_fault }),
  ).toBe('Sluice can record nothing since 2026-01-02 00:00: the disk is full; paused; 2 ready')
})

test('reports a service that has not answered, even without a trouble', () => {
  expect(statusLine({ folders: [folder({ ready: 2 })], troubles: [], is_unreachable: true })).toBe(
    'service unreachable, retrying; 2 ready',
  )
})
