import { openLedger } from '../../src/ledger/open-ledger.ts'
import { makeStore } from '../tree.ts'
import { ledgerContract } from './contract.ts'
import { inspectSqlite } from './inspect-sqlite.ts'

ledgerContract('SQLite', {
  memory: makeStore,
  async open({ memory, limits, clock }) {
    const ledger = await openLedger({ state_dir: memory, limits, clock })
    return { ledger, inspector: inspectSqlite(memory) }
  },
})
