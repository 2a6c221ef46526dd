/**
 * What the service hands out for one PUT. The whole of it is secret: whoever has the URL can write the asset's bytes. It lives
 * in memory and in tickets.db only, never in a log, an error, the ledger or a backup.
 */
export interface Ticket {
  upload_url: string
  upload_method: 'PUT'
  /** Applied verbatim and alone (contract, section 2). */
  upload_headers: Record<string, string>
  expires_at_ms: number
}
