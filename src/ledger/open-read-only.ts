import { SluiceError } from '../base/errors.ts'
import { openSqliteReadOnly, type Sqlite } from '../base/sqlite.ts'
import { ledger_migrations } from './migrations.ts'
import { refuseNoRight } from './no-right.ts'
import { ledgerFile } from './state-directory.ts'

/** Errors: `database.missing` before the first run, `account.no_right`, `database.newer`, `database.damaged`. */
export function openLedgerReadOnly(state_dir: string): Sqlite {
  const file = ledgerFile(state_dir)
  refuseNoRight(state_dir, [file], 'read')
  const database = openSqliteReadOnly(file, ledger_migrations)
  // A first start makes the file before its tables, and on a full disk gets no further.
  if (database.pragma('user_version', { simple: true }) !== 0) return database
  database.close()
  throw new SluiceError({ code: 'database.missing', message: `there is nothing in ${file} yet` })
}
