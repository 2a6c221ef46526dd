import type { FaultNote } from './fault-note.ts'

/**
 * What becomes of an asset that no path holds any more. In doubt it is kept: what is kept too long can be removed by hand, what is
 * removed too soon may have been the last copy.
 */
export interface RemovalPolicy {
  on_delete: 'keep' | 'remove'
  on_change: 'keep' | 'remove_old'
  delete_grace_ms: number
}

export const keep_everything: RemovalPolicy = { on_delete: 'keep', on_change: 'keep', delete_grace_ms: 0 }

/** What is more than this in one folder waits for a person: what was removed in the time, and what is about to be, together. */
export interface RemovalLimits {
  files: number
  /** Of the files that the folder has and had. */
  percent: number
  per_ms: number
  /** So many deleted within `per_ms`, and so much of the folder: it was wiped, or its disk went away, however small it is. */
  wiped: { files: number; percent: number }
}

/** `deleted`: of those to be removed, the most whose files went within `per_ms`. */
export function isMuch(
  { removing, deleted, present }: { removing: number; deleted: number; present: number },
  { files, percent, wiped }: RemovalLimits,
): boolean {
  if (deleted > wiped.files && deleted * 100 > (present + deleted) * wiped.percent) return true
  return removing > Math.max(files, ((present + removing) * percent) / 100)
}

/** Of these times the most that lie within one span. */
export function mostWithin(times_ms: readonly number[], per_ms: number): number {
  const sorted = [...times_ms].sort((a, b) => a - b)
  let [most, from] = [0, 0]
  for (const [to, at_ms] of sorted.entries()) {
    while (at_ms - sorted[from]! >= per_ms) from += 1
    most = Math.max(most, to - from + 1)
  }
  return most
}

/** Told about the removal of one asset. `content` is the ledger's id. */
export type RemovalFact =
  /** We are about to remove it, or did and do not know the answer. Drawn by the ledger in the claim that found that it may go. */
  | { type: 'removal_intended'; content: number }
  /** It is not there any more; paths that came back to it meanwhile want it anew. */
  | { type: 'asset_removed'; content: number }
  /**
   * It is there as it was: nothing was asked, or the service said no. Looked at again at the time. `by_service`: it removes no
   * assets at all.
   */
  | { type: 'asset_kept'; content: number; not_before_ms: number; error?: FaultNote; by_service?: true }
  /** Nobody knows; it is tried again. */
  | { type: 'removal_set_back'; content: number; not_before_ms: number; error: FaultNote }

/** A path that held the content and does not any more. */
export interface Parting {
  why: 'changed' | 'deleted' | 'let_go'
  /** What the folder said then. */
  policy: 'keep' | 'remove'
  /** A person said that so much is right. */
  accepted: boolean
  at_ms: number
  folder: PartingFolder
  /**
   * What the path holds now: bytes that are ready in the assistant, something that is not (yet), or nothing since `gone_ms`;
   * `last_ready`: what it held last is ready.
   */
  now: { kind: 'ready' } | { kind: 'moving' } | { kind: 'gone'; gone_ms: number; last_ready: boolean }
}

interface PartingFolder extends RemovalPolicy {
  name: string
  configured: boolean
  /** It is there, and was looked at since this process began: what came back while nobody was here is known. */
  is_known: boolean
  /** So much of it is to be removed that a person must say so. */
  is_held: boolean
  /**
   * When the first whole scan ended after the folder came back; undefined when it was not offline
   * in this process.
   */
  first_scan_ended_ms: number | undefined
}

export interface RemovalCase {
  now_ms: number
  partings: readonly Parting[]
  /** Some path holds these bytes, or others that the service keeps as the same asset. */
  is_needed: boolean
  twin: Twin
  /** A prompt is just being asked about it. */
  is_asked_about: boolean
  /** At every folder of its project. */
  looks: readonly FolderLook[]
}

/**
 * Whether a file of the same size, in a folder of this project, may be this one under another name. `moving`: one that has not come to
 * rest. `left_out`: one whose bytes nobody reads. `left_out_before`: only such as were left out before this one came, and so are
 * others, if they are still what they were then.
 */
export type Twin = 'none' | 'moving' | 'left_out' | 'left_out_before'

/** When the last whole look at a folder began; undefined while it is offline, or was not looked at since this process began. */
export interface FolderLook {
  folder: string
  began_ms: number | undefined
}

/**
 * Why it waits. `grace`: it was deleted lately. `replacement`: what took its place is not ready. `look`: a folder of the project is
 * offline, or was not looked at since: it may be there again, or have moved there. `twin`: a file of its size has not come to rest.
 * `left_out`: a file of its size is left out, which may stay so for ever. `asked`: see RemovalCase. `person`: too much at once. `service`:
 * it was asked, and said no.
 */
export type RemovalWait = 'grace' | 'replacement' | 'look' | 'twin' | 'left_out' | 'asked' | 'person' | 'service'

export type RemovalVerdict =
  | { kind: 'remove' }
  | { kind: 'keep' }
  /** `until_ms`: known only for the grace; else something else must happen first. */
  | { kind: 'wait'; why: RemovalWait; until_ms?: number }

const remove: RemovalVerdict = { kind: 'remove' }
const keep: RemovalVerdict = { kind: 'keep' }
const wait = (why: RemovalWait): RemovalVerdict => ({ kind: 'wait', why })

/** Whether an asset that this ledger made, and that no path holds, may be removed. Every path that held it must agree. */
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
  return of.partings.some(({ accepted, folder }) => folder.is_held && !accepted) ? wait('person') : remove
}

function partingVerdict(parting: Parting, of: RemovalCase): RemovalVerdict {
  const { why, policy, folder, now } = parting
  if (why === 'let_go' || policy === 'keep' || !folder.configured) return keep
  if ((why === 'deleted' ? folder.on_delete : folder.on_change) === 'keep') return keep
  if (!folder.is_known) return wait('look')
  if (now.kind === 'moving') return wait('replacement')
  if (now.kind === 'ready') {
    // Deleted, and then another file came by its name: for people that may be a change. Both must be meant to go.
    return why === 'deleted' && folder.on_change === 'keep' ? keep : replacedVerdict(parting, of)
  }
  return why === 'changed' && now.last_ready ? replacedVerdict(parting, of) : goneVerdict(folder, now.gone_ms, of)
}

function twinVerdict({ twin, partings, looks }: RemovalCase): RemovalVerdict {
  if (twin === 'moving') return wait('twin')
  if (twin === 'left_out') return wait('left_out')
  if (twin === 'none') return remove
  // It may have taken the place of one of them, in its own folder as well, where nobody has looked since.
  return lookedSince(Math.max(...partings.map(({ at_ms }) => at_ms)), looks)
}

/**
 * The old bytes may have moved to another folder, whose events come later or not at all. What the
 * first scan after a return found is confirmed by another scan of the same folder.
 */
function replacedVerdict({ at_ms, folder }: Parting, { looks }: RemovalCase): RemovalVerdict {
  const { name, first_scan_ended_ms } = folder
  const needs_own = first_scan_ended_ms !== undefined && at_ms <= first_scan_ended_ms
  return lookedSince(at_ms, needs_own ? looks : looks.filter((look) => look.folder !== name))
}

function goneVerdict(folder: PartingFolder, gone_ms: number, { now_ms, looks }: RemovalCase): RemovalVerdict {
  // What was to replace it never came in, and is gone: this is the last version there is.
  if (folder.on_delete === 'keep') return keep
  const until_ms = gone_ms + folder.delete_grace_ms
  if (now_ms < until_ms) return { kind: 'wait', why: 'grace', until_ms }
  // Whoever puts it back in time may do so where nobody tells of it: a share, or a daemon that was stopped.
  return lookedSince(until_ms, looks)
}

function lookedSince(since_ms: number, looks: readonly FolderLook[]): RemovalVerdict {
  return looks.every(({ began_ms }) => began_ms !== undefined && began_ms >= since_ms) ? remove : wait('look')
}
