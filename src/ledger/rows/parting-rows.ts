import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import type { Parting } from '../../domain/removal.ts'

/** A path that parted from a content, and what is known of the path now. */
export interface KnownParting extends Pick<Parting, 'why' | 'policy' | 'accepted' | 'at_ms'> {
  folder: string
  path: string
  /** Undefined where the path was forgotten: then it was gone for months. */
  state: FileState | undefined
  gone_ms: number | undefined
  /** Of what the path holds, or held last. */
  content_state: ContentState | undefined
}

/** Reads the partings of a content. */
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
