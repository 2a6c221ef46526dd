import { describe, expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
import type { FolderFact, ScanSummary } from '../../../../src/domain/fact.ts'
import { type Bench, type LedgerFactory, md5Of, nothing_seen, statOf } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'

const removing: Partial<FolderFact> = {
  on_delete: 'remove',
  on_change: 'remove_old',
  delete_grace_ms: hour_ms,
}
const elsewhere = { ...removing, root: '/data/other' }
const cut: ScanSummary = { ...nothing_seen, unreadable_total: 5_000 }

async function remove(bench: Bench): Promise<string[]> {
  return (await bench.ledger.claimToRemove(100, { except_projects: [] })).work.map(
    ({ name }) => name,
  )
}

async function ready(bench: Bench, path: string, text: string): Promise<number> {
  const content = await bench.settle('docs', path, text)
  await bench.makeReady(content)
  return content
}

async function scanned(bench: Bench, summary = nothing_seen, folder = 'docs'): Promise<void> {
  const began_ms = bench.clock.now_ms()
  await bench.clock.advance(1)
  await bench.record({ type: 'scan_finished', folder, began_ms, summary })
}

async function known(bench: Bench): Promise<void> {
  await bench.online('docs', removing)
  await scanned(bench)
}

async function graceAndScan(bench: Bench): Promise<void> {
  await bench.clock.advance(2 * hour_ms)
  await scanned(bench)
}

/**
 * Removals of files whose state or times belong to another directory, to a late event or to a wrong
 * clock.
 */
export function removalTimesContract(factory: LedgerFactory): void {
  const ledgerTest = withLedger(factory)

  describe('a file that had not settled when its folder got another path', () => {
    const unsettled: Record<string, (bench: Bench) => Promise<unknown>> = {
      seen: (bench) => bench.seen('docs', 'a', 'newer', minute_ms),
      blocked: (bench) => {
        const why = { reason: 'unreadable', detail: 'EACCES', not_before_ms: undefined } as const
        return bench.record({
          type: 'file_blocked',
          folder: 'docs',
          path: 'a',
          stat: statOf(4),
          ...why,
        })
      },
      skipped: (bench) => {
        const why = { reason: 'too_large', rule: 'max_file_bytes' } as const
        return bench.record({
          type: 'file_skipped',
          folder: 'docs',
          path: 'a',
          stat: statOf(9),
          ...why,
        })
      },
    }
    for (const [what, happens] of Object.entries(unsettled)) {
      ledgerTest(
        `${what}: it is missing afterwards, and does not count as deleted`,
        async (bench) => {
          await known(bench)
          await ready(bench, 'a', 'text')
          await happens(bench)
          await bench.online('docs', elsewhere)
          await scanned(bench)
          await bench.gone('docs', 'a')
          await graceAndScan(bench)
          expect(await remove(bench)).toEqual([])
        },
      )
    }
  })

  ledgerTest('a scan with a cut list of unreadable paths does not end a move', async (bench) => {
    await known(bench)
    await ready(bench, 'a', 'text')
    await bench.online('docs', elsewhere)
    await scanned(bench, cut)
    await bench.gone('docs', 'a')
    await graceAndScan(bench)
    expect(await remove(bench)).toEqual([])
  })

  ledgerTest(
    'a move dated by a clock that ran ahead ends with the first scan after the clock is right',
    async (bench) => {
      await known(bench)
      await ready(bench, 'a', 'text')
      await bench.clock.advance(365 * day_ms)
      await bench.online('docs', elsewhere)
      bench.clock.jumpWall(-365 * day_ms)
      await bench.clock.advance(minute_ms)
      await bench.seen('docs', 'b', 'another text')
      await scanned(bench)
      expect((await bench.ledger.folders())[0]?.is_moved).toBe(false)
      await bench.gone('docs', 'a')
      await graceAndScan(bench)
      expect(await remove(bench)).toEqual(['docs/a'])
    },
  )

  ledgerTest(
    'an old version dated by such a clock is removed after a scan of the other folder',
    async (bench) => {
      await known(bench)
      await bench.online('archive')
      await ready(bench, 'a', 'old')
      await bench.clock.advance(365 * day_ms)
      await ready(bench, 'a', 'newer')
      bench.clock.jumpWall(-365 * day_ms)
      await bench.clock.advance(minute_ms)
      await scanned(bench)
      await scanned(bench, nothing_seen, 'archive')
      expect(await remove(bench)).toEqual(['docs/a'])
    },
  )

  ledgerTest(
    'a scan counts that begins as the grace ends, and none that began before',
    async (bench) => {
      await known(bench)
      await ready(bench, 'a', 'text')
      await bench.gone('docs', 'a')
      await bench.clock.advance(hour_ms - 1)
      await scanned(bench)
      expect(await remove(bench)).toEqual([])
      await scanned(bench)
      expect(await remove(bench)).toEqual(['docs/a'])
    },
  )

  ledgerTest('a scan that began at a time that was set back does not count', async (bench) => {
    await known(bench)
    await ready(bench, 'a', 'text')
    await bench.gone('docs', 'a')
    const began_ms = bench.clock.now_ms() + 30 * day_ms
    await bench.record({ type: 'scan_finished', folder: 'docs', began_ms, summary: nothing_seen })
    await bench.clock.advance(2 * hour_ms)
    expect(await remove(bench)).toEqual([])
    await scanned(bench)
    expect(await remove(bench)).toEqual(['docs/a'])
  })

  describe('a removal without an answer, whose asset was still there when the file came back', () => {
    async function keptAndMissing(bench: Bench, after_ms: number): Promise<string | undefined> {
      await known(bench)
      const content = await ready(bench, 'a', 'text')
      await bench.clock.advance(minute_ms)
      await bench.gone('docs', 'a')
      await graceAndScan(bench)
      expect(await remove(bench)).toEqual(['docs/a'])
      await bench.settle('docs', 'a', 'text')
      await bench.record({ type: 'asset_kept', content, not_before_ms: bench.clock.now_ms() })
      await bench.clock.advance(after_ms)
      await bench.record({ type: 'asset_missing', content })
      return bench.see.content(md5Of('text'))?.state
    }

    ledgerTest(
      'is missing soon after: our own removal did it, and the file is sent again',
      async (bench) => {
        expect(await keptAndMissing(bench, hour_ms)).toBe('wanted')
      },
    )

    ledgerTest('is missing days later: another user removed it', async (bench) => {
      expect(await keptAndMissing(bench, 2 * day_ms)).toBe('removed_on_service')
    })
  })
}
