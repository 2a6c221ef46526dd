import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { day_ms, hour_ms } from '../../src/base/time/time.ts'
import type { FileStat } from '../../src/domain/file.ts'
import type { SkipSettings } from '../../src/domain/file-reasons.ts'
import { typeRefusal } from '../../src/domain/file-type.ts'
import { type Plan, planUploads } from '../../src/inspect/plan/plan.ts'
import { type FolderPlan, TypeTally } from '../../src/inspect/plan/plan-answer.ts'
import { judge } from '../../src/inspect/plan/plan-files.ts'
import { typesUnreadBy } from '../../src/inspect/plan/unread-types.ts'
import { nothing_seen } from '../ledger/fixture.ts'
import { openRig } from '../ledger/views/view-rig.ts'
import { makeStore, makeTree } from '../rig/tree.ts'
import { configFor } from './config-for.ts'

const now_ms = Date.UTC(2026, 5, 1)

function statAt(root: string, path: string): FileStat {
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(join(root, path), { bigint: true })
  return { size: Number(size), mtime_ns: mtimeNs, ctime_ns: ctimeNs, inode: BigInt.asIntN(64, ino) }
}

const staying = ({ stays }: FolderPlan) =>
  Object.fromEntries(stays.map(({ reason, files }) => [reason, files]))
const only = (plan: Plan) => plan.folders[0]!

test('without a ledger: JSON shows files to send by type, and the others with reasons', async () => {
  const root = makeTree({
    'a.TXT': '12345',
    'b.txt': '123',
    'sub/c.pdf': '1',
    LICENSE: '12',
    empty: '',
    'big.iso': { bytes: 2_000 },
    '~$lock.docx': 'x',
    '.sluiceignore': '# none\nsecret/\n',
    'secret/x': 'x',
    link: { link: 'a.TXT' },
  })
  writeFileSync(Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff])]), 'x')
  expect(spawnSync('mkfifo', [join(root, 'pipe')]).status).toBe(0)
  const config = configFor({ root, folder: { max_file_bytes: '1kB' } })
  const plan = await planUploads({ config, ledger: undefined, hash: false, now_ms })
  expect(JSON.parse(JSON.stringify(plan).replaceAll(root, 'ROOT'))).toMatchSnapshot()
})

test('files of refused types stay: those that the ledger blocks, and new ones', async () => {
  const root = makeTree({
    'known.gz': 'known',
    'new.GZ': 'new',
    'other.txt': 'text',
    '1.png': '1',
    '2.png': '2',
    '3': '3',
  })
  const rig = await openRig({ root })
  const stat = statAt(root, 'known.gz')
  await rig.record({
    type: 'file_settled',
    folder: 'notes',
    path: 'known.gz',
    stat,
    md5: 'a'.repeat(32),
  })
  const content = rig.view().story('notes', 'known.gz')!.content!.id
  await rig.record({ type: 'type_refused', content, error: typeRefusal('gz') })
  const config = configFor({ root, state_dir: rig.state_dir })
  const { project_id } = config.folders[0]!
  const keys = [
    ...['gz', 'png', ''].map((type) => `${project_id} ${type}`),
    'project_of_others txt',
  ]
  const unread_types = new Map(keys.map((key) => [key, 'refused'] as const))
  const plan = await planUploads({ config, ledger: rig.view(), hash: false, unread_types, now_ms })
  const group = { reason: 'type_refused', files: 2 }
  expect(only(plan).stays).toEqual([
    { ...group, extension: 'gz', bytes: 8, examples: ['known.gz', 'new.GZ'] },
    { ...group, extension: 'png', bytes: 2, examples: ['1.png', '2.png'] },
    { ...group, extension: '', files: 1, bytes: 1, examples: ['3'] },
  ])
  expect(only(plan).would_upload.files).toBe(1)
})

describe('the types that the service could not read, from its list', () => {
  const asset = (name: string, status: 'failed' | 'ready', index: number) =>
    ({ asset_id: `asset_${index}`, filename: name, status, raw_status: status }) as const

  function typesOf(...given: ReturnType<typeof asset>[]) {
    const assets = given.map((each, index) => ({ ...each, asset_id: `asset_${index}` }))
    const pages = Array.from({ length: Math.ceil(assets.length / 10) }, (_, page) =>
      assets.slice(page * 10, page * 10 + 10),
    )
    const asked: (string | undefined)[] = []
    const listAssets = async (
      _project: string,
      { after_id }: { after_id?: string | undefined },
    ) => {
      asked.push(after_id)
      const at = Number(after_id ?? 0)
      const next = at + 1 < pages.length ? `${at + 1}` : undefined
      return {
        ok: true as const,
        value: { items: pages[at] ?? [], ...(next === undefined ? {} : { next }) },
      }
    }
    return { asked, types: typesUnreadBy({ listAssets } as never, ['p', 'p']) }
  }
  const many = (count: number, name: string, status: 'failed' | 'ready' = 'failed') =>
    Array.from({ length: count }, (_, index) => asset(`docs/${index}${name}`, status, index))

  test('20 failed and none ready', async () => {
    const few = many(19, '.bin')
    const mixed = [...many(30, '.pdf'), asset('a.PDF', 'ready', 1)]
    const { types } = typesOf(...many(10, '.gz'), ...few, ...mixed, ...many(10, '.GZ'))
    expect([...(await types)]).toEqual([
      ['p gz', 'refused'],
      ['p bin', 'unread'],
    ])
  })

  test('a file without a word of its own says nothing about its type', async () => {
    const no_text = many(30, '.pdf').map((item) => ({ ...item, has_no_text: true }))
    const { types } = typesOf(...no_text, ...many(3, '.bin'))
    expect([...(await types)]).toEqual([['p bin', 'unread']])
  })

  test('no more than 20 pages are read', async () => {
    const { types, asked } = typesOf(...many(500, '.txt', 'ready'))
    expect((await types).size).toBe(0)
    expect(asked).toHaveLength(20)
  })

  test('A-37 a list that begins anew counts each file once', async () => {
    let refused = 0
    const failure = { about: 'attempt', call: 'list', status: 404, message: 'no such cursor' }
    const listAssets = async (_project: string, { after_id }: { after_id?: string }) => {
      if (after_id === undefined)
        return { ok: true, value: { items: many(10, '.gz'), next: 'asset_9' } }
      refused += 1
      if (refused <= 5) return { ok: false, failure }
      return { ok: true, value: { items: many(1, '.gz') } }
    }
    expect([...(await typesUnreadBy({ listAssets } as never, ['p']))]).toEqual([['p gz', 'unread']])
    expect(refused).toBeGreaterThan(5)
  })

  test('none is known if the service does not answer', async () => {
    const listAssets = async () => ({ ok: false, failure: { about: 'network', message: 'cut' } })
    expect((await typesUnreadBy({ listAssets } as never, ['p'])).size).toBe(0)
  })
})

test('with a ledger: separates ready, underway and refused files from new and changed ones', async () => {
  const root = makeTree({
    in: 'in',
    way: 'way',
    no: 'no',
    changed: 'new bytes',
    fresh: 'fresh',
    over_limit: 'b',
    locked: 'l',
  })
  const rig = await openRig({
    root,
    limits: { upload_limit: { files: 4, bytes: 1e9, per_ms: day_ms } },
  })
  const settle = async (path: string, stat = statAt(root, path)) => {
    const md5 = Buffer.from(path.padEnd(16)).toString('hex')
    await rig.record({ type: 'file_settled', folder: 'notes', path, stat, md5 })
    return rig.view().story('notes', path)!.content?.id ?? -1
  }
  for (const path of ['in', 'changed']) {
    const content = await settle(
      path,
      path === 'in' ? undefined : { ...statAt(root, path), mtime_ns: 5n },
    )
    await rig.record(
      { type: 'slot_intended', content },
      { type: 'asset_found', content, asset_id: `asset_${path}` },
      { type: 'asset_ready', content },
    )
  }
  await settle('way')
  await rig.record({
    type: 'content_refused',
    content: await settle('no'),
    error: { code: 'a.b', message: 'm' },
  })
  await settle('over_limit')
  const locked = {
    type: 'file_blocked',
    folder: 'notes',
    path: 'locked',
    reason: 'unreadable',
    detail: 'EACCES',
  } as const
  await rig.record({ ...locked, stat: statAt(root, 'locked'), not_before_ms: undefined })
  const plan = await planUploads({
    config: configFor({ root, state_dir: rig.state_dir, uploads: { limit: { files: 4 } } }),
    ledger: rig.view(),
    hash: false,
    now_ms: rig.clock.now_ms(),
  })
  expect(staying(only(plan))).toEqual({
    ready: 1,
    underway: 1,
    refused: 1,
    upload_limit: 1,
    unreadable: 1,
  })
  expect(plan.would_upload.files).toBe(2)
  expect(plan.limits.upload_limit).toMatchObject({ files: 4, is_reached: true })
})

test('a file that the first scan left out stays out after a chmod and a move, until its bytes change', async () => {
  const aged_ms = 3_650 * day_ms
  const root = makeTree({
    touched: { text: '1', aged_ms },
    moved: { text: '22', aged_ms },
    written: { text: '333', aged_ms },
  })
  const rig = await openRig({ root })
  const leftOut = (path: string, known: FileStat) =>
    ({
      type: 'file_skipped',
      folder: 'notes',
      path,
      stat: known,
      reason: 'before_start',
      rule: '',
    }) as const
  await rig.record(
    leftOut('touched', { ...statAt(root, 'touched'), ctime_ns: 5n }),
    leftOut('at another path', statAt(root, 'moved')),
    leftOut('written', { ...statAt(root, 'written'), mtime_ns: 5n }),
    { type: 'scan_finished', folder: 'notes', began_ms: rig.clock.now_ms(), summary: nothing_seen },
  )
  const config = configFor({ root, state_dir: rig.state_dir, folder: { start: 'from_now' } })
  const plan = await planUploads({ config, ledger: rig.view(), hash: false, now_ms })
  expect(staying(only(plan))).toEqual({ before_start: 2 })
  expect(plan.would_upload.files).toBe(1)
})

test('a file that `start` left out, that was gone and is back with another inode, stays', async () => {
  const aged_ms = 3_650 * day_ms
  const root = makeTree({ back: { text: '1', aged_ms } })
  const rig = await openRig({ root })
  const at = { folder: 'notes', path: 'back' } as const
  const before = { ...statAt(root, 'back'), inode: 5n, ctime_ns: 5n }
  await rig.record(
    { type: 'file_skipped', ...at, stat: before, reason: 'before_start', rule: '' },
    { type: 'scan_finished', folder: 'notes', began_ms: rig.clock.now_ms(), summary: nothing_seen },
    { type: 'file_gone', ...at },
  )
  const config = configFor({ root, state_dir: rig.state_dir, folder: { start: 'from_now' } })
  const plan = await planUploads({ config, ledger: rig.view(), hash: false, now_ms })
  expect(staying(only(plan))).toEqual({ before_start: 1 })
})

test('a file that `start` left out, and that is renamed before the first scan ends, stays', async () => {
  const root = makeTree({ renamed: { text: '1', aged_ms: 3_650 * day_ms } })
  const rig = await openRig({ root })
  const stat = { ...statAt(root, 'renamed'), ctime_ns: 5n }
  const of = { folder: 'notes', path: 'old name', stat, reason: 'before_start', rule: '' } as const
  await rig.record({ type: 'file_skipped', ...of })
  const config = configFor({ root, state_dir: rig.state_dir, folder: { start: 'from_now' } })
  const plan = await planUploads({ config, ledger: rig.view(), hash: false, now_ms })
  expect(staying(only(plan))).toEqual({ before_start: 1 })
})

test('--hash: known bytes are linked, and equal files are sent once', async () => {
  const root = makeTree({
    'a.txt': 'same',
    'b/a copy.txt': 'same',
    'known.txt': 'hello',
    'new.txt': 'new',
  })
  const rig = await openRig({ root })
  await rig.bringIn('elsewhere/hello.txt', { size: 5, md5: '5d41402abc4b2a76b9719d911017c592' })
  const config = configFor({ root, state_dir: rig.state_dir })
  const plan = await planUploads({ config, ledger: rig.view(), hash: true, now_ms })
  expect(staying(only(plan))).toEqual({ same_bytes: 1, known_bytes: 1 })
  expect(plan.would_upload).toEqual({ files: 2, bytes: 7 })
  const blind = await planUploads({ config, ledger: rig.view(), hash: false, now_ms })
  expect(blind.would_upload.files).toBe(4)
})

test('reports an offline folder and plans the others', async () => {
  const root = makeTree({ 'a.txt': 'x' })
  const more = [{ name: 'away', path: join(root, '../not-there-at-all') }]
  const plan = await planUploads({
    config: configFor({ root, more }),
    ledger: undefined,
    hash: false,
    now_ms,
  })
  expect(plan.folders.map(({ offline }) => offline === null)).toEqual([true, false])
  expect(plan.would_upload.files).toBe(1)
})

test('shows the effect of the limits', async () => {
  const root = makeTree({ a: 'x'.repeat(100), b: 'x'.repeat(100), c: 'y' })
  const plan = async (uploads: object) =>
    (
      await planUploads({
        config: configFor({ root, uploads }),
        ledger: undefined,
        hash: false,
        now_ms,
      })
    ).limits
  expect(await plan({ limit: { files: 2 }, max_bytes_per_day: '100B' })).toMatchObject({
    upload_limit: { is_reached: true },
    days: 3,
  })
  expect(await plan({ limit: { files: 3 } })).toMatchObject({
    upload_limit: { is_reached: false },
    days: null,
  })
  expect(await plan({ limit: 'off' })).toMatchObject({ upload_limit: null })
})

test('writes nothing into the folder or the state directory', async () => {
  const root = makeTree({ 'a.txt': 'x' })
  const state_dir = join(makeStore(), 'state')
  mkdirSync(state_dir)
  await planUploads({
    config: configFor({ root, state_dir }),
    ledger: undefined,
    hash: true,
    now_ms,
  })
  expect(readdirSync(state_dir)).toEqual([])
  expect(readdirSync(root)).toEqual(['a.txt'])
})

describe('start', () => {
  const at = (age_ms: number) => BigInt(now_ms - age_ms) * 1_000_000n
  const aged = (age_ms: number, ctime_age_ms = age_ms): FileStat => {
    return { size: 1, mtime_ns: at(age_ms), ctime_ns: at(ctime_age_ms), inode: 1n }
  }
  const verdictOf = (start: SkipSettings['start'], stat: FileStat, first_scan_done = false) => {
    const history = {
      known: undefined,
      started_ms: now_ms,
      first_scan_done,
      moved_from_before_start: false,
    }
    return judge({
      folder: { name: 'docs', max_file_bytes: 10, start },
      path: 'a',
      stat,
      known: undefined,
      history,
    })
  }

  test('start counts for the first scan only', () => {
    const recent = { kind: 'newer_than', age_ms: day_ms } as const
    expect(verdictOf({ kind: 'all' }, aged(9 * day_ms))).toBeUndefined()
    expect(verdictOf({ kind: 'from_now' }, aged(1))).toBe('before_start')
    expect(verdictOf(recent, aged(day_ms + hour_ms, 0))).toBe('before_start')
    expect(verdictOf(recent, aged(hour_ms))).toBeUndefined()
    expect(verdictOf(recent, aged(2 * day_ms), true)).toBeUndefined()
  })
})

test.each([
  ['a/b.TXT', 'txt'],
  ['a.b/c', ''],
  ['.profile', ''],
  ['x.', ''],
  ['a.tar.gz', 'gz'],
  [`x.${'y'.repeat(40)}`, ''],
])('the type of %s', (path, extension) => {
  const types = new TypeTally()
  types.add(path, 7, false)
  expect(types.sorted()).toEqual([{ extension, files: 1, bytes: 7, unread: 0 }])
})
