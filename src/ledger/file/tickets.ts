import { type Migration, openSqlite, type Sqlite } from '../../base/files/sqlite.ts'
import type { Ticket } from '../../domain/asset.ts'
import { createTransaction } from './ledger-file.ts'

/*
 * tickets.db stands apart from the ledger, with secure_delete, because upload URLs and headers are
 * secrets that backups and logs must never contain. A ticket lost in a power cut costs one slot. So
 * its commits need not reach the disk at once: synchronous NORMAL.
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

/** Keeps the tickets of open slots until a fact with `ends_ticket` (fact-table.ts) erases them. */
export function createTickets(file: string) {
  /** True at first: a process that was killed may have left its write-ahead log. */
  let written_since_checkpoint = true
  const database: Sqlite = openSqlite({
    file,
    migrations: ticket_migrations,
    synchronous: 'NORMAL',
    secure_delete: true,
  })
  const transaction = createTransaction(database)
  const put_sql = database.prepare('INSERT OR REPLACE INTO tickets VALUES (?, ?, ?, ?, ?, ?)')
  const get_sql = database.prepare('SELECT * FROM tickets WHERE content = ?')
  const erase_sql = database.prepare('DELETE FROM tickets WHERE content = ?')
  const contents_sql = database.prepare('SELECT content FROM tickets').pluck()

  function put(content: number, asset_id: string, ticket: Ticket): void {
    const headers = JSON.stringify(ticket.upload_headers)
    transaction.enter()
    put_sql.run(
      content,
      asset_id,
      ticket.upload_url,
      ticket.upload_method,
      headers,
      ticket.expires_at_ms,
    )
    written_since_checkpoint = true
  }

  function get(content: number): { asset_id: string; ticket: Ticket } | undefined {
    const row = get_sql.get(content) as
      | { asset_id: string; upload_url: string; upload_headers: string; expires_at_ms: number }
      | undefined
    if (!row) return undefined
    const { asset_id, upload_url, expires_at_ms } = row
    const upload_headers = JSON.parse(row.upload_headers) as Record<string, string>
    return { asset_id, ticket: { upload_url, upload_method: 'PUT', upload_headers, expires_at_ms } }
  }

  function erase(content: number): void {
    transaction.enter()
    erase_sql.run(content)
    written_since_checkpoint = true
  }

  const contents = () => contents_sql.all() as number[]

  /** Call it outside a transaction. Erased tickets are in the write-ahead log until then. */
  function checkpoint(): void {
    if (!written_since_checkpoint) return
    database.pragma('wal_checkpoint(TRUNCATE)')
    written_since_checkpoint = false
  }

  function close(): void {
    checkpoint()
    database.close()
  }

  return { transaction, database, put, get, erase, contents, checkpoint, close }
}

export type Tickets = ReturnType<typeof createTickets>
