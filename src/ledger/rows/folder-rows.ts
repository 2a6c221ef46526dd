import { readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { waitsForUser } from '../../domain/disappearance.ts'
import type { FolderEvent, FolderFact } from '../../domain/fact.ts'
import {
  configuredFolder,
  type FolderRow,
  folderAfter,
  isWhole,
  readFolderRows,
  storedFolder,
} from './folder-row.ts'

/** A changed folder. The caller changes what follows from it in other tables (record-user.ts). */
export interface FolderChange {
  /** Undefined for a new folder. */
  before: FolderRow | undefined
  after: FolderRow
}

/** Results of checks and scans since this process began. Like claims, they are only in memory. */
interface Checks {
  /** Unix ms when it was last found online or offline; undefined before. */
  judged_ms?: number | undefined
  /** Begin of the last complete scan since the folder came online, Unix ms; undefined before. */
  scanned_ms?: number | undefined
  /** First complete scan after a return, Unix ms; infinite until its end. Undefined: no return. */
  first_scan_ended_ms?: number
}

/** The folders, kept in memory: every fact about a file needs one. */
export function createFolderRows(database: Sqlite) {
  let by_name = new Map<string, FolderRow>()
  let by_id = new Map<number, FolderRow>()
  let want_labels = false
  const checks = new Map<string, Checks>()
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('folders') WHERE name <> 'id'`)
    .pluck()
    .all()
  const put_sql = database.prepare(
    `INSERT INTO folders (${columns.join()}) VALUES (${columns.map((column) => `@${column}`).join()})
       ON CONFLICT (name) DO UPDATE SET ${columns.map((column) => `${column} = @${column}`).join()}`,
  )
  const add_project = database.prepare(
    'INSERT INTO projects (project_id) VALUES (?) ON CONFLICT DO NOTHING',
  )
  const project_sql = database.prepare('SELECT id FROM projects WHERE project_id = ?').pluck()
  const project_id_sql = database.prepare('SELECT project_id FROM projects WHERE id = ?').pluck()
  const known_in = (at: string) =>
    `SELECT 1 FROM files WHERE folder = @id AND ${at} AND state <> 'gone'`
  const is_known = database.prepare(
    `${known_in('path = @path')} UNION ALL ${known_in(`path > @path || '/' AND path < @path || '0'`)} LIMIT 1`,
  )
  load()

  const all = (): FolderRow[] => [...by_name.values()]

  /** Call this after a rollback, and when the clock was turned back. */
  function reload(): void {
    checks.clear()
    load()
  }

  function load(): void {
    const rows = readFolderRows(database)
    by_name = new Map(rows.map((row) => [row.name, row]))
    by_id = new Map(rows.map((row) => [row.id, row]))
    want_labels = rows.some((row) => row.configured && givesLabels(row))
  }

  function put(row: FolderRow): FolderRow {
    put_sql.run(storedFolder(row))
    load()
    return by_name.get(row.name)!
  }

  function apply(event: FolderEvent, at_ms: number): FolderChange[] {
    if (event.type === 'folder_configured') return [configure(event.folder, at_ms)]
    if (event.type === 'folders_removed_except') {
      const removed = all().filter(
        ({ name, configured }) => configured && !event.names.includes(name),
      )
      return removed.map((before) => ({ before, after: put({ ...before, configured: false }) }))
    }
    const folder = by_name.get(event.folder)
    if (!folder || event.type === 'checks_wanted') return []
    note(folder, event, at_ms)
    put(folderAfter(folder, event, at_ms))
    return []
  }

  function note(folder: FolderRow, event: FolderEvent, at_ms: number): void {
    const known = checksOf(folder.name)
    switch (event.type) {
      case 'folder_online':
        known.judged_ms = at_ms
        if (!isReturn(folder, event.device)) break
        known.scanned_ms = undefined
        known.first_scan_ended_ms = Number.POSITIVE_INFINITY
        break
      case 'folder_offline':
        if (!event.is_doubted) known.judged_ms = at_ms
        known.scanned_ms = undefined
        break
      case 'scan_finished':
        // The clock was turned back during this scan, so its begin lies in the future. It proves
        // nothing about what happens until then.
        if (event.began_ms > at_ms || !sawAllKnown(folder, event)) break
        known.scanned_ms = event.began_ms
        if (known.first_scan_ended_ms === Number.POSITIVE_INFINITY)
          known.first_scan_ended_ms = at_ms
    }
  }

  function checksOf(name: string): Checks {
    const known = checks.get(name) ?? {}
    checks.set(name, known)
    return known
  }

  /**
   * Records that a user accepted this disappearance. False if the folder waits for nothing: then a
   * later disappearance must be accepted anew. A waiting folder is not scanned. So the scan that
   * ends next began after the acceptance, and uses it up.
   */
  function acceptDisappearance(folder: FolderRow): boolean {
    if (!waitsForUser(folder.offline_reason)) return false
    const { disappearance } = folder
    put({ ...folder, disappearance: disappearance && { ...disappearance, is_accepted: true } })
    return true
  }

  function configure(folder: FolderFact, at_ms: number): FolderChange {
    add_project.run(folder.project_id)
    const project = readOne<number>(project_sql, folder.project_id)!
    const before = by_name.get(folder.name)
    const after = put(configuredFolder(before, folder, project, at_ms))
    if (before) {
      const known = checksOf(folder.name)
      const has_other_root = before.root !== after.root
      if (has_other_root) known.judged_ms = undefined
      if (!before.configured || has_other_root || before.rules !== after.rules)
        known.scanned_ms = undefined
    }
    return { before, after }
  }

  /**
   * True if the scan saw every place of known files. Files may have moved below a directory that
   * cannot be read, or that another disk covers.
   */
  function sawAllKnown(
    { id }: FolderRow,
    event: Extract<FolderEvent, { type: 'scan_finished' }>,
  ): boolean {
    const { unreadable, other_mounts } = event.summary
    const hidden = [...unreadable.map(({ path }) => path), ...other_mounts]
    return isWhole(event) && !hidden.some((path) => is_known.get({ id, path }) !== undefined)
  }

  return {
    named: (name: string) => by_name.get(name),
    withId: (id: number) => by_id.get(id),
    wantLabels: () => want_labels,
    checks: (name: string): Readonly<Checks> => checks.get(name) ?? {},
    projectId: (project: number) => readOne<string>(project_id_sql, project) ?? '',
    all,
    reload,
    apply,
    acceptDisappearance,
  }
}

export type FolderRows = ReturnType<typeof createFolderRows>

export function givesLabels(folder: FolderRow): boolean {
  return folder.labels.length > 0 || folder.label_from !== 'none'
}

/** True if the folder was offline, or was on another disk. */
function isReturn(folder: FolderRow, device: bigint): boolean {
  if (folder.device === undefined) return false
  return folder.offline_reason !== undefined || folder.device !== device
}
