import { join } from 'node:path'
import { listOf } from '../../base/run/group.ts'
import { hour_ms, isoTime } from '../../base/time/time.ts'
import type { Config, FolderConfig } from '../../config/config.ts'
import {
  isMuch,
  keep_everything,
  mostWithin,
  type Parting,
  type RemovalCase,
  type RemovalLimits,
  type RemovalVerdict,
  removalVerdict,
  type Twin,
} from '../../domain/removal.ts'
import type { KnownParting } from '../../ledger/rows/removal-rows.ts'
import type {
  OutdatedContent,
  PathIn,
  RemovalCasesView,
} from '../../ledger/views/view-removal-cases.ts'
import { checkPath } from './check-path.ts'
import {
  countWithExample,
  type FolderRemovals,
  noAmount,
  type WaitingRemovals,
} from './plan-answer.ts'
import type { Departure } from './plan-files.ts'

/** Results of one folder scan that concern removals. */
export interface WalkedFolder {
  config: FolderConfig
  /** The scan is complete and credible. Only then missing files count as gone. */
  is_believed: boolean
  /**
   * No known path lies where the scan could not read. Otherwise missing files of the project may
   * have moved there.
   */
  saw_all_known: boolean
  /** The configuration gives it another path or project, so assets of earlier partings are kept. */
  is_given_anew: boolean
  /** Known files that are there and show a loss if they are missing. */
  files: number
  departures: readonly Departure[]
}

interface Given {
  config: Config
  cases: RemovalCasesView
  folders: readonly WalkedFolder[]
  /** Files that a pass would take up. */
  arriving: {
    /** `project md5 size` of files that were read. */
    bytes: ReadonlySet<string>
    /** `project size` of files whose bytes are unknown. */
    sizes: ReadonlySet<string>
    /** One newly skipped file for each `project size`. */
    left_out: ReadonlyMap<string, PathIn>
  }
  now_ms: number
}

interface Facts extends Given {
  /** Departures by the content that they held. */
  lost: ReadonlyMap<number, readonly (Departure & PathIn)[]>
  /** The same departures by folder and path. */
  leaving: ReadonlyMap<string, Departure>
}

type Judged = NonNullable<ReturnType<typeof caseOf>>

export function keepsAll({ on_delete, on_change }: FolderConfig): boolean {
  return on_delete === 'keep' && on_change === 'keep'
}

/**
 * Returns, by folder, which assets a pass would remove on the service and which would wait. New
 * versions count as uploaded. The rules are those of the ledger (domain/removal.ts).
 */
export function planRemovals(given: Given): Map<string, FolderRemovals> {
  const lost = lostByContent(given.folders)
  const leaving = new Map(
    [...lost.values()].flat().map((departure) => [keyOf(departure), departure]),
  )
  const facts = { ...given, lost, leaving }
  const outdated = facts.cases.outdated()
  const known = new Set(outdated.map(({ id }) => id))
  const parting = [...lost.keys()]
    .filter((id) => !known.has(id))
    .flatMap((id) => facts.cases.content(id) ?? [])
  const judged = [...outdated, ...parting].flatMap((content) => caseOf(content, facts) ?? [])
  const held = heldFolders(judged, facts)
  const answer = new Map(facts.folders.map(({ config }) => [config.name, noRemovals()]))
  for (const one of judged) {
    const removals = answer.get(one.folder)
    if (removals) addVerdict(removals, one, verdictWith(held, one), facts.now_ms)
  }
  return answer
}

function keyOf({ folder, path }: PathIn): string {
  return `${folder}\n${path}`
}

function noRemovals(): FolderRemovals {
  return { would_remove: { ...noAmount(), examples: [] }, waits: [] }
}

function lostByContent(folders: readonly WalkedFolder[]) {
  const lost = new Map<number, (Departure & PathIn)[]>()
  for (const { config, departures, is_believed } of folders) {
    if (!is_believed) continue
    for (const departure of departures) {
      listOf(lost, departure.content).push({ ...departure, folder: config.name })
    }
  }
  return lost
}

/** Undefined if the content stays: a path needs it, or the policies keep it. */
function caseOf(content: OutdatedContent, facts: Facts) {
  const { cases, arriving, now_ms } = facts
  const leaving = facts.lost.get(content.id) ?? []
  const left = new Set(leaving.map(keyOf))
  if (!content.is_removing && cases.holders(content).some((at) => !left.has(keyOf(at))))
    return undefined
  if (arriving.bytes.has(`${content.project_id} ${content.md5} ${content.size}`)) return undefined
  const before = cases.partings(content.id).filter((parting) => !left.has(keyOf(parting)))
  const all = [
    ...before.map((known) => ({ at: known, parting: partingBefore(known, facts) })),
    ...leaving.map((departure) => ({ at: departure, parting: partingNow(departure, facts) })),
  ]
  const { twin, left_out } = twinOf(content, left, facts)
  const of: RemovalCase = {
    now_ms,
    partings: all.map(({ parting }) => parting),
    is_needed: false,
    twin,
    is_asked_about: cases.isAskedAbout(content.id),
    scans: facts.config.folders
      .filter(({ project_id }) => project_id === content.project_id)
      .map(({ name: folder }) => {
        return { folder, began_ms: walked(folder, facts)?.saw_all_known ? now_ms : undefined }
      }),
  }
  if (!content.is_removing && removalVerdict(of).kind === 'keep') return undefined
  /** The removal counts for the first folder that held the content. */
  const { folder, path }: PathIn = all[0]?.at ?? { folder: '', path: '' }
  /** Partings that no user has accepted. */
  const by = all.flatMap(({ parting }) => (parting.accepted ? [] : [parting]))
  return { content, of, folder, path, left_out, by }
}

/**
 * A twin is a file of the same size, which may have the same bytes. `left_out` is a skipped one.
 */
function twinOf(
  content: OutdatedContent,
  left: ReadonlySet<string>,
  { cases, arriving }: Facts,
): { twin: Twin; left_out: PathIn | undefined } {
  const key = `${content.project_id} ${content.size}`
  const known = cases.twins(content).filter((at) => !left.has(keyOf(at)))
  const left_out = arriving.left_out.get(key) ?? known.find(({ twin }) => twin === 'left_out')
  if (arriving.sizes.has(key) || known.some(({ twin }) => twin === 'moving'))
    return { twin: 'moving', left_out }
  if (left_out) return { twin: 'left_out', left_out }
  return { twin: known.length > 0 ? 'left_out_before' : 'none', left_out }
}

function walked(name: string, { folders }: Facts): WalkedFolder | undefined {
  return folders.find(({ config }) => config.name === name)
}

function folderOf(name: string, facts: Facts): Parting['folder'] {
  const folder = walked(name, facts)
  const { on_delete, on_change, delete_grace_ms } = folder?.config ?? keep_everything
  const seen = {
    is_known: folder?.saw_all_known ?? false,
    is_held: false,
    first_scan_ended_ms: undefined,
  }
  return { name, configured: folder !== undefined, ...seen, on_delete, on_change, delete_grace_ms }
}

/**
 * A new version counts as ready, since the pass would upload it. `at_ms` of a change is after the
 * scans of the pass, so that they do not count for it.
 */
function partingNow({ folder: name, why }: Departure & PathIn, facts: Facts): Parting {
  const folder = folderOf(name, facts)
  const removes =
    why === 'deleted' ? folder.on_delete === 'remove' : folder.on_change === 'remove_old'
  const now: Parting['now'] =
    why === 'changed'
      ? { kind: 'ready' }
      : { kind: 'gone', gone_ms: facts.now_ms, last_ready: true }
  const policy = why !== 'let_go' && removes ? 'remove' : 'keep'
  const at_ms = why === 'changed' ? facts.now_ms + 1 : facts.now_ms
  return { why, policy, accepted: false, at_ms, folder, now }
}

function partingBefore(known: KnownParting, facts: Facts): Parting {
  const kept = walked(known.folder, facts)?.is_given_anew
    ? ({ why: 'let_go', policy: 'keep' } as const)
    : {}
  return { ...known, ...kept, folder: folderOf(known.folder, facts), now: nowAt(known, facts) }
}

function nowAt(
  { folder: name, path, state = 'gone', gone_ms, content_state, at_ms }: KnownParting,
  facts: Facts,
): Parting['now'] {
  const folder = walked(name, facts)
  const leaving = facts.leaving.get(keyOf({ folder: name, path }))
  const last_ready = content_state === 'ready'
  if (leaving && leaving.why !== 'changed')
    return { kind: 'gone', gone_ms: facts.now_ms, last_ready }
  if (state === 'gone') {
    const is_back = folder?.is_believed && checkPath(join(folder.config.path, path)).kind === 'file'
    return is_back ? { kind: 'ready' } : { kind: 'gone', gone_ms: gone_ms ?? at_ms, last_ready }
  }
  const comes_in =
    leaving !== undefined || state === 'seen' || (state === 'present' && isComing(content_state))
  return { kind: comes_in ? 'ready' : 'moving' }
}

function isComing(state: string | undefined): boolean {
  return state !== 'refused' && state !== 'type_refused' && state !== 'removed_on_service'
}

/** Folders with so many removals, recent ones included, that a user must accept them. */
function heldFolders(
  judged: readonly Judged[],
  { config, cases, folders, now_ms }: Facts,
): Set<string> {
  const { max_files: files, max_percent: percent, per_hours } = config.removal
  const wiped = { files: config.scan.empty_folder_files, percent: config.scan.missing_percent }
  const limits: RemovalLimits = { files, percent, per_ms: per_hours * hour_ms, wiped }
  const since_ms = now_ms - limits.per_ms
  const held = new Set<string>()
  for (const { config: folder, files: present } of folders) {
    const here = judged
      .flatMap(({ by }) => by)
      .filter((parting) => parting.folder.name === folder.name)
    const deleted_ms = here.filter(({ why }) => why === 'deleted').map(({ at_ms }) => at_ms)
    const removing = here.length + cases.removedSince(folder.name, since_ms, 'all')
    const deleted =
      mostWithin(deleted_ms, limits.per_ms) + cases.removedSince(folder.name, since_ms, 'deleted')
    if (isMuch({ removing, deleted, present }, limits)) held.add(folder.name)
  }
  return held
}

function verdictWith(held: ReadonlySet<string>, { content, of, by }: Judged): RemovalVerdict {
  if (content.is_removing) return { kind: 'remove' }
  const verdict = removalVerdict(of)
  if (verdict.kind !== 'remove') return verdict
  if (by.some(({ folder }) => held.has(folder.name))) return { kind: 'wait', why: 'user' }
  const { refused_until_ms } = content
  if (refused_until_ms === undefined || refused_until_ms <= of.now_ms) return verdict
  return { kind: 'wait', why: 'service', until_ms: refused_until_ms }
}

function addVerdict(
  { would_remove, waits }: FolderRemovals,
  { content, path, left_out }: Judged,
  verdict: RemovalVerdict,
  now_ms: number,
): void {
  if (verdict.kind === 'keep') return
  const waiting = verdict.kind === 'wait' ? waitingGroup(waits, verdict.why) : undefined
  const group = waiting ?? would_remove
  countWithExample(group, path, content.size)
  if (verdict.kind !== 'wait' || !waiting) return
  if (verdict.why === 'left_out' && left_out)
    waiting.left_out ??= `${left_out.folder}/${left_out.path}`
  if (verdict.until_ms === undefined || verdict.until_ms < now_ms) return
  const until = isoTime(verdict.until_ms)
  if (waiting.first === null || until < waiting.first) waiting.first = until
}

function waitingGroup(waits: WaitingRemovals[], why: WaitingRemovals['why']): WaitingRemovals {
  const known = waits.find((group) => group.why === why)
  if (known) return known
  const group = { why, ...noAmount(), examples: [], first: null, left_out: null }
  waits.push(group)
  return group
}
