import { join } from 'node:path'
import { test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { LedgerLimits } from '../../../src/ledger/ledger.ts'
import { Bench, type LedgerFactory, statOf } from '../fixture.ts'

export type LedgerTest = (
  name: string,
  body: (bench: Bench) => Promise<void>,
  limits?: Partial<LedgerLimits>,
) => void

/**
 * Runs a test on a ledger of its own, with the folder `docs` online, and always closes the ledger.
 */
export function withLedger(factory: LedgerFactory): LedgerTest {
  return (name, body, limits = {}) => {
    test(name, async () => {
      const bench = new Bench(factory, limits)
      try {
        await bench.open('docs')
        await body(bench)
      } finally {
        await bench.close()
      }
    })
  }
}

/** A sound fact that the database cannot record: a fault of the whole record, and of no value. */
export function failingFact(bench: Bench): Fact {
  const database = new (sqliteDriver())(join(bench.memory, 'ledger.db'))
  database.exec(`CREATE TRIGGER IF NOT EXISTS broken BEFORE INSERT ON files WHEN NEW.path = 'bad'
    BEGIN SELECT json('no json'); END`)
  database.close()
  const stat = statOf(1)
  return { type: 'file_seen', folder: 'docs', path: 'bad', stat, not_before_ms: 0 }
}
