import { describe, expect } from 'vitest'
import { day_ms, hour_ms } from '../../../../src/base/time/time.ts'
import type { FolderFact } from '../../../../src/domain/fact.ts'
import type { RemoveWork } from '../../../../src/ledger/ledger.ts'
import {
  type Bench,
  type LedgerFactory,
  md5Of,
  nothing_seen,
  other_project_id,
  statOf,
} from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'

const removing: Partial<FolderFact> = {
  on_delete: 'remove',
  on_change: 'remove_old',
  delete_grace_ms: hour_ms,
}
const keeping: Partial<FolderFact> = {
  on_delete: 'keep',
  on_change: 'keep',
  delete_grace_ms: hour_ms,
}

async function remove(bench: Bench, limit = 100): Promise<RemoveWork[]> {
  return (await bench.ledger.claimToRemove(limit, { except_projects: [] })).work
}

/** The grace period ends, and every folder is scanned after it. */
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

  describe('a removal in flight', () => {
    ledgerTest('is claimed by nobody else, also after its worker kept the asset', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toMatchObject([{ content }])
      await bench.record({ type: 'asset_kept', content, not_before_ms: bench.clock.now_ms() })
      expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
      expect(await remove(bench)).toEqual([])
      bench.ledger.release('remove', [content])
      expect(await remove(bench)).toMatchObject([{ content }])
    })
  })

  describe('a file that is deleted', () => {
    ledgerTest('is removed after the grace and a scan, and never before', async (bench) => {
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
      expect(bench.see.history(content)).toEqual(
        expect.arrayContaining(['removal_intended', 'asset_removed']),
      )
    })

    ledgerTest(
      'is kept until a scan began after the grace, or while the folder is offline',
      async (bench) => {
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
        expect(await remove(bench), 'online again, and not scanned').toEqual([])
        await bench.scanned('docs')
        expect(await remove(bench)).toHaveLength(1)
      },
    )

    ledgerTest(
      'is not removed by the first scan after a return, neither deleted nor changed',
      async (bench) => {
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
        await bench.record({
          type: 'scan_finished',
          folder: 'docs',
          began_ms,
          summary: nothing_seen,
        })
        expect(await remove(bench)).toEqual([])
        await bench.clock.advance(1_000)
        await bench.scanned('docs')
        expect((await remove(bench)).map(({ content }) => content).sort()).toEqual(
          [deleted, changed].sort(),
        )
      },
    )

    ledgerTest(
      'is kept after a start until a scan shows that the file is not back, because a user may have put it back',
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

    ledgerTest(
      'is kept while another folder of its project is offline: it may have moved there',
      async (bench) => {
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
      },
    )

    ledgerTest('is kept under "keep", and a later policy does not change that', async (bench) => {
      await bench.online('docs', keeping)
      await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await bench.configure('docs', removing)
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest(
      'is kept while the policy is withdrawn, and removed when the policy is back',
      async (bench) => {
        await bench.online('docs', removing)
        await ready(bench, 'docs', 'a', 'text')
        await bench.gone('docs', 'a')
        await bench.configure('docs', keeping)
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
        await bench.configure('docs', removing)
        expect(await remove(bench)).toHaveLength(1)
      },
    )

    ledgerTest('is kept while a moved or copied file holds its bytes', async (bench) => {
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
      ledgerTest(
        `is kept while a file of the same size has not settled, until that file ${what}`,
        async (bench) => {
          await bench.online('docs', removing)
          await ready(bench, 'docs', 'a', 'text')
          await bench.gone('docs', 'a')
          await bench.seen('docs', 'new', 'TEXT', day_ms)
          await later(bench, 'docs')
          expect(await remove(bench)).toEqual([])
          await end(bench)
          expect(await remove(bench), 'at once, and not at the next scan').toHaveLength(1)
        },
      )
    }

    ledgerTest('is kept if the service had it before Sluice', async (bench) => {
      await bench.online('docs', removing)
      const content = await bench.settle('docs', 'a', 'text')
      await bench.record({ type: 'slot_intended', content })
      await bench.record({ type: 'asset_found', content, asset_id: 'asset_of_somebody_else00' })
      await bench.record({ type: 'asset_ready', content })
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
    })

    ledgerTest(
      'is kept while another content uses the same asset and has a path',
      async (bench) => {
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
      },
    )

    ledgerTest(
      'is kept when the file is ignored now or belongs to another project',
      async (bench) => {
        await bench.online('docs', removing)
        await ready(bench, 'docs', 'a', 'text')
        await ready(bench, 'docs', 'b', 'more text')
        await bench.record({ type: 'file_ignored', folder: 'docs', path: 'a' })
        await bench.configure('docs', { ...removing, project_id: other_project_id })
        await bench.settle('docs', 'b', 'more text')
        await bench.gone('docs', 'b')
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
      },
    )

    ledgerTest('is kept while its folder is not in the configuration', async (bench) => {
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
    ledgerTest('its old version is removed once the new one is ready', async (bench) => {
      await known(bench, 'docs')
      const old = await ready(bench, 'docs', 'a', 'old')
      await bench.seen('docs', 'a', 'newer')
      expect(await remove(bench)).toEqual([])
      const newer = await bench.settle('docs', 'a', 'newer')
      expect(await remove(bench)).toEqual([])
      await bench.makeReady(newer)
      expect(await remove(bench)).toMatchObject([{ content: old }])
    })

    ledgerTest(
      'its old version stays after a start until a scan, because it may be back',
      async (bench) => {
        await known(bench, 'docs')
        await ready(bench, 'docs', 'a', 'old')
        await ready(bench, 'docs', 'a', 'newer')
        await bench.reopen()
        expect(await remove(bench)).toEqual([])
        await bench.scanned('docs')
        expect(await remove(bench)).toHaveLength(1)
      },
    )

    ledgerTest('going back to the old bytes removes only the version in between', async (bench) => {
      await known(bench, 'docs')
      await ready(bench, 'docs', 'a', 'old')
      const between = await ready(bench, 'docs', 'a', 'between')
      await bench.settle('docs', 'a', 'old')
      expect(await remove(bench)).toMatchObject([{ content: between }])
    })

    ledgerTest('its old version stays when the new one is refused', async (bench) => {
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
      'its old version counts as a deleted file when it is deleted before the new version is ready',
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

    ledgerTest(
      'a version that becomes ready without a path is removed after the next one is ready',
      async (bench) => {
        await known(bench, 'docs')
        const slow = await bench.settle('docs', 'a', 'slow')
        await bench.send(slow)
        await ready(bench, 'docs', 'a', 'newer')
        expect(await remove(bench)).toEqual([])
        await bench.record({ type: 'asset_ready', content: slow })
        expect(await remove(bench)).toMatchObject([{ content: slow }])
      },
    )
  })

  describe('a file that comes back', () => {
    ledgerTest('within the grace stays as before', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.clock.advance(hour_ms / 2)
      expect(await bench.settle('docs', 'a', 'text')).toBe(content)
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
    })

    ledgerTest('after its removal is sent again, and is no new arrival', async (bench) => {
      await bench.online('docs', removing)
      const content = await ready(bench, 'docs', 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      await remove(bench)
      await bench.record({ type: 'asset_removed', content })
      expect(await bench.settle('docs', 'a', 'text')).toBe(content)
      expect(await bench.sendable()).toMatchObject([
        { content, state: 'wanted', asset_id: undefined },
      ])
      await bench.makeReady(content)
      expect(bench.see.sequence()).toEqual([1])
    })

    ledgerTest(
      'during its removal is sent again once the asset is gone, also after a restart',
      async (bench) => {
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
      },
    )

    ledgerTest(
      'during its removal is ready as before when the service keeps the asset',
      async (bench) => {
        await bench.online('docs', removing)
        const content = await ready(bench, 'docs', 'a', 'text')
        await bench.gone('docs', 'a')
        await later(bench, 'docs')
        await remove(bench)
        await bench.settle('docs', 'a', 'text')
        await bench.record({ type: 'asset_kept', content, not_before_ms: bench.clock.now_ms() })
        expect(bench.see.counts('docs')).toEqual({ ready: { files: 1, bytes: 4 } })
        expect(await remove(bench)).toEqual([])
      },
    )
  })

  describe('many removals at once', () => {
    const wiped = { files: 10, percent: 50 }
    const few = { removal: { files: 2, percent: 10, per_ms: day_ms, wiped } }
    const usual = { removal: { files: 100, percent: 10, per_ms: day_ms, wiped } }
    async function withFiles(bench: Bench, count: number): Promise<void> {
      await bench.online('docs', removing)
      for (let file = 0; file < count; file++) await ready(bench, 'docs', `${file}`, `text ${file}`)
    }

    ledgerTest(
      'wait for a user, who accepts those that exist now and none that come later',
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
      'count together with the removals of the last days',
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
      'of most of a small folder, deleted file by file within a day, wait for a user',
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
      'of most files with a content wait for a user, however many others are there',
      async (bench) => {
        await withFiles(bench, 20)
        for (let file = 0; file < 100; file++) {
          const of = { folder: 'docs', path: `other ${file}`, stat: statOf(0) }
          await bench.record({ type: 'file_skipped', ...of, reason: 'empty', rule: '' })
        }
        for (let file = 0; file < 11; file++) await bench.gone('docs', `${file}`)
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
      },
      usual,
    )

    ledgerTest(
      'over many days, or of old versions of files that stay, are normal work',
      async (bench) => {
        await withFiles(bench, 20)
        for (let file = 0; file < 11; file++) {
          await bench.gone('docs', `${file}`)
          await bench.clock.advance(day_ms / 5)
        }
        for (let file = 11; file < 20; file++)
          await ready(bench, 'docs', `${file}`, `another text ${file}`)
        await later(bench, 'docs')
        expect(await remove(bench)).toHaveLength(20)
      },
      usual,
    )
  })

  ledgerTest(
    'a pause hands out no removal, and a released claim can be claimed again',
    async (bench) => {
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
    },
  )

  ledgerTest(
    'after a clock that ran a year ahead, the grace begins when it is right, and nothing waits a year',
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

  ledgerTest('an intent has no effect while a path holds the bytes', async (bench) => {
    await bench.online('docs', removing)
    const content = await ready(bench, 'docs', 'a', 'text')
    await bench.record({ type: 'removal_intended', content })
    expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
  })
}
