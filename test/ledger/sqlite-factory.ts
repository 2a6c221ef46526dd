import { expect } from 'vitest'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { makeStore } from '../rig/tree.ts'
import { faultsOf } from './broken-rules.ts'
import type { LedgerFactory } from './fixture.ts'
import { inspectSqlite } from './inspect-sqlite.ts'

export const sqlite_factory: LedgerFactory = {
  memory: makeStore,
  async open({ memory, limits, clock }) {
    const ledger = await openLedger({ state_dir: memory, limits, clock })
    const close = ledger.close.bind(ledger)
    ledger.close = async () => {
      await close()
      expect(faultsOf(memory), 'what is wrong in the ledger').toEqual([])
    }
    return { ledger, inspector: inspectSqlite(memory) }
  },
}
