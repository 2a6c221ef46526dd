import type { FolderState } from '../ledger/ledger.ts'

/** A scan that began before the wanted time does not answer, though it may end after it; nor can one that begins before it. */
export function isScanWanted({ scan_began_ms, scan_wanted_ms }: FolderState, now_ms: number): boolean {
  return isWanted(scan_wanted_ms, scan_began_ms, now_ms)
}

/** Of a folder that is away: who wants a look at it is told that it was looked for. */
export function isJudgementWanted({ judged_ms, scan_wanted_ms }: FolderState, now_ms: number): boolean {
  return isWanted(scan_wanted_ms, judged_ms, now_ms)
}

function isWanted(wanted_ms: number | undefined, last_ms: number | undefined, now_ms: number): boolean {
  if (wanted_ms === undefined || wanted_ms > now_ms) return false
  return wanted_ms > (last_ms ?? Number.NEGATIVE_INFINITY)
}
