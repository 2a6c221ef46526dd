import { openSqliteReadOnly, type Sqlite } from '../base/sqlite.ts'
import { ledger_version } from './migrations.ts'
import { refuseNoRight } from './no-right.ts'
import { ledgerFile } from './state-directory.ts'

/** Errors: `database.missing` before the first run, `account.no_right`, `database.newer`, `database.damaged`. */
export function openLedgerReadOnly(state_dir: string): Sqlite {
  const file = ledgerFile(state_dir)
  refuseNoRight(state_dir, [file], 'read')
  return openSqliteReadOnly(file, ledger_version)
}
