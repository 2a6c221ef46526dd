/** The queries of the auditor; a part of Ledger. */
export interface AuditLedger {
  audits(): Promise<AuditState[]>
  /**
   * Contents that were ready before the running round and that it has not seen ready. A page may
   * have fewer than `limit`, or none, and still a `next`: one call reads only so many rows.
   */
  unaudited(query: UnauditedQuery): Promise<UnauditedPage>
}

export interface AuditState {
  project_id: string
  /** Number of the running round, or else of the last one. */
  round: number
  /** True if a user wants a round now. */
  wanted: boolean
  running:
    | {
        began_ms: number
        /** True if a user waits for this round. */
        asked: boolean
        /** Begin of the next page; undefined for the first page, and when all are listed. */
        cursor: string | undefined
        /** True once the list was read to its end. Other assets are then asked for one by one. */
        listed: boolean
        pages: number
        counts: AuditCounts
      }
    | undefined
  /** The last full round; undefined before it. */
  last: { began_ms: number; ended_ms: number; pages: number; counts: AuditCounts } | undefined
  /** About how many assets the service should have, counted by files: for the pace and status. */
  expected: number
  /** Undefined if too few are gone, or if a user accepted it. */
  emptied: Emptied | undefined
}

export interface AuditCounts {
  /** Ready here and on the service. */
  usable: number
  /** Ready here; the service is reading it again. */
  unready: number
  /** Ready here; the service cannot use it. */
  failed: number
  /** Ready here, gone on the service. */
  missing: number
  /** Ready here; the service gave no answer about it. Known at the end of a round. */
  unanswered: number
  /** Ready on the service, unknown here: uploaded by others. */
  unknown: number
  /** Unknown slots without bytes, as a crash between two calls leaves them. They expire. */
  slots: number
}

/** The number of assets that the service should have had. */
export function expectedAssets({
  usable,
  unready,
  failed,
  missing,
  unanswered,
}: AuditCounts): number {
  return usable + unready + failed + missing + unanswered
}

export interface UnauditedQuery {
  project_id: string
  /** The content after which the page begins; 0 for the first page. */
  after: number
  limit: number
}

export interface UnauditedPage {
  assets: UnauditedAsset[]
  next?: number
}

export interface UnauditedAsset {
  content: number
  asset_id: string
  size: number
  /** For users: folder and path of one of its files. */
  name: string
}

/** A user must check this project. `removed` counts files still without assets, of `expected`. */
export interface Emptied {
  since_ms: number
  removed: number
  expected: number
}
