/** What the ledger answers to the auditor; a part of Ledger. */
export interface AuditLedger {
  /** Where the audit of each project stands. */
  audits(): Promise<AuditState[]>
  /**
   * Contents that were ready before the running round began and were not seen to be ready on the service in it. A page may hold
   * fewer than `limit`, or none, and still have a next: only so many rows are read at a time.
   */
  unaudited(query: UnauditedQuery): Promise<UnauditedPage>
}

export interface AuditState {
  project_id: string
  /** Number of the running round, else of the last. */
  round: number
  /** A person wants a round now. */
  wanted: boolean
  running:
    | {
        began_ms: number
        /** A person waits for it. */
        asked: boolean
        /** Where the next page begins; undefined at the beginning of the list. */
        cursor: string | undefined
        /** The list was read to its end: what was not seen is asked for singly. */
        listed: boolean
        pages: number
        counts: AuditCounts
      }
    | undefined
  /** The last full round. */
  last: { began_ms: number; ended_ms: number; pages: number; counts: AuditCounts } | undefined
  /** About so many assets should be there. */
  expected: number
}

export interface AuditCounts {
  /** Ready here and there. */
  usable: number
  /** Ready here, and being read again there. */
  unready: number
  /** Ready here, and the service cannot use it. */
  failed: number
  /** Ready here, gone there. */
  missing: number
  /** Ready here, and the service would not say; known at the end of a round. */
  unanswered: number
  /** Ready there, unknown here: of other people. */
  unknown: number
  /** Unknown here, and never filled there: what a crash between two calls leaves, ours or somebody's. Gone when they expire. */
  slots: number
}

/** What should have been there. */
export function expectedAssets({ usable, unready, failed, missing, unanswered }: AuditCounts): number {
  return usable + unready + failed + missing + unanswered
}

export interface UnauditedQuery {
  project_id: string
  /** Go on after this content; 0 begins. */
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
  /** For people: folder and path of one of its files. */
  name: string
}
