import { expect } from 'vitest'
import { waitingText } from '../../../src/domain/disappearance.ts'
import { type LedgerFactory, md5Of, nothing_seen, other_project_id, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

export function folderContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check('folders() returns whether each folder is online, offline or scanned', async (bench) => {
    const { clock } = bench
    const started_ms = clock.now_ms()
    await bench.configure('new')
    const of = async (name: string) => await bench.ledger.folder(name)
    expect(await of('new')).toMatchObject({
      online: false,
      device: undefined,
      started_ms,
      known_files: 0,
    })
    await clock.advance(1_000)
    await bench.record({ type: 'folder_online', folder: 'new', device: -7n })
    expect(await of('new')).toMatchObject({
      online: true,
      device: -7n,
      state_since_ms: started_ms + 1_000,
    })
    await clock.advance(1_000)
    await bench.record({ type: 'folder_online', folder: 'new', device: 7n })
    expect(await of('new')).toMatchObject({ device: 7n, state_since_ms: started_ms + 1_000 })
    await bench.settle('new', 'a', 'text')
    await bench.seen('new', 'b')
    await bench.record({ type: 'folder_offline', folder: 'new', reason: 'unmounted' })
    expect(await of('new')).toMatchObject({
      online: false,
      offline_reason: 'unmounted',
      known_files: 2,
    })
    await clock.advance(1_000)
    await bench.record({ type: 'folder_offline', folder: 'new', reason: 'missing' })
    expect(await of('new')).toMatchObject({
      offline_reason: 'missing',
      state_since_ms: started_ms + 2_000,
    })
    const began_ms = clock.now_ms()
    await bench.record({ type: 'folder_online', folder: 'new', device: 7n })
    await clock.advance(500)
    await bench.record({ type: 'scan_finished', folder: 'new', began_ms, summary: nothing_seen })
    await clock.advance(500)
    await bench.record({ type: 'scan_finished', folder: 'new', began_ms, summary: nothing_seen })
    expect(await of('new')).toMatchObject({
      first_scan_ms: began_ms + 500,
      scan_ended_ms: began_ms + 1_000,
    })
  })

  check(
    'folders() returns when a folder was last online or offline since the start at this root',
    async (bench) => {
      const { clock } = bench
      await bench.configure('new')
      const judged_ms = async () => (await bench.ledger.folder('new'))?.judged_ms
      expect(await judged_ms()).toBeUndefined()
      await bench.record({ type: 'folder_offline', folder: 'new', reason: 'missing' })
      const away_ms = clock.now_ms()
      expect(await judged_ms()).toBe(away_ms)
      await clock.advance(1_000)
      await bench.record({
        type: 'folder_offline',
        folder: 'new',
        reason: 'another disk',
        is_doubted: true,
      })
      expect(await judged_ms()).toBe(away_ms)
      await bench.record({ type: 'folder_offline', folder: 'new', reason: 'another disk' })
      expect(await judged_ms()).toBe(away_ms + 1_000)
      await clock.advance(1_000)
      await bench.record({ type: 'folder_online', folder: 'new', device: 7n })
      expect(await judged_ms()).toBe(away_ms + 2_000)
      await bench.configure('new')
      expect(await judged_ms()).toBe(away_ms + 2_000)
      await bench.configure('new', { root: '/elsewhere' })
      expect(await judged_ms()).toBeUndefined()

      await bench.record({ type: 'folder_offline', folder: 'new', reason: 'missing' })
      await bench.reopen()
      expect(await bench.ledger.folder('new')).toMatchObject({
        offline_reason: 'missing',
        judged_ms: undefined,
      })
    },
  )

  check('a user accepts missing files once, for the numbers that Sluice showed', async (bench) => {
    const found = { device: 7n, identity: '2@1', files: 1 }
    const asked = async () => (await bench.ledger.folders())[0]?.disappearance
    const accepted = async () => (await asked())?.is_accepted ?? false
    const scanned = (is_part: boolean) =>
      bench.record({
        type: 'scan_finished',
        folder: 'docs',
        began_ms: 1,
        summary: nothing_seen,
        is_part,
      })
    const yes = (path: string) => bench.record({ type: 'accepted', folder: 'docs', path })
    const waits = (what = found) =>
      bench.record({
        type: 'folder_offline',
        folder: 'docs',
        reason: waitingText('docs', { known: 3, missing: 2, files: 1 }),
        found: what,
      })
    for (const path of ['a', 'b', 'c']) await bench.settle('docs', path, path)
    await yes('')
    expect(await accepted(), 'nothing has disappeared').toBe(false)
    await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'missing' })
    await yes('')
    expect(await asked(), 'its disk is offline').toBeUndefined()

    await waits()
    await yes('sub')
    expect(await asked(), 'said of a part of it').toEqual({ ...found, is_accepted: false })
    await yes('')
    expect(await asked()).toEqual({ ...found, is_accepted: true })
    await waits()
    expect(await accepted(), 'the same was found once more').toBe(true)
    for (const other of [{ files: 0 }, { identity: '2@2' }, { device: 8n }]) {
      await waits({ ...found, ...other })
      expect(await accepted(), `of another: ${Object.keys(other)}`).toBe(false)
      await waits()
      await yes('')
    }
    await bench.configure('docs', { root: '/elsewhere' })
    await yes('')
    expect(await asked(), 'of the place that it had before').toBeUndefined()
    await waits({ ...found, device: 8n })
    expect(await accepted(), 'something else stands there now').toBe(false)

    await yes('')
    await bench.online('docs', { root: '/elsewhere' })
    expect(await accepted()).toBe(true)
    await scanned(true)
    expect(await accepted(), 'the scan did not get to all that is missing').toBe(true)
    await scanned(false)
    expect(
      await asked(),
      'whatever the scan counted, as long as most of it is still known',
    ).toBeUndefined()
  })

  check(
    'a folder that is configured again keeps its watcher, whatever other fields it gets',
    async (bench) => {
      const watched = {
        folder: 'docs',
        watcher: 'scan',
        reason: 'native missed changes',
        given_up: 'it missed 11 files',
      } as const
      await bench.record({ type: 'folder_watched', ...watched })
      const before = await bench.ledger.folder('docs')
      expect(before?.watch).toMatchObject({
        watcher: 'scan',
        given_up: { reason: 'it missed 11 files' },
      })
      const { project_id } = before!
      const rest = { labels: [], label_from: 'none', rules: '{"new":1}' } as const
      // The folder of a configuration has more fields than the ledger asks for.
      const folder = { name: 'docs', root: '/docs', project_id, ...rest, watch: 'native' }
      await bench.record({ type: 'folder_configured', folder })
      expect((await bench.ledger.folder('docs'))?.watch).toEqual(before?.watch)
    },
  )

  check(
    'a folder that is removed from the config and added again sends nothing again',
    async (bench) => {
      await bench.online('share')
      await bench.makeReady(await bench.settle('share', 'ready', 'ready'))
      const wanted = await bench.settle('share', 'wanted', 'wanted')
      await bench.record({ type: 'folders_removed_except', names: ['docs'] })
      expect((await bench.ledger.folders()).map(({ name }) => name)).toEqual(['docs'])
      expect(await bench.sendable()).toEqual([])
      await bench.online('share')
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([wanted])
      const [ready] = await bench.ledger.filesAt('share', ['ready'])
      expect(ready).toMatchObject({ state: 'present', stat: statOf(5) })
      expect(bench.see.arrivals('share')).toEqual([md5Of('ready')])
    },
  )

  check(
    'a folder that gets another project is checked again, and its bytes are wanted there',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a', 'text'))
      await bench.record({
        type: 'file_skipped',
        folder: 'docs',
        path: 'empty',
        stat: statOf(0),
        reason: 'empty',
        rule: '',
      })
      await bench.configure('docs', { project_id: other_project_id })
      expect(bench.see.counts('docs')).toEqual({ seen: { files: 2, bytes: 4 } })
      expect((await bench.ledger.claimToCheck(10)).work).toHaveLength(2)
      const content = await bench.settle('docs', 'a', 'text')
      expect(await bench.sendable()).toMatchObject([
        { content, project_id: other_project_id, state: 'wanted' },
      ])
      expect(bench.see.content(md5Of('text'), other_project_id)?.id).toBe(content)
      await bench.makeReady(content)
      expect(bench.see.arrivals('docs')).toEqual([md5Of('text'), md5Of('text')])
    },
  )

  check('under new rules skipped files are checked again, and present ones stay', async (bench) => {
    await bench.settle('docs', 'a', 'text')
    const skipped = { type: 'file_skipped', folder: 'docs', rule: '', stat: statOf(9) } as const
    await bench.record(
      { ...skipped, path: 'large', reason: 'too_large' },
      { ...skipped, path: 'old', reason: 'before_start' },
    )
    await bench.configure('docs', { rules: '{"max_file_bytes":10}' })
    expect((await bench.ledger.claimToCheck(10)).work.map(({ path }) => path)).toEqual([
      'large',
      'old',
    ])
    const [large, old] = await bench.ledger.filesAt('docs', ['large', 'old'])
    expect([large?.reason, old?.reason], 'start is judged as on the first day').toEqual([
      undefined,
      'before_start',
    ])
    expect(bench.see.file('docs', 'a')?.state).toBe('present')
  })

  check(
    'a file left out by start is known by inode, size and mtime, even after a move',
    async (bench) => {
      const stat = { size: 9, mtime_ns: 5n, ctime_ns: 6n, inode: 77n }
      const skipped = { type: 'file_skipped', folder: 'docs', path: 'old', rule: '', stat } as const
      await bench.record({ ...skipped, reason: 'before_start' })
      const moved = { ...stat, ctime_ns: 99n }
      expect(await bench.ledger.wasBeforeStart('docs', moved)).toBe(true)
      expect(await bench.ledger.wasBeforeStart('docs', { ...moved, inode: 78n })).toBe(false)
      expect(await bench.ledger.wasBeforeStart('docs', { ...moved, mtime_ns: 6n })).toBe(false)
      expect(await bench.ledger.wasBeforeStart('docs', { ...moved, size: 8 })).toBe(false)
      expect(await bench.ledger.wasBeforeStart('nowhere', moved)).toBe(false)
      await bench.gone('docs', 'old')
      expect(await bench.ledger.wasBeforeStart('docs', moved)).toBe(true)
      expect(bench.see.counts('docs')).toEqual({ gone: { files: 1, bytes: 9 } })
    },
  )

  check('accept allows a file that start left out', async (bench) => {
    const skipped = {
      type: 'file_skipped',
      folder: 'docs',
      path: 'old',
      rule: '',
      stat: statOf(9),
    } as const
    await bench.record(
      { ...skipped, reason: 'before_start' },
      { ...skipped, path: 'large', reason: 'too_large' },
    )
    await bench.record({ type: 'accepted', folder: 'docs', path: '' })
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([{ folder: 'docs', path: 'old' }])
    expect((await bench.ledger.filesAt('docs', ['old']))[0]).toMatchObject({
      accepted: true,
      reason: undefined,
    })
  })
}
