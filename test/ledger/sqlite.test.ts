import { openLedger } from '../../src/ledger/open-ledger.ts'
import { makeTree } from '../tree.ts'
import { ledgerContract } from './contract.ts'
import { inspectSqlite } from './inspect-sqlite.ts'

ledgerContract('SQLite', {
  memory: () => makeTree(),
  async open({ memory, limits, clock }) {
    const ledger = await openLedger({ state_dir: memory, limits, clock })
    return { ledger, inspector: inspectSqlite(memory) }
  },
})
