import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import type { PersonFact } from '../../domain/fact.ts'
import { after_all_paths } from '../path-order.ts'
import { fileRow } from '../rows/file-rows.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { FolderConsequences } from '../rows/folder-rows.ts'
import type { RemovalRows } from '../rows/removal-rows.ts'
import type { ContentRecorder } from './record-content.ts'
import type { FileRecorder } from './record-file.ts'

/** Rows in memory at a time: a folder may have millions. */
const page_rows = 5_000

/**
 * The rows under a path that become due for a check. Each row is met only once, because pages go on
 * by path.
 */
const conditions = {
  every: `state <> 'gone'`,
  unsettled: `state IN ('seen', 'blocked', 'skipped') AND content IS NOT NULL`,
  skipped: `state = 'skipped'`,
  held: `state <> 'gone' AND +reason IN ('brake', 'before_start')`,
  blocked: `+state = 'blocked' AND +reason <> 'brake'`,
} as const

/** Applies what users record, and what a changed config means for many rows at once. */
export function createPersonRecorder(
  database: Sqlite,
  parts: { files: FileRecorder; contents: ContentRecorder; removals: RemovalRows },
) {
  const { files, contents, removals } = parts
  const files_where = (condition: string) => (path: string) =>
    database
      .prepare(`SELECT * FROM files WHERE folder = @folder AND ${path} AND ${condition} ORDER BY path LIMIT @limit`)
      .safeIntegers(true)
  const in_need = (path: string) =>
    database.prepare(
      `SELECT files.path, contents.id FROM files CROSS JOIN contents ON contents.id = files.content
         WHERE files.folder = @folder AND ${path} AND +files.state = 'present'
           AND contents.state IN ('refused', 'removed_on_service', 'wanted', 'reserving', 'reserved', 'sent', 'ingesting')
         ORDER BY files.path LIMIT @limit`,
    )
  const relabel = database.prepare(
    `UPDATE contents SET labels_due_ms = ? WHERE id IN (SELECT content FROM files WHERE folder = ? AND state = 'present')`,
  )

  function apply(fact: Exclude<PersonFact, { type: 'removals_accepted' }>, folder: FolderRow, at_ms: number): void {
    if (fact.type === 'accepted') {
      lookAgain(folder, fact.path, 'held', { accepted: true }, at_ms)
      return
    }
    lookAgain(folder, fact.path, 'blocked', {}, at_ms)
    for (const page of pagesOf<{ path: string; id: number }>(in_need, folder, fact.path)) {
      for (const content of new Set(page.map(({ id }) => id))) contents.retry(content, at_ms)
    }
  }

  function folderConsequences(at_ms: number): FolderConsequences {
    return {
      relinkFiles: (folder) => lookAgain(folder, '', 'every', { content: undefined }, at_ms),
      lookAtSkippedAgain: (folder) => lookAgain(folder, '', 'skipped', {}, at_ms),
      relabel: (folder) => void relabel.run(at_ms, folder.id),
      reconsiderRemovals: (folder) => removals.reconsider(folder, at_ms),
      partUnsettled: (folder) => lookAgain(folder, '', 'unsettled', { gone_ms: at_ms }, at_ms),
      keepParted: (folder) => removals.keepParted(folder),
    }
  }

  function lookAgain(
    folder: FolderRow,
    path: string,
    which: keyof typeof conditions,
    change: Parameters<FileRecorder['lookAgain']>[1],
    at_ms: number,
  ): void {
    for (const page of pagesOf<RawFile>(files_where(conditions[which]), folder, path)) {
      for (const raw of page) files.lookAgain(fileRow(raw), change, at_ms)
    }
  }

  return { apply, folderConsequences }
}

export type PersonRecorder = ReturnType<typeof createPersonRecorder>

type RawFile = Parameters<typeof fileRow>[0]

/**
 * Reads the row of a file, and all rows below a directory: '0' is the byte after '/'. The empty
 * path is the whole folder.
 */
function* pagesOf<Row extends { path?: unknown }>(
  select: (path: string) => Statement,
  { id }: FolderRow,
  path: string,
): Generator<Row[]> {
  if (path !== '') yield select('path = @path').all({ folder: id, path, limit: 1 }) as Row[]
  const under = select('path > @after AND path < @last')
  const last = path === '' ? after_all_paths : `${path}0`
  let after = path === '' ? '' : `${path}/`
  for (;;) {
    const page = under.all({ folder: id, after, last, limit: page_rows }) as Row[]
    yield page
    if (page.length < page_rows) return
    after = page.at(-1)!.path as string
  }
}
