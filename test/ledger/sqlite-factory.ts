import { openLedger } from '../../src/ledger/open-ledger.ts'
import { makeStore } from '../tree.ts'
import type { LedgerFactory } from './fixture.ts'
import { inspectSqlite } from './inspect-sqlite.ts'

export const sqlite_factory: LedgerFactory = {
  memory: makeStore,
  async open({ memory, limits, clock }) {
    const ledger = await openLedger({ state_dir: memory, limits, clock })
    return { ledger, inspector: inspectSqlite(memory) }
  },
}
