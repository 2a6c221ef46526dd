import { describe, expect } from 'vitest'
import { day_ms, hour_ms } from '../../../../src/base/time/time.ts'
import type { FolderFact } from '../../../../src/domain/fact.ts'
import type { RemoveWork } from '../../../../src/ledger/ledger.ts'
import { type Bench, type LedgerFactory, md5Of, nothing_seen, other_project_id, statOf } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'

const removing: Partial<FolderFact> = { on_delete: 'remove', on_change: 'remove_old', delete_grace_ms: hour_ms }
const keeping: Partial<FolderFact> = { on_delete: 'keep', on_change: 'keep', delete_grace_ms: hour_ms }

async function remove(bench: Bench, limit = 100): Promise<RemoveWork[]> {
  return (await bench.ledger.claimToRemove(limit, { except_projects: [] })).work
}

/** The grace is over, and every folder was looked at since. */
async function later(bench: Bench, ...folders: string[]): Promise<void> {
  await bench.clock.advance(2 * hour_ms)
  for (const folder of folders) await bench.scanned(folder)
}

async function known(bench: Bench, folder: string): Promise<void> {
  await bench.online(folder, removing)
  await bench.scanned(folder)
}

export function removalContract(factory: LedgerFactory): void {
  const ledgerTest = withLedger(factory)

  async function ready(bench: Bench, folder: string, path: string, text: string): Promise<number> {
    const content = await bench.settle(folder, path, text)
    if (bench.see.content(md5Of(text))?.state !== 'ready') await bench.makeReady(content)
    return content
  }

  describe('a file that is deleted', () => {
    ledgerTest('is removed after the grace and a look, and never before', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.clock.advance(hour_ms / 2)
      await bench.scanned('docs')
      expect(await remove(bench)).toEqual([])
      await bench.clock.advance(hour_ms)
      expect(await remove(bench), 'it may have been put back since the last scan').toEqual([])
      await bench.scanned('docs')
      expect(await remove(bench)).toMatchObject([{ content, name: 'docs/a', is_fresh: true }])
      expect(bench.see.content(md5Of('text'))?.state).toBe('removing')
      await bench.record({ type: 'asset_removed', content })
      expect(bench.see.content(md5Of('text'))).toMatchObject({ state: 'abandoned', asset_id: null })
      expect(bench.see.history(content)).toEqual(expect.arrayContaining(['removal_intended', 'asset_removed']))
    })

    ledgerTest('is kept while no look at the folder began since, or the folder is offline', async (bench) => {
      await bench.online('docs', removing)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.clock.advance(2 * hour_ms)
      expect(await remove(bench)).toEqual([])
      await bench.scanned('docs')
      await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'missing' })
      await bench.clock.advance(day_ms)
      expect(await remove(bench)).toEqual([])
      await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
      expect(await remove(bench), 'back, and not looked at').toEqual([])
      await bench.scanned('docs')
      expect(await remove(bench)).toHaveLength(1)
    })

    ledgerTest('is removed by no scan that is the first after a return, whether deleted or changed', async (bench) => {
      await bench.online('docs', { ...removing, delete_grace_ms: 0 })
      const deleted = await ready(bench, 'docs', 'a', 'text')
      const changed = await ready(bench, 'docs', 'b', 'old')
      await bench.scanned('docs')
      await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'missing' })
      await bench.clock.advance(1_000)
      await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
      const began_ms = bench.clock.now_ms()
      await bench.clock.advance(1_000)
      await bench.gone('docs', 'a')
      await ready(bench, 'docs', 'b', 'newer')
      await bench.clock.advance(1_000)
      await bench.record({ type: 'scan_finished', folder: 'docs', began_ms, summary: nothing_seen })
      expect(await remove(bench)).toEqual([])
      await bench.clock.advance(1_000)
      await bench.scanned('docs')
      expect((await remove(bench)).map(({ content }) => content).sort()).toEqual([deleted, changed].sort())
    })

    ledgerTest(
      'is kept after a start until it was looked for: somebody may have put it back meanwhile',
      async (bench) => {
        await bench.online('docs', removing)
        await ready(bench, 'docs', 'a', 'text')
        await bench.gone('docs', 'a')
        await later(bench, 'docs')
        await bench.reopen()
        await bench.clock.advance(day_ms)
        expect(await remove(bench)).toEqual([])
        await bench.scanned('docs')
        expect(await remove(bench)).toHaveLength(1)
      },
    )

    ledgerTest('is kept while another folder of its project is offline: it may have moved there', async (bench) => {
      await bench.online('docs', removing)
      await bench.online('share', keeping)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.record({ type: 'folder_offline', folder: 'share', reason: 'missing' })
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      await bench.record({ type: 'folder_online', folder: 'share', device: 5n })
      await bench.scanned('share')
      expect(await remove(bench)).toHaveLength(1)
    })

    ledgerTest('is kept where its folder keeps, and a policy that comes later does not reach back', async (bench) => {
      await bench.online('docs', keeping)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await bench.configure('docs', removing)
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest('is kept when the policy was taken back meanwhile, and goes when it is there again', async (bench) => {
      await bench.online('docs', removing)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.configure('docs', keeping)
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      await bench.configure('docs', removing)
      expect(await remove(bench)).toHaveLength(1)
    })

    ledgerTest('was moved: no delete; its copy still is there: neither', async (bench) => {
      await bench.online('docs', removing)
      await ready(bench, 'docs', 'a', 'moved')
      await bench.gone('docs', 'a')
      await bench.settle('docs', 'b', 'moved')
      await ready(bench, 'docs', 'c', 'copied')
      await bench.settle('docs', 'd', 'copied')
      await bench.gone('docs', 'c')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      await bench.gone('docs', 'b')
      await later(bench, 'docs')
      expect(await remove(bench)).toMatchObject([{ name: 'docs/a' }])
    })

    const twin_ends: Record<string, (bench: Bench) => Promise<unknown>> = {
      'has come to rest': (bench) => bench.settle('docs', 'new', 'TEXT'),
      'has another size': (bench) => bench.seen('docs', 'new', 'TEXT and more', day_ms),
      'is gone': (bench) => bench.gone('docs', 'new'),
    }
    for (const [what, end] of Object.entries(twin_ends)) {
      ledgerTest(`is kept while a file of its size has not come to rest, and until that one ${what}`, async (bench) => {
        await bench.online('docs', removing)
        await ready(bench, 'docs', 'a', 'text')
        await bench.gone('docs', 'a')
        await bench.seen('docs', 'new', 'TEXT', day_ms)
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
        await end(bench)
        expect(await remove(bench), 'at once, and not at the next scan').toHaveLength(1)
      })
    }

    ledgerTest('was never ours: a hit is kept', async (bench) => {
      await bench.online('docs', removing)
      const content = await bench.settle('docs', 'a', 'text')
      await bench.record({ type: 'slot_intended', content })
      await bench.record({ type: 'asset_found', content, asset_id: 'asset_of_somebody_else00' })
      await bench.record({ type: 'asset_ready', content })
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest('is kept while another content has the same asset, and a path', async (bench) => {
      await bench.online('docs', removing)
      const content = await bench.settle('docs', 'a', 'text')
      const asset_id = await bench.makeReady(content)
      const other = await bench.settle('docs', 'b', 'other bytes, taken for the same')
      await bench.record({ type: 'slot_intended', content: other })
      await bench.record({ type: 'asset_found', content: other, asset_id })
      await bench.record({ type: 'asset_ready', content: other })
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest('in the rules no more, or with another project: kept', async (bench) => {
      await bench.online('docs', removing)
      await ready(bench, 'docs', 'a', 'text')
      await ready(bench, 'docs', 'b', 'more text')
      await bench.record({ type: 'file_ignored', folder: 'docs', path: 'a' })
      await bench.configure('docs', { ...removing, project_id: other_project_id })
      await bench.settle('docs', 'b', 'more text')
      await bench.gone('docs', 'b')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest('a folder that left the configuration keeps what it has', async (bench) => {
      await bench.online('docs', removing)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.record({ type: 'folders_removed_except', names: [] })
      await bench.clock.advance(30 * day_ms)
      expect(await remove(bench)).toEqual([])
      await bench.configure('docs', removing)
      await bench.scanned('docs')
      expect(await remove(bench)).toHaveLength(1)
    })
  })

  describe('a file that changes', () => {
    ledgerTest('its old version goes once the new one is ready', async (bench) => {
      await known(bench, 'docs')
      const old = await ready(bench, 'docs', 'a', 'old')
      await bench.seen('docs', 'a', 'newer')
      expect(await remove(bench)).toEqual([])
      const newer = await bench.settle('docs', 'a', 'newer')
      expect(await remove(bench)).toEqual([])
      await bench.makeReady(newer)
      expect(await remove(bench)).toMatchObject([{ content: old }])
    })

    ledgerTest('its old version stays after a start until the folder was looked at: it may be back', async (bench) => {
      await known(bench, 'docs')
      await ready(bench, 'docs', 'a', 'old')
      await ready(bench, 'docs', 'a', 'newer')
      await bench.reopen()
      expect(await remove(bench)).toEqual([])
      await bench.scanned('docs')
      expect(await remove(bench)).toHaveLength(1)
    })

    ledgerTest('and is back at the old bytes: nothing goes but the one between', async (bench) => {
      await known(bench, 'docs')
      await ready(bench, 'docs', 'a', 'old')
      const between = await ready(bench, 'docs', 'a', 'between')
      await bench.settle('docs', 'a', 'old')
      expect(await remove(bench)).toMatchObject([{ content: between }])
    })

    ledgerTest('the new one is refused: the old one stays', async (bench) => {
      await known(bench, 'docs')
      await ready(bench, 'docs', 'a', 'old')
      const newer = await bench.settle('docs', 'a', 'newer')
      const error = { code: 'too.large', message: 'too large' }
      await bench.record({ type: 'content_refused', content: newer, error })
      await bench.clock.advance(day_ms)
      expect(await remove(bench)).toEqual([])
      await bench.record({
        type: 'file_skipped',
        folder: 'docs',
        path: 'a',
        stat: statOf(0),
        reason: 'empty',
        rule: '',
      })
      await bench.clock.advance(day_ms)
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest(
      'was changed and then deleted before the new version was in: the old one is as a deleted file',
      async (bench) => {
        await bench.online('docs', { ...removing, on_delete: 'keep' })
        await bench.online('notes', removing)
        for (const folder of ['docs', 'notes']) {
          await ready(bench, folder, 'a', `old ${folder}`)
          await bench.settle(folder, 'a', `new ${folder}`)
          await bench.gone(folder, 'a')
        }
        expect(await remove(bench)).toEqual([])
        await later(bench, 'docs', 'notes')
        expect(await remove(bench)).toMatchObject([{ name: 'notes/a' }])
      },
    )

    ledgerTest('became ready when nobody held it any more: it goes when its follower is ready', async (bench) => {
      await known(bench, 'docs')
      const slow = await bench.settle('docs', 'a', 'slow')
      await bench.send(slow)
      await ready(bench, 'docs', 'a', 'newer')
      expect(await remove(bench)).toEqual([])
      await bench.record({ type: 'asset_ready', content: slow })
      expect(await remove(bench)).toMatchObject([{ content: slow }])
    })
  })

  describe('what comes back', () => {
    ledgerTest('within the grace: it is as before', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.clock.advance(hour_ms / 2)
      expect(await bench.settle('docs', 'a', 'text')).toBe(content)
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
    })

    ledgerTest('after it was removed: it is sent anew, and is no new arrival', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await remove(bench)
      await bench.record({ type: 'asset_removed', content })
      expect(await bench.settle('docs', 'a', 'text')).toBe(content)
      expect(await bench.sendable()).toMatchObject([{ content, state: 'wanted', asset_id: undefined }])
      await bench.makeReady(content)
      expect(bench.see.sequence()).toEqual([1])
    })

    ledgerTest('while it is being removed: it is sent anew once it is gone, also over a restart', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await remove(bench)
      await bench.settle('docs', 'a', 'text')
      expect(bench.see.counts('docs')).toEqual({ removing: { files: 1, bytes: 4 } })
      expect(await bench.sendable()).toEqual([])
      await bench.reopen()
      expect(await remove(bench)).toMatchObject([{ content, is_fresh: false }])
      await bench.record({ type: 'asset_removed', content })
      expect(await bench.sendable()).toMatchObject([{ content, state: 'wanted' }])
    })

    ledgerTest('while it is being removed, and the service keeps it: it is ready as before', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await remove(bench)
      await bench.settle('docs', 'a', 'text')
      await bench.record({ type: 'asset_kept', content, not_before_ms: bench.clock.now_ms() })
      expect(bench.see.counts('docs')).toEqual({ ready: { files: 1, bytes: 4 } })
      expect(await remove(bench)).toEqual([])
    })
  })

  describe('much at once', () => {
    const wiped = { files: 10, percent: 50 }
    const few = { removal: { files: 2, percent: 10, per_ms: day_ms, wiped } }
    const usual = { removal: { files: 100, percent: 10, per_ms: day_ms, wiped } }
    async function withFiles(bench: Bench, count: number): Promise<void> {
      await bench.online('docs', removing)
      for (let file = 0; file < count; file++) await ready(bench, 'docs', `${file}`, `text ${file}`)
    }

    ledgerTest(
      'waits for a person, who says yes to what there is and to nothing later',
      async (bench) => {
        await withFiles(bench, 8)
        for (const path of ['0', '1', '2']) await bench.gone('docs', path)
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
        await bench.clock.advance(7 * day_ms)
        await bench.scanned('docs')
        expect(await remove(bench)).toEqual([])
        await bench.record({ type: 'accepted', folder: 'docs', path: '' })
        expect(await remove(bench)).toEqual([])
        await bench.record({ type: 'removals_accepted', folder: 'docs', path: '' })
        const said = await remove(bench)
        expect(said).toHaveLength(3)
        for (const { content } of said) await bench.record({ type: 'asset_removed', content })
        for (const path of ['3', '4', '5']) await bench.gone('docs', path)
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
      },
      few,
    )

    ledgerTest(
      'what was removed lately counts with what is about to be',
      async (bench) => {
        await withFiles(bench, 8)
        for (const path of ['0', '1', '2']) {
          await bench.gone('docs', path)
          await later(bench, 'docs')
          const work = await remove(bench)
          expect(work).toHaveLength(path === '2' ? 0 : 1)
          for (const { content } of work) await bench.record({ type: 'asset_removed', content })
        }
        await bench.clock.advance(2 * day_ms)
        expect(await remove(bench)).toHaveLength(1)
      },
      few,
    )

    ledgerTest(
      'most of a small folder, deleted file by file within a day, waits for a person',
      async (bench) => {
        await withFiles(bench, 20)
        for (let file = 0; file < 11; file++) await bench.gone('docs', `${file}`)
        await later(bench, 'docs')
        await bench.clock.advance(7 * day_ms)
        await bench.scanned('docs')
        expect(await remove(bench)).toEqual([])
        await bench.record({ type: 'removals_accepted', folder: 'docs', path: '' })
        expect(await remove(bench)).toHaveLength(11)
      },
      usual,
    )

    ledgerTest(
      'the same over many days, or as old versions of files that stay, is what people do',
      async (bench) => {
        await withFiles(bench, 20)
        for (let file = 0; file < 11; file++) {
          await bench.gone('docs', `${file}`)
          await bench.clock.advance(day_ms / 5)
        }
        for (let file = 11; file < 20; file++) await ready(bench, 'docs', `${file}`, `another text ${file}`)
        await later(bench, 'docs')
        expect(await remove(bench)).toHaveLength(20)
      },
      usual,
    )
  })

  ledgerTest('a pause hands out nothing; a claim that is given back is free again', async (bench) => {
    await bench.online('docs', removing)
    const content = await ready(bench, 'docs', 'a', 'text')
    await bench.gone('docs', 'a')
    await later(bench, 'docs')
    await bench.record({ type: 'paused', by: 'me', why: undefined, until_ms: undefined })
    expect(await remove(bench)).toEqual([])
    await bench.record({ type: 'resumed' })
    expect(await remove(bench)).toHaveLength(1)
    expect(await remove(bench)).toEqual([])
    bench.ledger.release('remove', [content])
    expect(await remove(bench)).toMatchObject([{ content, is_fresh: false }])
  })

  ledgerTest(
    'a clock that ran a year ahead: the grace begins when it is set right, and nothing waits for a year',
    async (bench) => {
      await known(bench, 'docs')
      const old = await ready(bench, 'docs', 'a', 'old')
      await ready(bench, 'docs', 'a', 'newer')
      await ready(bench, 'docs', 'b', 'text')
      const [ahead_ms, error] = [365 * day_ms, { code: 'network.timeout', message: 'no answer' }]
      await bench.clock.advance(ahead_ms)
      expect(await remove(bench)).toMatchObject([{ content: old }])
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'removal_deferred', content: old, not_before_ms, error })
      bench.free(old)
      await bench.gone('docs', 'b')
      bench.clock.jumpWall(-ahead_ms)
      await bench.scanned('docs')
      expect(await remove(bench)).toMatchObject([{ content: old, is_fresh: false }])
      await bench.record({ type: 'asset_removed', content: old })
      await bench.clock.advance(hour_ms / 2)
      await bench.scanned('docs')
      expect(await remove(bench)).toEqual([])
      await later(bench, 'docs')
      expect(await remove(bench)).toMatchObject([{ name: 'docs/b' }])
    },
  )

  ledgerTest('no intent stands while a path holds the bytes', async (bench) => {
    await bench.online('docs', removing)
    const content = await ready(bench, 'docs', 'a', 'text')
    await bench.record({ type: 'removal_intended', content })
    expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
  })
}
