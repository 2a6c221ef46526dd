import { describe, expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
import type { FolderFact } from '../../../../src/domain/fact.ts'
import { type Bench, type LedgerFactory, statOf } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'

const removing: Partial<FolderFact> = {
  on_delete: 'remove',
  on_change: 'remove_old',
  delete_grace_ms: hour_ms,
}

async function remove(bench: Bench): Promise<string[]> {
  return (await bench.ledger.claimToRemove(100, { except_projects: [] })).work.map(
    ({ name }) => name,
  )
}

async function known(bench: Bench): Promise<void> {
  await bench.online('docs', removing)
  await bench.scanned('docs')
}

async function ready(bench: Bench, path: string, text: string): Promise<number> {
  const content = await bench.settle('docs', path, text)
  await bench.makeReady(content)
  return content
}

/** Records a left-out file as large as `text`; with another version it is another file. */
function leftOut(
  bench: Bench,
  {
    path = 'old',
    version = 7n,
    folder = 'docs',
    reason = 'before_start',
  }: {
    path?: string
    version?: bigint
    folder?: string
    reason?: 'before_start' | 'too_large'
  } = {},
): Promise<void> {
  return bench.record({
    type: 'file_skipped',
    folder,
    path,
    stat: statOf(4, version),
    reason,
    rule: 'a rule',
  })
}

async function goneForLong(bench: Bench, path: string): Promise<void> {
  await bench.gone('docs', path)
  await later(bench)
}

/** The grace period ends, and the folder is scanned after it. */
async function later(bench: Bench): Promise<void> {
  await bench.clock.advance(2 * hour_ms)
  await bench.scanned('docs')
}

/**
 * Sluice does not read a left-out file, so it may be the missing file under another name. It cannot
 * be if it was there before the missing file came.
 */
export function removalLeftOutContract(factory: LedgerFactory): void {
  const ledgerTest = withLedger(factory)

  describe('a left-out file of the same size', () => {
    for (const reason of ['before_start', 'too_large'] as const) {
      ledgerTest(
        `that was there before the deleted file (${reason}) does not keep its asset`,
        async (bench) => {
          await known(bench)
          await leftOut(bench, { reason })
          await ready(bench, 'a', 'text')
          await goneForLong(bench, 'a')
          expect(await remove(bench)).toEqual(['docs/a'])
        },
      )
    }

    ledgerTest(
      'that came after the deleted file keeps its asset, until it is gone itself',
      async (bench) => {
        await known(bench)
        await ready(bench, 'a', 'text')
        await leftOut(bench)
        await goneForLong(bench, 'a')
        expect(await remove(bench)).toEqual([])
        await bench.clock.advance(day_ms)
        await bench.scanned('docs')
        expect(await remove(bench)).toEqual([])
        await bench.gone('docs', 'old')
        expect(await remove(bench), 'at once, and not at the next scan').toEqual(['docs/a'])
      },
    )

    ledgerTest('counts by the latest of several left-out files', async (bench) => {
      await known(bench)
      for (const path of ['old', 'older']) await leftOut(bench, { path })
      await ready(bench, 'a', 'text')
      await leftOut(bench, { path: 'new' })
      await ready(bench, 'b', 'TEXT')
      await bench.gone('docs', 'a')
      await goneForLong(bench, 'b')
      expect(await remove(bench), 'one scan finds both').toEqual(['docs/b'])
    })

    const replaced: Record<string, (bench: Bench) => Promise<unknown>> = {
      'was replaced': (bench) => leftOut(bench, { version: 8n }),
      'was replaced by a file that settled first': async (bench) => {
        await bench.record({
          type: 'file_seen',
          folder: 'docs',
          path: 'old',
          stat: statOf(4, 8n),
          not_before_ms: bench.clock.now_ms(),
        })
        await leftOut(bench, { version: 8n })
      },
      'was recorded as changed with the same stat': async (bench) => {
        const not_before_ms = bench.clock.now_ms()
        await bench.record({ type: 'file_changed', folder: 'docs', path: 'old', not_before_ms })
        await leftOut(bench)
      },
      'was gone for a while': async (bench) => {
        await bench.gone('docs', 'old')
        await leftOut(bench)
      },
      'was uploaded for a while': async (bench) => {
        await ready(bench, 'old', 'more')
        await leftOut(bench, { reason: 'too_large' })
      },
    }
    for (const [what, happens] of Object.entries(replaced)) {
      ledgerTest(
        `that was there before and ${what} keeps the asset of the deleted file`,
        async (bench) => {
          await known(bench)
          await leftOut(bench)
          await ready(bench, 'a', 'text')
          await happens(bench)
          await goneForLong(bench, 'a')
          expect(await remove(bench)).toEqual([])
        },
      )
    }

    ledgerTest(
      'that was there before and is judged again by new rules does not keep the asset',
      async (bench) => {
        await known(bench)
        await leftOut(bench)
        await ready(bench, 'a', 'text')
        const not_before_ms = bench.clock.now_ms()
        await bench.record({
          type: 'file_seen',
          folder: 'docs',
          path: 'old',
          stat: statOf(4, 7n),
          not_before_ms,
        })
        await leftOut(bench, { reason: 'too_large' })
        await goneForLong(bench, 'a')
        expect(await remove(bench)).toEqual(['docs/a'])
      },
    )

    ledgerTest(
      'keeps the asset of a file that moved to another folder before it was missed',
      async (bench) => {
        await known(bench)
        await bench.online('share')
        await bench.scanned('share')
        await ready(bench, 'a', 'text')
        await leftOut(bench, { folder: 'share' })
        await bench.clock.advance(day_ms)
        await bench.gone('docs', 'a')
        await bench.scanned('share')
        await later(bench)
        await bench.scanned('share')
        expect(await remove(bench)).toEqual([])
      },
    )

    ledgerTest(
      'that came after the deleted file keeps its asset, even if the clock was set back',
      async (bench) => {
        await known(bench)
        await bench.clock.advance(day_ms)
        await ready(bench, 'a', 'text')
        bench.clock.jumpWall(-day_ms)
        await leftOut(bench)
        await bench.clock.advance(3 * day_ms)
        await goneForLong(bench, 'a')
        expect(await remove(bench)).toEqual([])
      },
    )

    ledgerTest(
      'keeps the asset even if the service has read the asset again since',
      async (bench) => {
        await known(bench)
        const content = await ready(bench, 'a', 'text')
        await leftOut(bench)
        await bench.gone('docs', 'a')
        await bench.clock.advance(minute_ms)
        await bench.record({ type: 'asset_unready', content })
        await bench.record({ type: 'asset_ready', content })
        await later(bench)
        expect(await remove(bench)).toEqual([])
      },
    )

    ledgerTest(
      'that was there before an old version keeps it until the folder is scanned',
      async (bench) => {
        await known(bench)
        await leftOut(bench)
        const old = await ready(bench, 'a', 'text')
        await bench.clock.advance(minute_ms)
        await ready(bench, 'a', 'newer text')
        expect(await remove(bench), 'it may have moved onto that file just now').toEqual([])
        await bench.clock.advance(minute_ms)
        await bench.scanned('docs')
        const { work } = await bench.ledger.claimToRemove(100, { except_projects: [] })
        expect(work.map(({ content }) => content)).toEqual([old])
      },
    )

    ledgerTest('is known after a restart', async (bench) => {
      await known(bench)
      await leftOut(bench)
      await ready(bench, 'a', 'text')
      await bench.reopen()
      await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
      await goneForLong(bench, 'a')
      expect(await remove(bench)).toEqual(['docs/a'])
    })
  })
}
