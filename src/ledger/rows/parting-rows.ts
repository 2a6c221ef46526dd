import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import type { Parting } from '../../domain/removal.ts'

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
