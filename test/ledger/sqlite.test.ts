import { ledgerContract } from './contract/contract.ts'
import { sqlite_factory } from './sqlite-factory.ts'

ledgerContract('SQLite', sqlite_factory)
