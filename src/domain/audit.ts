import type { Reading } from './reading.ts'

/**
 * A round of the audit reads the service's list of one project, page by page. Then it reads, one by
 * one, each asset that is ready in the ledger and was not listed as ready. Only such an answer
 * shows a loss. A round leaves out assets that became ready after its start, because the list may
 * have passed their place.
 */
export type AuditFact =
  /** A user requests an audit: every project begins a round at once, faster than usual. */
  | { type: 'audit_wanted' }
  | { type: 'audit_round_began'; project_id: string }
  /** A page of the list. `cursor` is where the next one begins; undefined on the last. */
  | {
      type: 'assets_listed'
      project_id: string
      round: number
      cursor: string | undefined
      items: ListedAsset[]
    }
  /** No page listed it as ready, or not as it was read, but the service answers that it is. */
  | { type: 'asset_confirmed'; content: number; reading?: Reading | undefined }
  /**
   * `unanswered`: assets that got no answer. `resend`: wants removed contents again that a file
   * still has, unless they are so many that a user must decide (`isMassRemoval`).
   */
  | {
      type: 'audit_round_ended'
      project_id: string
      round: number
      unanswered: number
      resend: boolean
    }

export interface ListedAsset {
  asset_id: string
  /** `slot`: its bytes were never uploaded. `other`: in progress, or failed. */
  status: 'ready' | 'slot' | 'other'
  /** The name on the service; absent if the list shows none. */
  name?: string | undefined
  /** How much of it was read; absent if the list does not say so. */
  reading?: Reading | undefined
}

/** More removals than both of these mean an emptied or replaced project, not a clean-up. */
const mass_share = 0.1
const min_mass = 100

/** If true, nothing is uploaded again without a user, whatever `audit.on_remote_delete` is. */
export function isMassRemoval({
  removed,
  expected,
}: {
  removed: number
  expected: number
}): boolean {
  return removed > Math.max(min_mass, expected * mass_share)
}
