/**
 * Permission by the service for one PUT. All of it is secret: with the URL anyone can write the
 * asset's bytes. It is kept only in memory and in tickets.db, never in a log, an error, the ledger
 * or a backup.
 */
export interface Ticket {
  upload_url: string
  upload_method: 'PUT'
  /** Sent unchanged, and no others (contract, section 2). */
  upload_headers: Record<string, string>
  expires_at_ms: number
}
