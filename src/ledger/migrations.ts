import type { Migration } from '../base/sqlite.ts'
import { course_schema } from './schema-course.ts'
import { files_schema } from './schema-files.ts'
import { prompts_schema } from './schema-prompts.ts'

/** ledger.db. Formats 1 to 9 were those of its development; the first release begins with this one, and migrations after it. */
export const ledger_migrations: readonly Migration[] = [
  { version: 10, sql: [files_schema, prompts_schema, course_schema].join('\n') },
]

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
