import type { Sqlite } from '../../base/files/sqlite.ts'
import { waitsForPerson } from '../../domain/disappearance.ts'
import type { FolderEvent, FolderFact, ScanSummary } from '../../domain/fact.ts'
import { keep_everything, type RemovalPolicy } from '../../domain/removal.ts'
import { type FolderRow, folderRow, foundColumns } from './folder-row.ts'

/** What a changed folder means for its rows; the caller holds the tables that have to follow. */
export interface FolderConsequences {
  /** Every file must be looked at again: its content belonged to another project. */
  relinkFiles(folder: FolderRow): void
  lookAtSkippedAgain(folder: FolderRow): void
  relabel(folder: FolderRow): void
  /** It says something else about what is to be removed on the service. */
  reconsiderRemovals(folder: FolderRow): void
  /** What is not settled lies in another place now: it holds nothing of what it held there. */
  partUnsettled(folder: FolderRow): void
  /** What it parted from so far is not to be removed for its sake. */
  keepParted(folder: FolderRow): void
}

/** The folders, read once and kept in memory: there are few, and every file fact needs its own. */
export function createFolderRows(database: Sqlite) {
  let by_name = new Map<string, FolderRow>()
  let by_id = new Map<number, FolderRow>()
  let want_labels = false
  let project_ids = new Map<number, string>()
  /** By name; kept in memory alone, as claims are. */
  const judged_ms_sql = new Map<string, number>()
  /** When the last whole look began, of those since this process began and since the folder is there: by name, kept in memory alone. */
  const looked_ms_sql = new Map<string, number>()
  /**
   * When the first whole scan after a return ended; infinite until then. By name, in memory alone:
   * so is the time of the last scan.
   */
  const first_scan_ended_ms = new Map<string, number>()
  load()

  function named(name: string): FolderRow | undefined {
    return by_name.get(name)
  }

  function withId(id: number): FolderRow | undefined {
    return by_id.get(id)
  }

  function wantLabels(): boolean {
    return want_labels
  }

  function judged_ms(name: string): number | undefined {
    return judged_ms_sql.get(name)
  }

  function looked_ms(name: string): number | undefined {
    return looked_ms_sql.get(name)
  }

  function firstScanEnded_ms(name: string): number | undefined {
    return first_scan_ended_ms.get(name)
  }

  function projectId(project: number): string {
    return project_ids.get(project) ?? ''
  }

  function all(): FolderRow[] {
    return [...by_name.values()]
  }

  /** After a rollback, after every change, and when the clock was set back. */
  function reload(): void {
    judged_ms_sql.clear()
    looked_ms_sql.clear()
    first_scan_ended_ms.clear()
    load()
  }

  function apply(event: FolderEvent, at_ms: number, consequences: FolderConsequences): void {
    switch (event.type) {
      case 'folder_configured':
        configure(event.folder, at_ms, consequences)
        break
      case 'folders_removed_except': {
        const kept = JSON.stringify(event.names)
        const dropped = all().filter((folder) => folder.configured && !event.names.includes(folder.name))
        database
          .prepare('UPDATE folders SET configured = 0 WHERE name NOT IN (SELECT value FROM json_each(?))')
          .run(kept)
        load()
        for (const folder of dropped) if (givesLabels(folder)) consequences.relabel(folder)
        break
      }
      case 'folder_online':
        database
          .prepare(
            `UPDATE folders SET state_since_ms = iif(offline_reason IS NULL AND device IS NOT NULL, state_since_ms, ?),
               offline_reason = NULL, device = ?, root_identity = ? WHERE name = ?`,
          )
          .run(at_ms, BigInt.asIntN(64, event.device), event.identity, event.folder)
        judged_ms_sql.set(event.folder, at_ms)
        if (isReturn(by_name.get(event.folder), event.device)) {
          looked_ms_sql.delete(event.folder)
          first_scan_ended_ms.set(event.folder, Number.POSITIVE_INFINITY)
        }
        break
      case 'folder_offline':
        // A word that was said while the same was found once more is a word about that.
        database
          .prepare(
            `UPDATE folders SET state_since_ms = iif(offline_reason IS NULL, @at_ms, state_since_ms), offline_reason = @reason,
               empty_accepted = iif(found_files = @files AND found_device IS @device AND found_identity IS @identity, empty_accepted, 0),
               found_device = @device, found_identity = @identity, found_files = @files WHERE name = @folder`,
          )
          .run({ at_ms, reason: event.reason, folder: event.folder, ...foundColumns(event.found) })
        if (!event.is_doubted) judged_ms_sql.set(event.folder, at_ms)
        looked_ms_sql.delete(event.folder)
        break
      case 'folder_watched':
        database
          .prepare(
            `UPDATE folders SET watcher = @watcher, watch_reason = @reason, deaf_ms = iif(@deaf IS NULL, @kept_ms, @at_ms),
               deaf_reason = iif(@deaf IS NULL, iif(@kept_ms IS NULL, NULL, deaf_reason), @deaf),
               given_up_times = given_up_times + (@deaf IS NOT NULL), rebuilt_times = rebuilt_times + (@rebuilt IS NOT NULL),
               rebuilt_ms = iif(@rebuilt IS NULL, rebuilt_ms, @at_ms), rebuilt_reason = coalesce(@rebuilt, rebuilt_reason)
             WHERE name = @folder`,
          )
          .run({ ...watchOf(event, by_name.get(event.folder)), at_ms })
        break
      case 'scan_wanted':
        database
          .prepare(
            'UPDATE folders SET scan_wanted_ms = max(coalesce(scan_wanted_ms, @at_ms), @at_ms) WHERE name = @folder',
          )
          .run({ at_ms: event.at_ms, folder: event.folder })
        break
      case 'scan_finished':
        database
          .prepare(
            `UPDATE folders SET first_scan_ms = coalesce(first_scan_ms, @at_ms), scan_began_ms = min(@began_ms, @at_ms), scan_ended_ms = @at_ms,
               scan_summary = @summary, moved_ms = iif(@is_part OR @began_ms < moved_ms, moved_ms, NULL),
               empty_accepted = iif(@is_part, empty_accepted, 0), found_files = iif(@is_part, found_files, NULL) WHERE name = @folder`,
          )
          .run({
            at_ms,
            began_ms: event.began_ms,
            summary: JSON.stringify(event.summary),
            is_part: event.is_part || isCut(event.summary) ? 1 : 0,
            folder: event.folder,
          })
        // One that began in a time that was taken back proves nothing of the time from now on.
        if (event.began_ms <= at_ms && sawAllKnown(event)) scanned(event.folder, event.began_ms, at_ms)
        break
    }
    load()
  }

  function scanned(name: string, began_ms: number, at_ms: number): void {
    looked_ms_sql.set(name, began_ms)
    if (first_scan_ended_ms.get(name) === Number.POSITIVE_INFINITY) first_scan_ended_ms.set(name, at_ms)
  }

  /**
   * Said of this disappearance; a folder that waits for no word has none, and what disappears later is asked about. What waits is
   * not scanned, so that the scan which ends next began after the word, and uses it up. Answers whether it was a word about that:
   * then it is about nothing else.
   */
  function acceptDisappearance(folder: FolderRow): boolean {
    if (!waitsForPerson(folder.offline_reason)) return false
    database.prepare('UPDATE folders SET empty_accepted = 1 WHERE id = ? AND found_files IS NOT NULL').run(folder.id)
    load()
    return true
  }

  function configure(folder: FolderFact, at_ms: number, consequences: FolderConsequences): void {
    database.prepare('INSERT INTO projects (project_id) VALUES (?) ON CONFLICT DO NOTHING').run(folder.project_id)
    const before = by_name.get(folder.name)
    if (before?.root !== folder.root) judged_ms_sql.delete(folder.name)
    if (!before?.configured || before.root !== folder.root || before.rules !== folder.rules)
      looked_ms_sql.delete(folder.name)
    database
      .prepare(
        `INSERT INTO folders (name, root, project, labels, label_from, rules, configured, state_since_ms, started_ms, kept_ms,
           on_delete, on_change, delete_grace_ms)
         VALUES (@name, @root, (SELECT id FROM projects WHERE project_id = @project_id), @labels, @label_from, @rules, 1, @at_ms, @at_ms,
           @at_ms, @on_delete, @on_change, @delete_grace_ms)
         ON CONFLICT (name) DO UPDATE SET
           kept_ms = iif(configured = 1 AND project = excluded.project, kept_ms, @at_ms), root = excluded.root, project = excluded.project, labels = excluded.labels,
           label_from = excluded.label_from, rules = excluded.rules, configured = 1,
           empty_accepted = iif(root = excluded.root, empty_accepted, 0), found_device = iif(root = excluded.root, found_device, NULL),
           found_identity = iif(root = excluded.root, found_identity, NULL), found_files = iif(root = excluded.root, found_files, NULL),
           on_delete = excluded.on_delete, on_change = excluded.on_change, delete_grace_ms = excluded.delete_grace_ms`,
      )
      .run({ ...keep_everything, ...folder, labels: JSON.stringify(folder.labels), at_ms })
    load()
    const after = by_name.get(folder.name)
    if (!before || !after) return
    const is_elsewhere = before.root !== after.root || !before.configured
    if (is_elsewhere) {
      database.prepare('UPDATE folders SET moved_ms = ? WHERE id = ?').run(at_ms, after.id)
      load()
      consequences.partUnsettled(by_id.get(after.id)!)
    }
    if (before.project !== after.project) consequences.relinkFiles(after)
    if (before.project !== after.project || before.root !== after.root) consequences.keepParted(after)
    if (before.rules !== after.rules) consequences.lookAtSkippedAgain(after)
    const labels_changed =
      before.label_from !== after.label_from || JSON.stringify(before.labels) !== JSON.stringify(after.labels)
    if (policyOf(before) !== policyOf(after) || !before.configured) consequences.reconsiderRemovals(after)
    if (labels_changed || (!before.configured && givesLabels(after))) consequences.relabel(after)
  }

  /** What was there may have moved to where nobody can look: below a directory that cannot be read, or that a disk covers. */
  function sawAllKnown({ folder, summary, is_part }: Extract<FolderEvent, { type: 'scan_finished' }>): boolean {
    if (is_part || isCut(summary)) return false
    const id = by_name.get(folder)?.id
    const known = (at: string) => `SELECT 1 FROM files WHERE folder = @id AND ${at} AND state <> 'gone'`
    const known_in = database.prepare(
      `${known('path = @path')} UNION ALL ${known(`path > @path || '/' AND path < @path || '0'`)} LIMIT 1`,
    )
    const hidden = [...summary.unreadable.map(({ path }) => path), ...summary.other_mounts]
    return !hidden.some((path) => known_in.get({ id, path }) !== undefined)
  }

  function load(): void {
    const rows = database
      .prepare(
        `SELECT folders.*, projects.project_id, json_extract(scan_summary, '$.files') AS counted_files,
           json_extract(scan_summary, '$.directories') AS counted_directories
         FROM folders JOIN projects ON projects.id = folders.project`,
      )
      .safeIntegers(true)
      .all() as Record<string, bigint | string | null>[]
    by_name = new Map(rows.map((row) => [row.name as string, folderRow(row)]))
    want_labels = all().some((row) => row.configured && givesLabels(row))
    const projects = database.prepare('SELECT id, project_id FROM projects').all()
    project_ids = new Map((projects as { id: number; project_id: string }[]).map((row) => [row.id, row.project_id]))
    by_id = new Map([...by_name.values()].map((row) => [row.id, row]))
  }

  return {
    named,
    withId,
    wantLabels,
    judged_ms,
    looked_ms,
    firstScanEnded_ms,
    projectId,
    all,
    reload,
    apply,
    acceptDisappearance,
  }
}

export type FolderRows = ReturnType<typeof createFolderRows>

/** More could not be read than is listed: what is missing was not looked at. */
function isCut({ unreadable, unreadable_total }: ScanSummary): boolean {
  return unreadable_total > unreadable.length
}

function policyOf({ on_delete, on_change, delete_grace_ms }: RemovalPolicy): string {
  return JSON.stringify([on_delete, on_change, delete_grace_ms])
}

function givesLabels(folder: FolderRow): boolean {
  return folder.labels.length > 0 || folder.label_from !== 'none'
}

/** What is only scanned stays deaf; what is watched again is not. */
function watchOf(event: Extract<FolderEvent, { type: 'folder_watched' }>, before: FolderRow | undefined) {
  const { folder, watcher, reason, deaf = null, rebuilt = null } = event
  return {
    folder,
    watcher,
    reason,
    deaf,
    rebuilt,
    kept_ms: watcher === 'scan' ? (before?.watch?.deaf?.since_ms ?? null) : null,
  }
}

/** The folder was offline, or stood on another disk. */
function isReturn(folder: FolderRow | undefined, device: bigint): boolean {
  if (folder?.device === undefined) return false
  return folder.offline_reason !== undefined || folder.device !== device
}
