import { expect, test } from 'vitest'
import { no_md5, type ScanBatch } from '../../../src/disk/scan/scan-batch.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import { createCheckTurns } from '../../../src/sync/intake/check-turns.ts'
import { createFoundFiles } from '../../../src/sync/intake/found-files.ts'
import { hashRule } from '../../../src/sync/intake/judge-file.ts'
import { md5Of } from '../../journeys/rig/disk-truth.ts'

/** A batch of files by their paths. Undefined: the walk did not read the text. */
function batchOf(files: Record<string, string | undefined>): ScanBatch {
  const paths = Object.keys(files)
  let end = 0
  return {
    count: paths.length,
    names: Buffer.from(paths.join('')),
    ends: Uint32Array.from(paths, (path) => (end += Buffer.byteLength(path))),
    stats: BigInt64Array.from(paths.flatMap((_, index) => [1n, 2n, 3n, BigInt(index)])),
    digest: '',
    md5s: Object.values(files)
      .map((text) => (text === undefined ? no_md5 : md5Of(text)))
      .join(''),
  }
}

function rig() {
  const turns = createCheckTurns()
  const facts: Fact[] = []
  const durable = deferred()
  const group = {
    record: async (more: readonly Fact[]) => {
      facts.push(...more)
      await durable.promise
    },
  }
  let in_force = true
  const turn = turns.beginScan('notes')
  const found = createFoundFiles({
    folder: 'notes',
    turn,
    rule: undefined,
    isInForce: () => in_force,
  })
  return { turns, facts, group, durable, found, changeSettings: () => (in_force = false) }
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const all = (batch: ScanBatch) => Uint32Array.from({ length: batch.count }, (_, index) => index)

test('records the read files as one fact, without unread files, known files, and files that others checked', async () => {
  const { turns, facts, group, found } = rig()
  await turns.take({ folder: 'notes', paths: ['c-by-event'], by_scan: false }, async () => {})
  const batch = batchOf({ a: 'a', 'b-large': undefined, 'c-by-event': 'c', 'd-known': 'd', ä: 'e' })
  const { taken } = found.take(batch, Uint32Array.of(0, 1, 2, 4), group)
  expect([...taken]).toEqual([0, 4])
  expect(facts).toEqual([
    {
      type: 'files_found',
      folder: 'notes',
      names: Buffer.from('aä'),
      ends: Uint32Array.of(1, 3),
      stats: BigInt64Array.of(1n, 2n, 3n, 0n, 1n, 2n, 3n, 4n),
      md5s: md5Of('a') + md5Of('e'),
    },
  ])
})

test('frees the memory of a batch at once', () => {
  const { facts, group, found } = rig()
  const batch = batchOf({ a: 'a', b: 'b' })
  found.take(batch, all(batch), group)
  batch.names.fill(0)
  batch.stats.fill(0n)
  batch.ends.fill(0)
  expect(facts).toMatchObject([
    { names: Uint8Array.from(Buffer.from('ab')), ends: Uint32Array.of(1, 2) },
  ])
})

test('a check in between waits until the batch is recorded', async () => {
  const { turns, group, durable, found } = rig()
  const batch = batchOf({ a: 'a', b: 'b' })
  const { recorded } = found.take(batch, all(batch), group)
  const order: string[] = []
  const check = turns.take(
    { folder: 'notes', paths: ['b'], by_scan: false },
    async () => void order.push('check'),
  )
  const other = turns.take(
    { folder: 'notes', paths: ['c'], by_scan: false },
    async () => void order.push('other'),
  )
  await other
  void recorded.then(() => order.push('recorded'))
  durable.resolve()
  await check
  expect(order).toEqual(['other', 'recorded', 'check'])
})

test('takes no file under settings that are no longer in force, and none that was not read', () => {
  const { facts, group, found, changeSettings } = rig()
  const batch = batchOf({ a: 'a' })
  expect(found.take({ ...batch, md5s: '' }, all(batch), group).taken.size).toBe(0)
  changeSettings()
  expect(found.take(batch, all(batch), group).taken.size).toBe(0)
  expect(facts).toEqual([])
})

test('the rule for small files agrees with their check; with `start: newer_than`, which judges each file, there is none', () => {
  const folder = {
    settle_ms: 5_000,
    max_file_bytes: 1_000_000,
    start: { kind: 'all' },
  } as FolderSettings
  const now = { now_ms: 100_000, clock_doubt_ms: 0 }
  const { max_file_bytes, start } = folder
  expect(hashRule(folder, now)).toEqual({
    quiet_before_ns: 93_000n * 1_000_000n,
    folder: { max_file_bytes, start },
  })
  expect(hashRule(folder, { ...now, clock_doubt_ms: 50_000 })?.quiet_before_ns).toBe(
    43_000n * 1_000_000n,
  )
  expect(hashRule({ ...folder, start: { kind: 'newer_than', age_ms: 1 } }, now)).toBeUndefined()
})
