import type { Migration } from '../base/sqlite.ts'
import { first_ledger_schema } from './first-schema.ts'

/*
 * What came to ledger.db after its first version. A table or column is explained here, as those of the first are in
 * first-schema.ts.
 *
 * hosts   `blob`: the origin that uploads last went to, so that `doctor` can try it; never a path or a query, which are secrets.
 */
const second = `
CREATE TABLE hosts (
  what TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

export const ledger_migrations: readonly Migration[] = [
  { version: 1, sql: first_ledger_schema },
  { version: 2, sql: second },
]
export const ledger_version = ledger_migrations.length

/*
 * tickets.db, apart from the ledger so that backups and logs never see it, with secure_delete. A ticket lost in a power cut
 * costs one slot, so its commits need not reach the platter: synchronous NORMAL.
 */
const tickets = `
CREATE TABLE tickets (
  content INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL,
  upload_url TEXT NOT NULL,
  upload_method TEXT NOT NULL,
  upload_headers TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
`

export const ticket_migrations: readonly Migration[] = [{ version: 1, sql: tickets }]
