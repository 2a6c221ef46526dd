/**
 * The audit compares the ledger with the service's own list, round after round. A round reads the
 * whole list of one project, page by page. Then it reads, one by one, each asset that is ready in
 * the ledger and was not listed as ready. Only such an answer about one asset shows a loss.
 *
 * A round does not check assets that became ready after its start: the list may have passed their
 * place. A list that changes meanwhile thus costs at most some reads, and no file is reported
 * missing because of it.
 */
export type AuditFact =
  /** A user requests an audit: every project begins a round at once, faster than usual. */
  | { type: 'audit_wanted' }
  | { type: 'audit_round_began'; project_id: string }
  /** A page of the list. `cursor` is where the next one begins; undefined on the last. */
  | { type: 'assets_listed'; project_id: string; round: number; cursor: string | undefined; items: ListedAsset[] }
  /** No page listed it as ready, but the service answers that it is. */
  | { type: 'asset_confirmed'; content: number }
  /**
   * All assets are checked, except `unanswered` ones about which the service gave no answer. With
   * `resend`, contents that were removed on the service and that a file still has are wanted again,
   * unless they are so many that a user must decide (`isMassRemoval`).
   */
  | { type: 'audit_round_ended'; project_id: string; round: number; unanswered: number; resend: boolean }

export interface ListedAsset {
  asset_id: string
  /** `slot`: its bytes were never uploaded. `other`: in progress, or failed. */
  status: 'ready' | 'slot' | 'other'
}

/** More removals than both of these mean an emptied or replaced project, not a clean-up. */
const mass_share = 0.1
const min_mass = 100

/**
 * True if so many of the expected assets are gone that it seems a fault, not a user's choice. Then
 * nothing is uploaded again without a user, whatever the policy `audit.on_remote_delete` is.
 */
export function isMassRemoval({ removed, expected }: { removed: number; expected: number }): boolean {
  return removed > Math.max(min_mass, expected * mass_share)
}
