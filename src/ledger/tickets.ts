import { openSqlite, type Sqlite } from '../base/sqlite.ts'
import type { Ticket } from '../domain/ticket.ts'
import { ticket_migrations } from './ledger-file.ts'
import { Transaction } from './transaction.ts'

/** The secrets of open slots, in a file of their own; erased as soon as the bytes are in. */
export class Tickets {
  readonly database: Sqlite
  readonly transaction: Transaction
  readonly #put
  readonly #get
  readonly #erase
  readonly #contents
  /** True at first: the write-ahead log of a process that was killed is still there. */
  #written_since_checkpoint = true

  constructor(file: string) {
    this.database = openSqlite({ file, migrations: ticket_migrations, synchronous: 'NORMAL', secure_delete: true })
    this.transaction = new Transaction(this.database)
    this.#put = this.database.prepare('INSERT OR REPLACE INTO tickets VALUES (?, ?, ?, ?, ?, ?)')
    this.#get = this.database.prepare('SELECT * FROM tickets WHERE content = ?')
    this.#erase = this.database.prepare('DELETE FROM tickets WHERE content = ?')
    this.#contents = this.database.prepare('SELECT content FROM tickets').pluck()
  }

  put(content: number, asset_id: string, ticket: Ticket): void {
    const headers = JSON.stringify(ticket.upload_headers)
    this.transaction.enter()
    this.#put.run(content, asset_id, ticket.upload_url, ticket.upload_method, headers, ticket.expires_at_ms)
    this.#written_since_checkpoint = true
  }

  get(content: number): { asset_id: string; ticket: Ticket } | undefined {
    const row = this.#get.get(content) as
      | { asset_id: string; upload_url: string; upload_headers: string; expires_at_ms: number }
      | undefined
    if (!row) return undefined
    const { asset_id, upload_url, expires_at_ms } = row
    const upload_headers = JSON.parse(row.upload_headers) as Record<string, string>
    return { asset_id, ticket: { upload_url, upload_method: 'PUT', upload_headers, expires_at_ms } }
  }

  erase(content: number): void {
    this.transaction.enter()
    this.#erase.run(content)
    this.#written_since_checkpoint = true
  }

  contents(): number[] {
    return this.#contents.all() as number[]
  }

  /** Outside a transaction. The write-ahead log still holds what was erased until it is written back and cut. */
  checkpoint(): void {
    if (!this.#written_since_checkpoint) return
    this.database.pragma('wal_checkpoint(TRUNCATE)')
    this.#written_since_checkpoint = false
  }

  close(): void {
    this.checkpoint()
    this.database.close()
  }
}
