import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../base/run/errors.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import type { Parting, Twin } from '../../domain/removal.ts'
import type { ContentRow } from './content-rows.ts'
import type { Usage, Used } from './counts.ts'
import { type FileRow, heldBy, is_there } from './file-rows.ts'
import type { FolderRow } from './folder-row.ts'
import type { FolderRows } from './folder-rows.ts'

const unsettled = `files.state IN ('seen', 'blocked')`
/**
 * SQL for a file without known bytes: it may be any content of its size, under another name.
 * `mayBeAny` decides the same for a row. The text is word for word the conditions of two indexes.
 */
export const may_be_any = `${unsettled} OR files.state = 'skipped' AND files.size > 0`

/** In place of an id: the file may be any content, also one that comes later. */
const all_contents = Number.MAX_SAFE_INTEGER
/** In place of an id: the file was left out, and it is not known before which content. */
const any_so_far = all_contents - 1
/** SQL for the highest id of a content that any of these rows may be; see `twinOf`. */
export const newest_it_may_be = `max(iif(files.state = 'skipped', coalesce(files.left_out_after, ${any_so_far}), ${all_contents}))`

/**
 * The twin of a content, by `newest_it_may_be` of the rows of its size. A file left out with its
 * present stat before the content came can only be a copy: a moved file would have another stat.
 */
export function twinOf(content: number, newest: number | undefined): Twin {
  if (newest === undefined) return 'none'
  if (newest === all_contents) return 'moving'
  return newest >= content ? 'left_out' : 'left_out_before'
}

/** Delay of the next check, in case no fact reports the event that it waits for. */
export const check_again_ms = 600_000

/** Records which paths no longer hold a content, and since when no path does (outdated). */
export function createRemovalRows(
  database: Sqlite,
  { folders, usage }: { folders: FolderRows; usage: Usage },
) {
  /** Contents that wait for a file of their size. The first scan after a start checks all again. */
  const by_size_of_twin = new Map<number, Set<number>>()
  /** True while no path has parted from any content, as in every first scan. */
  let is_idle = database.prepare('SELECT 1 FROM partings LIMIT 1').get() === undefined
  const part = database.prepare(
    `INSERT OR REPLACE INTO partings (folder, path, content, why, policy, at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const rejoin = database.prepare(
    'DELETE FROM partings WHERE folder = ? AND path = ? AND content = ?',
  )
  const needed_again = database.prepare(
    `UPDATE contents SET outdated_ms = NULL, remove_due_ms = NULL, remove_why = NULL WHERE id = ?`,
  )
  // Sluice removes only assets that it made (a 201), and only if every path that held them agrees.
  const judge = database.prepare(
    `UPDATE contents SET outdated_ms = coalesce(outdated_ms, @at_ms), remove_why = NULL,
         remove_due_ms = iif(made_here = 1 AND EXISTS (SELECT 1 FROM partings WHERE content = @content)
           AND NOT EXISTS (SELECT 1 FROM partings WHERE content = @content AND policy = 'keep'), @at_ms, NULL)
       WHERE id = @content AND NOT EXISTS (SELECT 1 FROM files WHERE content = @content AND ${is_there})`,
  )
  const wake_replaced = database.prepare(
    `UPDATE contents SET remove_due_ms = @at_ms WHERE remove_due_ms > @at_ms AND remove_why = 'replacement' AND id IN
       (SELECT partings.content FROM files JOIN partings ON partings.folder = files.folder AND partings.path = files.path
        WHERE files.content = @content AND files.state <> 'gone')`,
  )
  const unaccepted = database.prepare(
    'SELECT folder, why FROM partings WHERE content = ? AND accepted = 0',
  )
  const forget = database.prepare('DELETE FROM partings WHERE content = ?')
  const put_off = database.prepare(
    'UPDATE contents SET remove_due_ms = ?, remove_why = ? WHERE id = ? AND outdated_ms IS NOT NULL',
  )
  const accept_sql = database.prepare(
    `UPDATE partings SET accepted = 1 WHERE folder = @folder AND policy = 'remove'
       AND (@path = '' OR path = @path OR (path > @path || '/' AND path < @path || '0'))`,
  )
  const reconsider_sql = database.prepare(
    `UPDATE contents SET remove_due_ms = @at_ms, remove_why = NULL WHERE outdated_ms IS NOT NULL AND made_here = 1 AND id IN
       (SELECT content FROM partings WHERE folder = @folder AND policy = 'remove')`,
  )
  // It makes the earlier versions of a file due when the file has just gone.
  const check_parted = database.prepare(
    `UPDATE contents SET remove_due_ms = @at_ms, remove_why = NULL WHERE outdated_ms IS NOT NULL AND made_here = 1 AND id IN
       (SELECT content FROM partings WHERE folder = @folder AND path = @path AND policy = 'remove')`,
  )
  const keep_parted = [
    `UPDATE contents SET remove_due_ms = NULL, remove_why = NULL WHERE id IN (SELECT content FROM partings WHERE folder = ?)`,
    `UPDATE partings SET why = 'let_go', policy = 'keep' WHERE folder = ?`,
  ].map((sql) => database.prepare(sql))
  const check_soon = database.prepare(
    `UPDATE contents SET remove_due_ms = @at_ms WHERE state = 'ready' AND remove_due_ms > @at_ms
       AND remove_due_ms <= @at_ms + ${check_again_ms} AND remove_why NOT IN ('grace', 'service')`,
  )
  const twin_settled = database.prepare(
    `UPDATE contents SET remove_due_ms = @at_ms
       WHERE id = @content AND state = 'ready' AND remove_due_ms > @at_ms AND remove_why IN ('twin', 'left_out')`,
  )
  const refuse = database.prepare(
    `INSERT INTO removal_refusals (project, code, message, since_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (project) DO UPDATE SET code = excluded.code, message = excluded.message`,
  )
  const unrefuse = database.prepare('DELETE FROM removal_refusals WHERE project = ?')

  /** Call it after the row of a file changed. Undefined: there was no row, or is none now. */
  function follow(before: FileRow | undefined, after: FileRow | undefined, at_ms: number): void {
    const is_still_twin = after && mayBeAny(after) && after.stat.size === before?.stat.size
    if (before && mayBeAny(before) && !is_still_twin) twinSettled(before.stat.size, at_ms)
    clearDoubt(before, after, at_ms)
    const held = heldBy(before)
    const holds = heldBy(after)
    if (held === holds) return
    if (before && held !== undefined) partFrom(before, held, partingOf(after), at_ms)
    if (after && holds !== undefined && !is_idle) {
      rejoin.run(after.folder, after.path, holds)
      needed_again.run(holds)
    }
  }

  /** The content may have been outdated before it was ready, and others may have waited for it. */
  function becameReady(content: number, at_ms: number): void {
    if (is_idle) return
    judge.run({ content, at_ms })
    wake_replaced.run({ content, at_ms })
  }

  /** Forgets the partings. Those that no user accepted count for the removal limits. */
  function removed({ id, project, size }: ContentRow, at_ms: number): void {
    for (const { folder, why } of unaccepted.all(id) as { folder: number; why: Parting['why'] }[]) {
      usage.add(removedIn(folder), size, at_ms)
      if (why === 'deleted') usage.add(deletedIn(folder), size, at_ms)
    }
    forget.run(id)
    needed_again.run(id)
    unrefuse.run(project)
  }

  /** Defers the check of a removal to this time; undefined if the content is kept. */
  function putOff(content: number, until_ms: number | undefined, why: string | undefined): void {
    put_off.run(until_ms, why, content)
  }

  /** Defers the check until a file of its size is known or left out, at most to `until_ms`. */
  function awaitTwin({ id, size }: ContentRow, why: 'twin' | 'left_out', until_ms: number): void {
    putOff(id, until_ms, why)
    const waiting = by_size_of_twin.get(size) ?? new Set()
    by_size_of_twin.set(size, waiting.add(id))
  }

  function accept({ id }: FolderRow, path: string, at_ms: number): void {
    accept_sql.run({ folder: id, path })
    checkSoon(at_ms)
  }

  /** Checks the folder's removals again: its policy changed, or it is configured again. */
  function reconsider({ id }: FolderRow, at_ms: number): void {
    if (!is_idle) reconsider_sql.run({ folder: id, at_ms })
  }

  /** Keeps the assets that paths of the folder held before it got another root or project. */
  function keepParted({ id }: FolderRow): void {
    if (!is_idle) {
      for (const statement of keep_parted) statement.run(id)
    }
  }

  /** Checks waiting removals now, for example after a scan. */
  function checkSoon(at_ms: number): void {
    if (!is_idle) check_soon.run({ at_ms })
  }

  function serviceRefuses(project: number, { code, message }: FaultNote, at_ms: number): void {
    refuse.run(project, code, message, at_ms)
  }

  /**
   * A file that was gone and came back may have held the same bytes again. If it has others now, or
   * is gone once more, its last content is decided on. When a file goes, its earlier versions are.
   */
  function clearDoubt(
    before: FileRow | undefined,
    after: FileRow | undefined,
    at_ms: number,
  ): void {
    if (is_idle || before?.content === undefined) return
    if (
      before.state !== 'gone' &&
      before.gone_ms !== undefined &&
      heldBy(after) !== before.content
    ) {
      judge.run({ content: before.content, at_ms })
    }
    if (before.state !== 'gone' && after?.state === 'gone') {
      check_parted.run({ folder: after.folder, path: after.path, at_ms })
    }
  }

  function twinSettled(size: number, at_ms: number): void {
    for (const content of by_size_of_twin.get(size) ?? []) twin_settled.run({ content, at_ms })
    by_size_of_twin.delete(size)
  }

  function partFrom(
    { folder: id, path }: FileRow,
    content: number,
    how: Parting['why'],
    at_ms: number,
  ): void {
    const folder = folders.withId(id)
    // A file under another root, or one that changed while its folder was not configured, was
    // neither deleted nor changed here.
    const why = folder?.moved_ms === undefined ? how : 'let_go'
    const removes =
      why === 'deleted' ? folder?.on_delete === 'remove' : folder?.on_change === 'remove_old'
    is_idle = false
    part.run(id, path, content, why, why !== 'let_go' && removes ? 'remove' : 'keep', at_ms)
    judge.run({ content, at_ms })
  }

  return {
    follow,
    becameReady,
    removed,
    putOff,
    awaitTwin,
    accept,
    reconsider,
    keepParted,
    checkSoon,
    serviceRefuses,
  }
}

export type RemovalRows = ReturnType<typeof createRemovalRows>

/** A path that no longer holds a content, and what is known of the path now. */
export interface KnownParting extends Pick<Parting, 'why' | 'policy' | 'accepted' | 'at_ms'> {
  folder: string
  path: string
  /** Undefined if the path has no row any more: it was gone for months, or is ignored. */
  state: FileState | undefined
  gone_ms: number | undefined
  /** State of the content that the path holds, or held last; undefined without one. */
  content_state: ContentState | undefined
}

/** Reads the partings of a content: the paths that no longer hold it. */
export function createPartingRows(database: Sqlite) {
  const of_content = database.prepare(
    `SELECT folders.name AS folder, partings.path, why, policy, partings.accepted, at_ms, files.state, files.gone_ms,
         contents.state AS content_state
       FROM partings JOIN folders ON folders.id = partings.folder
         LEFT JOIN files ON files.folder = partings.folder AND files.path = partings.path
         LEFT JOIN contents ON contents.id = files.content
       WHERE partings.content = ? ORDER BY partings.folder, partings.path`,
  )

  function ofContent(content: number): KnownParting[] {
    const rows = readAll<Omit<KnownParting, 'accepted'> & { accepted: 0 | 1 }>(of_content, content)
    return rows.map((row) => ({ ...row, accepted: row.accepted === 1 }))
  }

  return { ofContent }
}

export function deletedIn(folder: number): Used {
  return `deleted in ${folder}`
}

export function removedIn(folder: number): Used {
  return `removed in ${folder}`
}

function mayBeAny({ state, stat }: FileRow): boolean {
  return state === 'seen' || state === 'blocked' || (state === 'skipped' && stat.size > 0)
}

function partingOf(after: FileRow | undefined): Parting['why'] {
  if (after === undefined) return 'let_go'
  if (after.state === 'gone') return 'deleted'
  return after.content === undefined ? 'let_go' : 'changed'
}
