import { test } from 'vitest'
import type { LedgerLimits } from '../../../src/ledger/ledger.ts'
import { Bench, type LedgerFactory } from '../fixture.ts'

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
