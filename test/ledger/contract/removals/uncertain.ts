import { describe, expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
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

async function remove(bench: Bench): Promise<RemoveWork[]> {
  const { work } = await bench.ledger.claimToRemove(100, { except_projects: [] })
  for (const { content } of work) bench.free(content)
  return work
}

/** The grace period ends, and every folder is scanned after it. */
async function later(bench: Bench, ...folders: string[]): Promise<void> {
  await bench.clock.advance(2 * hour_ms)
  for (const folder of folders) await bench.scanned(folder)
}

async function ready(bench: Bench, path: string, text: string, folder = 'docs'): Promise<number> {
  const content = await bench.settle(folder, path, text)
  if (bench.see.content(md5Of(text))?.state !== 'ready') await bench.makeReady(content)
  return content
}

async function known(bench: Bench, change: Partial<FolderFact> = {}): Promise<void> {
  await bench.online('docs', { ...removing, ...change })
  await bench.scanned('docs')
}

/** A file that was neither deleted nor changed, or not for certain, causes no removal. */
export function uncertainRemovalContract(factory: LedgerFactory): void {
  const ledgerTest = withLedger(factory)

  describe('a new file with the name of a deleted one', () => {
    for (const settles of [true, false]) {
      const what = settles ? 'settles at once' : 'is seen before its bytes are known'
      ledgerTest(`${what}: the asset that was deleted under "keep" stays`, async (bench) => {
        await known(bench, { on_delete: 'keep' })
        await ready(bench, 'a', 'old')
        await bench.gone('docs', 'a')
        if (!settles) await bench.seen('docs', 'a', 'namesake')
        await ready(bench, 'a', 'namesake')
        await later(bench, 'docs')
        expect(await remove(bench)).toEqual([])
      })
    }

    ledgerTest(
      'in a folder that keeps changes: both assets are removed after both files are deleted, a grace after the last',
      async (bench) => {
        await known(bench, { on_change: 'keep' })
        const old = await ready(bench, 'a', 'old')
        await bench.gone('docs', 'a')
        await bench.seen('docs', 'a', 'namesake')
        const namesake = await ready(bench, 'a', 'namesake')
        await later(bench, 'docs')
        expect(await remove(bench), 'a user may see a change').toEqual([])
        await bench.gone('docs', 'a')
        await bench.clock.advance(minute_ms)
        await bench.scanned('docs')
        expect(await remove(bench)).toEqual([])
        await later(bench, 'docs')
        expect((await remove(bench)).map(({ content }) => content).sort()).toEqual(
          [old, namesake].sort(),
        )
      },
    )

    ledgerTest(
      'in a folder that removes both: the old asset is removed as an old version',
      async (bench) => {
        await known(bench)
        const old = await ready(bench, 'a', 'old')
        await bench.gone('docs', 'a')
        await bench.seen('docs', 'a', 'namesake')
        expect(await remove(bench)).toEqual([])
        await ready(bench, 'a', 'namesake')
        expect(await remove(bench)).toMatchObject([{ content: old }])
      },
    )

    ledgerTest('turns out to be the same file: nothing is removed', async (bench) => {
      await known(bench)
      await ready(bench, 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.seen('docs', 'a', 'text')
      await later(bench, 'docs')
      expect(await remove(bench), 'its bytes are not known yet').toEqual([])
      await bench.settle('docs', 'a', 'text')
      await later(bench, 'docs')
      expect(await remove(bench)).toEqual([])
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toHaveLength(1)
    })

    ledgerTest('goes again before its bytes are known: the grace starts again', async (bench) => {
      await known(bench)
      const old = await ready(bench, 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench)
      await bench.seen('docs', 'a', 'other text')
      await bench.gone('docs', 'a')
      await bench.scanned('docs')
      expect(await remove(bench)).toEqual([])
      await later(bench, 'docs')
      expect(await remove(bench)).toMatchObject([{ content: old }])
    })
  })

  describe('a folder that is another directory now', () => {
    const moves: Record<string, (bench: Bench) => Promise<void>> = {
      'has another path': (bench) => bench.configure('docs', { ...removing, root: '/data/other' }),
      'left the configuration for a while': async (bench) => {
        await bench.record({ type: 'folders_removed_except', names: [] })
        await bench.configure('docs', removing)
      },
    }
    for (const [what, move] of Object.entries(moves)) {
      ledgerTest(
        `${what}: a missing or different file counts as neither deleted nor changed`,
        async (bench) => {
          await known(bench)
          for (const path of ['a', 'b', 'c', 'd']) await ready(bench, path, `text of ${path}`)
          await move(bench)
          await bench.online(
            'docs',
            what === 'has another path' ? { ...removing, root: '/data/other' } : removing,
          )
          const began_ms = bench.clock.now_ms()
          await bench.gone('docs', 'a')
          await bench.seen('docs', 'b', 'another b')
          await ready(bench, 'c', 'another c')
          await bench.record({
            type: 'scan_finished',
            folder: 'docs',
            began_ms,
            summary: nothing_seen,
          })
          await ready(bench, 'b', 'another b')
          await later(bench, 'docs')
          expect(await remove(bench)).toEqual([])
          await bench.gone('docs', 'd')
          const last = await ready(bench, 'c', 'a third c')
          await later(bench, 'docs')
          const names = (await remove(bench))
            .map(({ name, content }) => [name, content === last])
            .sort()
          expect(names, 'what happens from then on counts').toEqual([
            ['docs/c', false],
            ['docs/d', false],
          ])
        },
      )
    }

    for (const change of [{ root: '/data/other' }, { project_id: other_project_id }]) {
      ledgerTest(
        `given another ${Object.keys(change)[0]}: the asset of a file deleted before stays`,
        async (bench) => {
          await known(bench)
          await ready(bench, 'a', 'text')
          await bench.gone('docs', 'a')
          await bench.online('docs', { ...removing, ...change })
          await later(bench, 'docs')
          expect(await remove(bench)).toEqual([])
          await bench.settle('docs', 'a', 'text')
          await later(bench, 'docs')
          expect(await remove(bench)).toEqual([])
        },
      )
    }
  })

  describe('a file that may have moved', () => {
    ledgerTest(
      'an old version stays until the other folders of its project are scanned',
      async (bench) => {
        await known(bench)
        await bench.online('archive')
        await bench.scanned('archive')
        await ready(bench, 'a', 'old')
        await bench.clock.advance(minute_ms)
        await ready(bench, 'a', 'newer')
        expect(await remove(bench)).toEqual([])
        await bench.clock.advance(minute_ms)
        await bench.settle('archive', 'a-v1', 'old')
        await bench.scanned('archive')
        expect(await remove(bench), 'the archive holds it').toEqual([])
        await bench.gone('archive', 'a-v1')
        await later(bench, 'archive', 'docs')
        expect(await remove(bench), 'archive keeps').toEqual([])
      },
    )

    ledgerTest(
      'an old version is removed once a scan of the other folders has not found it',
      async (bench) => {
        await known(bench)
        await bench.online('archive')
        const old = await ready(bench, 'a', 'old')
        await ready(bench, 'a', 'newer')
        expect(await remove(bench)).toEqual([])
        await later(bench, 'archive')
        expect(await remove(bench)).toMatchObject([{ content: old }])
      },
    )

    const hides = {
      'a disk covers': { other_mounts: ['sub'] },
      'no user may read': { unreadable: [{ path: 'sub', code: 'EACCES' }], unreadable_total: 1 },
      'is one of too many unreadable ones to list': { unreadable_total: 1_000 },
    }
    for (const [what, seen] of Object.entries(hides)) {
      ledgerTest(
        `a scan does not count if it could not enter a known directory that ${what}`,
        async (bench) => {
          await known(bench)
          await ready(bench, 'sub/b', 'other')
          await ready(bench, 'a', 'text')
          await bench.gone('docs', 'a')
          await bench.clock.advance(2 * hour_ms)
          const began_ms = bench.clock.now_ms()
          const summary = { ...nothing_seen, ...seen }
          await bench.record({ type: 'scan_finished', folder: 'docs', began_ms, summary })
          expect(await remove(bench)).toEqual([])
          await bench.scanned('docs')
          expect(await remove(bench)).toHaveLength(1)
        },
      )
    }

    ledgerTest(
      'a scan counts if it could not enter a directory that never held a known file',
      async (bench) => {
        await known(bench)
        await ready(bench, 'subject', 'other')
        await ready(bench, 'a', 'text')
        await bench.gone('docs', 'a')
        await bench.clock.advance(2 * hour_ms)
        const summary = {
          ...nothing_seen,
          unreadable: [{ path: 'sub', code: 'EACCES' }],
          unreadable_total: 1,
        }
        await bench.record({
          type: 'scan_finished',
          folder: 'docs',
          began_ms: bench.clock.now_ms(),
          summary,
        })
        expect(await remove(bench)).toHaveLength(1)
      },
    )

    for (const reason of ['too_large', 'before_start'] as const) {
      ledgerTest(
        `a left-out file (${reason}) of the same size may be the moved file`,
        async (bench) => {
          await known(bench)
          await ready(bench, 'a', 'text')
          await bench.gone('docs', 'a')
          const renamed = { folder: 'docs', path: 'renamed', stat: statOf('text'.length) }
          await bench.record({ type: 'file_skipped', ...renamed, reason, rule: 'max_file_bytes' })
          await later(bench, 'docs')
          expect(await remove(bench)).toEqual([])
          await bench.settle('docs', 'renamed', 'TEXT')
          expect(await remove(bench), 'at once, and not at the next scan').toHaveLength(1)
        },
      )
    }
  })

  describe('a removal without an answer', () => {
    const error = { code: 'network.timeout', message: 'no answer' }
    async function unanswered(bench: Bench): Promise<number> {
      await known(bench)
      const content = await ready(bench, 'a', 'text')
      await bench.gone('docs', 'a')
      await later(bench, 'docs')
      expect(await remove(bench)).toMatchObject([{ content, is_fresh: true, is_doubted: false }])
      await bench.record({
        type: 'removal_deferred',
        content,
        not_before_ms: bench.clock.now_ms(),
        error,
      })
      return content
    }

    ledgerTest('is claimed again', async (bench) => {
      const content = await unanswered(bench)
      expect(await remove(bench)).toMatchObject([{ content, is_fresh: false, is_doubted: false }])
    })

    const doubts: Record<string, (bench: Bench) => Promise<unknown>> = {
      'the file is back': (bench) => bench.settle('docs', 'a', 'text'),
      'its folder has "keep" now': (bench) =>
        bench.configure('docs', { ...removing, on_delete: 'keep' }),
      'the daemon starts again and has not scanned': (bench) => bench.reopen(),
    }
    for (const [what, happens] of Object.entries(doubts)) {
      ledgerTest(`${what}: it is not sent again, and only the asset is read`, async (bench) => {
        const content = await unanswered(bench)
        await happens(bench)
        expect(await remove(bench)).toMatchObject([{ content, is_fresh: false, is_doubted: true }])
        await bench.record({ type: 'asset_kept', content, not_before_ms: bench.clock.now_ms() })
        expect(await remove(bench)).toEqual([])
        expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
      })
    }

    ledgerTest(
      'counts towards the limit together with the removals that are about to start',
      async (bench) => {
        await known(bench)
        for (const path of ['0', '1', '2', '3', '4', '5', '6', '7'])
          await ready(bench, path, `text ${path}`)
        const meant: string[] = []
        for (const path of ['0', '1', '2', '3', '4', '5']) {
          await bench.gone('docs', path)
          await later(bench, 'docs')
          for (const { name, content, is_fresh } of await remove(bench)) {
            if (is_fresh) meant.push(name)
            const not_before_ms = bench.clock.now_ms() + day_ms
            await bench.record({ type: 'removal_deferred', content, not_before_ms, error })
          }
        }
        expect(meant).toEqual(['docs/0', 'docs/1'])
      },
      { removal: { files: 2, percent: 10, per_ms: 7 * day_ms, wiped: { files: 10, percent: 50 } } },
    )
  })
}
