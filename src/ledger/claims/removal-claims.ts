import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import {
  type FolderScan,
  isMuch,
  mostWithin,
  type Parting,
  type RemovalVerdict,
  removalVerdict,
  type Twin,
} from '../../domain/removal.ts'
import type { Claimed, LedgerLimits, RemoveWork } from '../ledger.ts'
import type { ContentRecorder } from '../record/record-content.ts'
import { type ContentRow, content_columns, contentRow } from '../rows/content-rows.ts'
import type { Usage } from '../rows/counts.ts'
import type { EvidenceCounts } from '../rows/evidence.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import {
  check_again_ms,
  createPartingRows,
  deletedIn,
  type KnownParting,
  may_be_any,
  newest_it_may_be,
  type RemovalRows,
  removedIn,
  twinOf,
} from '../rows/removal-rows.ts'
import { is_asked_about_sql } from '../rows/run-rows.ts'
import type { PauseRow } from '../rows/trouble-rows.ts'
import { type ClaimQuery, not_excepted } from './claim-queries.ts'

interface RemovalParts {
  evidence: EvidenceCounts
  folders: FolderRows
  contents: ContentRecorder
  removals: RemovalRows
  usage: Usage
  limits: LedgerLimits
  pause: PauseRow
}

/** Maximum number of contents that one claim judges, in a few milliseconds. */
const max_judged = 500

/**
 * Claims assets to remove on the service. A claimed content is `removing` at once: the last check
 * that no file needs it and the intent to remove it are one transaction.
 */
export function createRemovalClaims(database: Sqlite, parts: RemovalParts) {
  /** Cache of one claim, by project and size: many skipped files and contents may share a size. */
  const newest_twins = new Map<string, number | undefined>()
  const partings = createPartingRows(database)
  const select = (due: string, order_and_limit: string) =>
    database
      .prepare(
        `SELECT ${content_columns} FROM contents WHERE ${due} AND ${not_excepted} ${order_and_limit}`,
      )
      .raw()
  const fresh = select(
    `state = 'ready' AND remove_due_ms IS NOT NULL AND remove_due_ms <= @now_ms`,
    `ORDER BY remove_due_ms LIMIT ${max_judged}`,
  )
  const begun_sql = select(
    `state = 'removing' AND not_before_ms <= @now_ms`,
    'ORDER BY not_before_ms LIMIT @limit',
  )
  const next_due = database
    .prepare(
      `SELECT min(due_ms) FROM
         (SELECT min(remove_due_ms) AS due_ms FROM contents WHERE state = 'ready' AND remove_due_ms > @now_ms
          UNION ALL SELECT min(not_before_ms) FROM contents WHERE state = 'removing' AND not_before_ms > @now_ms)`,
    )
    .pluck()
  // Two contents can have one asset, if the service took the bytes of one for those of the other.
  const is_needed = database.prepare(
    `SELECT 1 FROM contents JOIN files ON files.content = contents.id AND files.state <> 'gone'
       WHERE contents.id = @content OR contents.asset_id = @asset_id LIMIT 1`,
  )
  const newest_twin = database
    .prepare(
      `SELECT ${newest_it_may_be} FROM files
           JOIN folders ON folders.id = files.folder AND folders.configured = 1 AND folders.project = @project
         WHERE files.size = @size AND (${may_be_any})`,
    )
    .pluck()
  const is_asked_about = database.prepare(is_asked_about_sql)
  const removing_by_folder = database.prepare(
    `SELECT partings.folder, count(*) AS files, json_group_array(at_ms) FILTER (WHERE why = 'deleted') AS deleted_ms
       FROM (SELECT id FROM contents WHERE state = 'ready' AND remove_due_ms IS NOT NULL
             UNION ALL SELECT id FROM contents WHERE state = 'removing') AS going
         CROSS JOIN partings ON partings.content = going.id
       WHERE partings.accepted = 0 GROUP BY partings.folder`,
  )
  const name_sql = database
    .prepare(
      `SELECT folders.name || '/' || path FROM partings JOIN folders ON folders.id = partings.folder WHERE content = ? LIMIT 1`,
    )
    .pluck()

  function claim(
    { limit, except_projects, in_flight }: ClaimQuery,
    now_ms: number,
  ): Claimed<RemoveWork> {
    newest_twins.clear()
    if (parts.pause.holds(now_ms)) return { work: [], next_due_ms: undefined }
    const query = {
      now_ms,
      except: JSON.stringify(except_projects),
      limit: limit + in_flight.length,
    }
    const begun = (begun_sql.all(query) as unknown[]).map(contentRow)
    const isFree = ({ id }: ContentRow) => !in_flight.includes(id)
    const again = begun.filter(isFree).slice(0, limit)
    const rows = again.length < limit ? (fresh.all(query) as unknown[]).map(contentRow) : []
    const held = again.length + rows.length > 0 ? heldFolders(now_ms) : new Set<number>()
    const work = again.map((row) => {
      // The intent may be outdated: the file is back, or its folder has the policy `keep` now.
      const is_doubted = judged(row, held, now_ms).kind !== 'remove'
      return hand(row, { is_fresh: false, is_doubted }, now_ms)
    })
    // One that its worker has just kept is `ready`, and in flight until the worker releases it.
    for (const row of rows.filter(isFree)) {
      if (work.length >= limit) return { work, next_due_ms: now_ms }
      if (mayGo(row, held, now_ms))
        work.push(hand(row, { is_fresh: true, is_doubted: false }, now_ms))
    }
    if (rows.length === max_judged) return { work, next_due_ms: now_ms }
    return { work, next_due_ms: readOne(next_due, { now_ms }) }
  }

  function hand(
    row: ContentRow,
    how: Pick<RemoveWork, 'is_fresh' | 'is_doubted'>,
    now_ms: number,
  ): RemoveWork {
    const { contents, folders } = parts
    const name = readOne<string>(name_sql, row.id) ?? `content ${row.id}`
    if (how.is_fresh) contents.apply({ type: 'removal_intended', content: row.id }, now_ms)
    const project_id = folders.projectId(row.project)
    return {
      content: row.id,
      project_id,
      asset_id: row.asset_id!,
      name,
      attempts: row.attempts,
      ...how,
    }
  }

  function mayGo(row: ContentRow, held: ReadonlySet<number>, now_ms: number): boolean {
    const { removals } = parts
    const verdict = judged(row, held, now_ms)
    if (verdict.kind === 'keep') removals.putOff(row.id, undefined, undefined)
    if (verdict.kind === 'wait') {
      const until_ms = verdict.until_ms ?? now_ms + check_again_ms
      if (verdict.why === 'twin' || verdict.why === 'left_out')
        removals.awaitTwin(row, verdict.why, until_ms)
      else removals.putOff(row.id, until_ms, verdict.why)
    }
    return verdict.kind === 'remove'
  }

  function judged(row: ContentRow, held: ReadonlySet<number>, now_ms: number): RemovalVerdict {
    return removalVerdict({
      now_ms,
      partings: partings.ofContent(row.id).map((known) => parting(known, held)),
      is_needed:
        !row.made_here || is_needed.get({ content: row.id, asset_id: row.asset_id }) !== undefined,
      twin: twin(row),
      is_asked_about: is_asked_about.get(row.id) !== undefined,
      scans: scans(row.project),
    })
  }

  function twin({ id, project, size }: ContentRow): Twin {
    const key = `${project} ${size}`
    if (!newest_twins.has(key)) newest_twins.set(key, readOne(newest_twin, { project, size }))
    return twinOf(id, newest_twins.get(key))
  }

  function scans(project: number): FolderScan[] {
    return parts.folders
      .all()
      .filter((folder) => folder.configured && folder.project === project)
      .map((folder) => ({ folder: folder.name, began_ms: scanBegan_ms(folder) }))
  }

  function scanBegan_ms(folder: FolderRow): number | undefined {
    return folder.online ? parts.folders.checks(folder.name).scanned_ms : undefined
  }

  function parting(known: KnownParting, held: ReadonlySet<number>): Parting {
    const folder = parts.folders.named(known.folder)!
    const is_known = scanBegan_ms(folder) !== undefined
    const { first_scan_ended_ms } = parts.folders.checks(folder.name)
    return {
      ...known,
      folder: { ...folder, is_known, is_held: held.has(folder.id), first_scan_ended_ms },
      now: nowAt(known),
    }
  }

  /** Folders with so many removals, due and recent ones together, that a user must accept them. */
  function heldFolders(now_ms: number): Set<number> {
    const { evidence, usage, limits } = parts
    const { per_ms } = limits.removal
    const held = new Set<number>()
    for (const { folder, files, deleted_ms } of readAll<RemovingIn>(removing_by_folder)) {
      const removing = files + usage.over(removedIn(folder), per_ms, now_ms).files
      const lately = usage.over(deletedIn(folder), per_ms, now_ms).files
      const deleted = mostWithin(JSON.parse(deleted_ms) as number[], per_ms) + lately
      const present = evidence.of(folder).now
      if (isMuch({ removing, deleted, present }, limits.removal)) held.add(folder)
    }
    return held
  }

  return { claim }
}

interface RemovingIn {
  folder: number
  files: number
  /** Unix ms of deletions, a JSON array. */
  deleted_ms: string
}

/** State of the path now. A path without a row counts as gone: for months, or it is ignored. */
function nowAt({ state = 'gone', gone_ms, content_state, at_ms }: KnownParting): Parting['now'] {
  const last_ready = content_state === 'ready'
  if (state === 'gone') return { kind: 'gone', gone_ms: gone_ms ?? at_ms, last_ready }
  return { kind: state === 'present' && last_ready ? 'ready' : 'moving' }
}
