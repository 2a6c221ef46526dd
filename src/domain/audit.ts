/**
 * The audit: the ledger held against the service's own list, page by page, for ever. A round goes through the whole list of one
 * project; then what is `ready` here and was not seen to be ready there is asked for singly, and only that answer is believed.
 *
 * What became ready after a round began is not looked for in it: the list may have passed its place already. What is taken out
 * of the list or put into it meanwhile so costs a read at the most, and no file is called missing for it.
 */
export type AuditFact =
  /** A person wants to know now: the next round begins at once, and does not take its time. */
  | { type: 'audit_wanted' }
  | { type: 'audit_round_began'; project_id: string }
  /** A page of the list; `cursor` is where the next one begins, undefined on the last. */
  | { type: 'assets_listed'; project_id: string; round: number; cursor: string | undefined; items: ListedAsset[] }
  /** It was on no page, or not as ready, and the service says that it is. */
  | { type: 'asset_confirmed'; content: number }
  /**
   * Everything was looked at, but for `unanswered` assets about which the service would not speak. With `resend` what was
   * removed there is wanted again, unless it is so much that a person must say so (`isMassRemoval`).
   */
  | { type: 'audit_round_ended'; project_id: string; round: number; unanswered: number; resend: boolean }

export interface ListedAsset {
  asset_id: string
  /** `slot`: bytes were never handed over. `other`: on its way, or failed. */
  status: 'ready' | 'slot' | 'other'
}

/** Somebody who tidies up removes a folder's worth; a tenth of everything is an emptied project, or another one of the same id. */
const mass_share = 0.1
const mass_least = 100

/**
 * Whether so many of the assets that should be there are gone that it looks like a fault and not like a person's choice: then
 * nothing is sent again by itself, whatever the policy.
 */
export function isMassRemoval({ removed, expected }: { removed: number; expected: number }): boolean {
  return removed > Math.max(mass_least, expected * mass_share)
}
