import type { FaultNote } from '../base/run/errors.ts'

/** Policy for an asset that no path holds. In doubt it is kept: it may be the last copy. */
export interface RemovalPolicy {
  on_delete: 'keep' | 'remove'
  on_change: 'keep' | 'remove_old'
  delete_grace_ms: number
}

export const keep_everything: RemovalPolicy = {
  on_delete: 'keep',
  on_change: 'keep',
  delete_grace_ms: 0,
}

/** Limits per folder on removals due or done within `per_ms`. Beyond both a user decides. */
export interface RemovalLimits {
  files: number
  /** Percent of the folder's files, present and removed ones together. */
  percent: number
  per_ms: number
  /** More deletions within `per_ms` than both mean a wiped or offline folder, even a small one. */
  wiped: { files: number; percent: number }
}

/** True if a user must decide. `removing`: due or done. `deleted`: the most within `per_ms`. */
export function isMuch(
  { removing, deleted, present }: { removing: number; deleted: number; present: number },
  { files, percent, wiped }: RemovalLimits,
): boolean {
  if (deleted > wiped.files && deleted * 100 > (present + deleted) * wiped.percent) return true
  return removing > Math.max(files, ((present + removing) * percent) / 100)
}

/** The largest number of these times that lie within one span of `per_ms`. */
export function mostWithin(times_ms: readonly number[], per_ms: number): number {
  const sorted = [...times_ms].sort((a, b) => a - b)
  let max = 0
  let from = 0
  for (const [to, at_ms] of sorted.entries()) {
    while (at_ms - sorted[from]! >= per_ms) from += 1
    max = Math.max(max, to - from + 1)
  }
  return max
}

export type RemovalFact =
  /** The removal is about to be requested, or has no known answer. The claim itself records it. */
  | { type: 'removal_intended'; content: number }
  /** Gone on the service. If a path has the bytes again by now, they are uploaded anew. */
  | { type: 'asset_removed'; content: number }
  /**
   * It still exists: Sluice did not ask, the call surely had no effect, or (`error`) the service
   * refused. It is decided again at `not_before_ms`. `by_service`: no assets can be removed there.
   */
  | {
      type: 'asset_kept'
      content: number
      not_before_ms: number
      error?: FaultNote
      by_service?: true
    }
  /** The result is unknown; it is tried again. */
  | { type: 'removal_deferred'; content: number; not_before_ms: number; error: FaultNote }

/**
 * A path that held the content and no longer does. `let_go`: Sluice gave up the path itself
 * (ignored, or its folder got another root or project), so the asset is kept.
 */
export interface Parting {
  why: 'changed' | 'deleted' | 'let_go'
  policy: 'keep' | 'remove'
  /** True if a user allowed this removal: no limit on removals holds it. */
  accepted: boolean
  at_ms: number
  folder: PartingFolder
  /** If `moving`, its bytes are not ready. With `last_ready`, the last bytes of a gone file are. */
  now:
    | { kind: 'ready' }
    | { kind: 'moving' }
    | { kind: 'gone'; gone_ms: number; last_ready: boolean }
}

interface PartingFolder extends RemovalPolicy {
  name: string
  configured: boolean
  /** True if it is online and this process has fully scanned it: files that came back are known. */
  is_known: boolean
  /** True if it has so many removals that a user must accept them. */
  is_held: boolean
  /** First complete scan after a return, Unix ms; infinite until its end. Undefined: no return. */
  first_scan_ended_ms: number | undefined
}

export interface RemovalCase {
  now_ms: number
  partings: readonly Parting[]
  /** True if Sluice did not make the asset, or a path holds it: by this or another content. */
  is_needed: boolean
  twin: Twin
  is_asked_about: boolean
  /** Last complete scans of all folders of its project. */
  scans: readonly FolderScan[]
}

/**
 * A file of the same size in this project may be this content under another name. `moving`: it has
 * not settled. `left_out`: it is skipped, so its bytes are not read. `left_out_before`: all such
 * files were skipped before this content came, and are others, unless they have changed since.
 */
export type Twin = 'none' | 'moving' | 'left_out' | 'left_out_before'

/** Start of the last complete scan since the folder came online, Unix ms; undefined before. */
export interface FolderScan {
  folder: string
  began_ms: number | undefined
}

/**
 * Reason why a removal waits. `grace`: the file was deleted recently. `replacement`: the path's new
 * content is not ready. `scan`: a folder of the project is offline or was not scanned since then,
 * so the file may be there. `twin`, `left_out`: a file of the same size has not settled, or is
 * skipped, perhaps for ever. `asked`: an open run of a prompt asks about it. `user`: a user must
 * accept so many removals. `service`: the service refused it.
 */
export type RemovalWait =
  | 'grace'
  | 'replacement'
  | 'scan'
  | 'twin'
  | 'left_out'
  | 'asked'
  | 'user'
  | 'service'

export type RemovalVerdict =
  | { kind: 'remove' }
  | { kind: 'keep' }
  /** `until_ms`: end of the grace, Unix ms; absent for other reasons, which wait for an event. */
  | { kind: 'wait'; why: RemovalWait; until_ms?: number }

const remove: RemovalVerdict = { kind: 'remove' }
const keep: RemovalVerdict = { kind: 'keep' }
const wait = (why: RemovalWait): RemovalVerdict => ({ kind: 'wait', why })

/** Decides if an asset made by this ledger and held by no path is removed. All paths must agree. */
export function removalVerdict(of: RemovalCase): RemovalVerdict {
  if (of.is_needed || of.partings.length === 0) return keep
  const verdicts = of.partings.map((parting) => partingVerdict(parting, of))
  const kept = verdicts.find(({ kind }) => kind === 'keep')
  if (kept) return kept
  const waits = verdicts.filter((verdict) => verdict.kind === 'wait')
  const graces = waits.flatMap(({ until_ms }) => (until_ms === undefined ? [] : [until_ms]))
  if (graces.length > 0) return { kind: 'wait', why: 'grace', until_ms: Math.max(...graces) }
  if (waits[0]) return waits[0]
  const twin = twinVerdict(of)
  if (twin.kind !== 'remove') return twin
  if (of.is_asked_about) return wait('asked')
  return of.partings.some(({ accepted, folder }) => folder.is_held && !accepted)
    ? wait('user')
    : remove
}

function partingVerdict(parting: Parting, of: RemovalCase): RemovalVerdict {
  const { why, policy, folder, now } = parting
  if (why === 'let_go' || policy === 'keep' || !folder.configured) return keep
  if ((why === 'deleted' ? folder.on_delete : folder.on_change) === 'keep') return keep
  if (!folder.is_known) return wait('scan')
  if (now.kind === 'moving') return wait('replacement')
  if (now.kind === 'ready') {
    // Deleted, then replaced: users may see a change, so both policies must allow the removal.
    return why === 'deleted' && folder.on_change === 'keep' ? keep : replacedVerdict(parting, of)
  }
  return why === 'changed' && now.last_ready
    ? replacedVerdict(parting, of)
    : goneVerdict(folder, now.gone_ms, of)
}

function twinVerdict({ twin, partings, scans }: RemovalCase): RemovalVerdict {
  if (twin === 'moving') return wait('twin')
  if (twin === 'left_out') return wait('left_out')
  if (twin === 'none') return remove
  // The old file may have replaced a skipped one, even in the same folder. A later scan shows it.
  return scannedSince(Math.max(...partings.map(({ at_ms }) => at_ms)), scans)
}

/**
 * Waits for a scan of the project's other folders: the bytes may have moved there, and events come
 * late or never. A change found by the first scan after a return needs one more of its own folder.
 */
function replacedVerdict({ at_ms, folder }: Parting, { scans }: RemovalCase): RemovalVerdict {
  const { name, first_scan_ended_ms } = folder
  const needs_own = first_scan_ended_ms !== undefined && at_ms <= first_scan_ended_ms
  return scannedSince(at_ms, needs_own ? scans : scans.filter((scan) => scan.folder !== name))
}

function goneVerdict(
  folder: PartingFolder,
  gone_ms: number,
  { now_ms, scans }: RemovalCase,
): RemovalVerdict {
  // A replacement that is gone before it was ready: the path's last version is this content.
  if (folder.on_delete === 'keep') return keep
  const until_ms = gone_ms + folder.delete_grace_ms
  if (now_ms < until_ms) return { kind: 'wait', why: 'grace', until_ms }
  // A user may have put it back in time without an event: on a share, or while no daemon ran.
  return scannedSince(until_ms, scans)
}

function scannedSince(since_ms: number, scans: readonly FolderScan[]): RemovalVerdict {
  return scans.every(({ began_ms }) => began_ms !== undefined && began_ms >= since_ms)
    ? remove
    : wait('scan')
}
