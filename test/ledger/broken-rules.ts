import { join } from 'node:path'
import { openSqliteReadOnly, type Sqlite } from '../../src/base/files/sqlite.ts'
import { type BrokenRule, brokenRules, rule_steps } from '../../src/inspect/verify/ledger-rules.ts'
import { ledger_migrations } from '../../src/ledger/file/ledger-file.ts'

/** Every rule that is broken in an open ledger. */
export function allBroken(database: Sqlite): BrokenRule[] {
  return Array.from({ length: rule_steps }, (_, step) => brokenRules(database, step)).flat()
}

/** Makes the counts match the files again, for a test that writes rows of its own. */
export function recount(database: Sqlite): void {
  database.exec(`DELETE FROM counts; INSERT INTO counts
    SELECT folder, iif(files.state = 'present', contents.state, files.state) AS stage, count(*), sum(files.size)
    FROM files LEFT JOIN contents ON contents.id = files.content GROUP BY folder, stage`)
}

/**
 * Returns the problems of a file that holds a ledger, as `sluice verify` sees it; none where it is
 * sound.
 */
export function faultsIn(file: string): unknown[] {
  const database = openSqliteReadOnly(file, ledger_migrations)
  try {
    const lines = database.pragma('integrity_check') as { integrity_check: string }[]
    return [
      ...lines.map((line) => line.integrity_check).filter((line) => line !== 'ok'),
      ...allBroken(database),
    ]
  } finally {
    database.close()
  }
}

export function faultsOf(state_dir: string): unknown[] {
  return faultsIn(join(state_dir, 'ledger.db'))
}
