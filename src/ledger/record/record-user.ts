import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import type { UserFact } from '../../domain/fact.ts'
import { extensionOf, isTypePattern } from '../../domain/file-type.ts'
import type { RemovalPolicy } from '../../domain/removal.ts'
import { fileRow, pathsBelow, type RawFile } from '../rows/file-rows.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import { type FolderChange, givesLabels } from '../rows/folder-rows.ts'
import type { RemovalRows } from '../rows/removal-rows.ts'
import { waitsEndedBy } from '../rows/waits.ts'
import type { ContentRecorder } from './record-content.ts'
import type { FileRecorder } from './record-file.ts'

/** Rows in memory at a time: a folder may have millions. */
const page_rows = 5_000

/** The rows under a path that become due for a check. */
const conditions = {
  every: `state <> 'gone'`,
  unsettled: `state IN ('seen', 'blocked', 'skipped') AND content IS NOT NULL`,
  skipped: `state = 'skipped'`,
  accepted: waitsEndedBy('accepted', 'files'),
  retried: waitsEndedBy('retried', 'files'),
} as const

/** Applies requests of users, and what a changed config means for many rows at once. */
export function createUserRecorder(
  database: Sqlite,
  parts: { files: FileRecorder; contents: ContentRecorder; removals: RemovalRows },
) {
  const { files, contents, removals } = parts
  const files_where = (condition: string) => (path: string) =>
    database
      .prepare(
        `SELECT * FROM files WHERE folder = @folder AND ${path} AND ${condition} ORDER BY path LIMIT @limit`,
      )
      .safeIntegers(true)
  const contents_where = (condition: string) => (path: string) =>
    database.prepare(
      `SELECT files.path, contents.id FROM files CROSS JOIN contents ON contents.id = files.content
         WHERE files.folder = @folder AND ${path} AND +files.state = 'present' AND ${condition}
         ORDER BY files.path LIMIT @limit`,
    )
  const relabel = database.prepare(
    `UPDATE contents SET labels_due_ms = ? WHERE id IN (SELECT content FROM files WHERE folder = ? AND state = 'present')`,
  )

  const rename = database.prepare(
    `UPDATE asset_names SET due_ms = @at_ms WHERE asset_names.state = 'shown' AND (@all OR due_ms IS NOT NULL)
       AND content IN (SELECT content FROM files WHERE folder = @folder AND state = 'present')`,
  )
  const forget_refusal = database.prepare('DELETE FROM name_refusals WHERE project = ?')
  // A project may rest its labels for a day.
  const relabel_sooner = database.prepare(
    `UPDATE contents SET labels_due_ms = @at_ms WHERE state = 'ready' AND labels_due_ms > @at_ms
       AND id IN (SELECT content FROM files WHERE folder = @folder AND state = 'present')`,
  )

  function apply(
    fact: Exclude<UserFact, { type: 'removals_accepted' }>,
    folder: FolderRow,
    at_ms: number,
  ): void {
    const { type, path } = fact
    if (type === 'accepted' && isTypePattern(path)) {
      const judge = path.startsWith('!') ? contents.types.undoAccept : contents.types.accept
      contents.retry(judge(folder.project, extensionOf(path), at_ms), at_ms)
      return
    }
    if (type === 'retried') relabel_sooner.run({ folder: folder.id, at_ms })
    checkAgain(folder, path, type, type === 'accepted' ? { accepted: true } : {}, at_ms)
    if (type === 'retried') {
      forget_refusal.run(folder.project)
      rename.run({ at_ms, folder: folder.id, all: 0 })
    }
    const found = contents_where(waitsEndedBy(type, 'contents'))
    for (const page of pagesOf<{ path: string; id: number }>(found, folder, path, at_ms)) {
      contents.retry([...new Set(page.map(({ id }) => id))], at_ms)
    }
  }

  /** Changes the rows that follow from a folder in another configuration. */
  function followFolder({ before, after }: FolderChange, at_ms: number): void {
    if (!before) return
    if (before.upload_name !== after.upload_name || before.configured !== after.configured)
      rename.run({ at_ms, folder: after.id, all: 1 })
    if (!after.configured) {
      if (givesLabels(before)) relabel.run(at_ms, after.id)
      return
    }
    const is_back = !before.configured
    const has_other_root = before.root !== after.root
    const has_other_project = before.project !== after.project
    // Unsettled files are in another place now. They hold nothing until their bytes are known.
    if (is_back || has_other_root) checkAgain(after, '', 'unsettled', { gone_ms: at_ms }, at_ms)
    // The contents of all files belong to another project, which has no earlier version.
    if (has_other_project)
      checkAgain(after, '', 'every', { content: undefined, sent_ms: undefined }, at_ms)
    if (has_other_project || has_other_root) removals.keepParted(after)
    if (before.rules !== after.rules) checkAgain(after, '', 'skipped', {}, at_ms)
    if (is_back || policyOf(before) !== policyOf(after)) removals.reconsider(after, at_ms)
    if (labelsOf(before) !== labelsOf(after) || (is_back && givesLabels(after)))
      relabel.run(at_ms, after.id)
  }

  function checkAgain(
    folder: FolderRow,
    path: string,
    which: keyof typeof conditions,
    change: Parameters<FileRecorder['checkAgain']>[1],
    at_ms: number,
  ): void {
    for (const page of pagesOf<RawFile>(files_where(conditions[which]), folder, path, at_ms)) {
      for (const raw of page) files.checkAgain(fileRow(raw), change, at_ms)
    }
  }

  return { apply, followFolder }
}

function policyOf({ on_delete, on_change, delete_grace_ms }: RemovalPolicy): string {
  return JSON.stringify([on_delete, on_change, delete_grace_ms])
}

function labelsOf({ labels, label_from }: FolderRow): string {
  return JSON.stringify([labels, label_from])
}

/** Reads the row of a path and all rows below it. The empty path is the whole folder. */
function* pagesOf<Row extends { path?: unknown }>(
  select: (path: string) => Statement,
  { id }: FolderRow,
  path: string,
  now_ms: number,
): Generator<Row[]> {
  const query = { folder: id, now_ms }
  if (path !== '') yield select('path = @path').all({ ...query, path, limit: 1 }) as Row[]
  const under = select('path > @after AND path < @last')
  let { first: after, last } = pathsBelow(path)
  for (;;) {
    const page = under.all({ ...query, after, last, limit: page_rows }) as Row[]
    yield page
    if (page.length < page_rows) return
    after = page.at(-1)!.path as string
  }
}
