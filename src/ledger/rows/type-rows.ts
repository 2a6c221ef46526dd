import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms } from '../../base/time/time.ts'
import { extensionOf, max_failed_of_type, typeRefusal } from '../../domain/file-type.ts'
import { type ContentRow, in_need } from './content-rows.ts'

type Content = Pick<ContentRow, 'id' | 'project'>

/** The files with one extension in one project. */
interface TypeRow {
  project: number
  extension: string
  /** `usable`: a file of it became ready, or a user accepted the type. That is final. */
  state: 'unproven' | 'refused' | 'usable'
  /** JSON of the first contents that failed. */
  failed: string
  /** Unix ms of the last failure that counts, then of the last daily try. */
  tried_ms: number
}

/** Each try costs an upload, and a service seldom learns to read another type. */
const try_again_ms = day_ms
const held = `${in_need} AND +state = 'type_refused'
  AND EXISTS (SELECT 1 FROM files WHERE content = contents.id AND files.state = 'present')`

/** Reads and writes `types`, and finds contents whose types are all refused. */
export function createTypeRows(database: Sqlite) {
  const get = database.prepare('SELECT * FROM types WHERE project = ? AND extension = ?')
  const put = database.prepare('INSERT OR REPLACE INTO types VALUES (@project, @extension, @state, @failed, @tried_ms)')
  // Equal files under a thousand names have few types.
  const paths_of = database.prepare(`SELECT path FROM files WHERE content = ? AND state = 'present' LIMIT 1000`).pluck()
  const all_refused = database.prepare(`SELECT * FROM types WHERE state = 'refused'`)
  const all_held = database.prepare(`SELECT id, project FROM contents WHERE ${held}`)
  const one_held = database
    .prepare(`SELECT id FROM contents WHERE ${held} AND project = ? AND error_code = ? LIMIT 1`)
    .pluck()

  function typeOf(project: number, extension: string): TypeRow {
    const known = get.get(project, extension) as TypeRow | undefined
    return known ?? { project, extension, state: 'unproven', failed: '[]', tried_ms: 0 }
  }

  function typesOf({ id, project }: Content): TypeRow[] {
    const extensions = new Set((paths_of.all(id) as string[]).map(extensionOf))
    return [...extensions].map((extension) => typeOf(project, extension))
  }

  /** A content that fails again counts once. */
  function failed(content: Content, at_ms: number): void {
    for (const type of typesOf(content).filter(({ state }) => state === 'unproven')) {
      const contents = new Set(JSON.parse(type.failed) as number[]).add(content.id)
      const state = contents.size < max_failed_of_type ? 'unproven' : 'refused'
      put.run({ ...type, state, failed: JSON.stringify([...contents]), tried_ms: at_ms })
    }
  }

  /** Records that these types are usable. Returns the contents that they no longer refuse. */
  function usable(types: readonly TypeRow[]): number[] {
    const news = types.filter(({ state }) => state !== 'usable')
    for (const type of news) put.run({ ...type, state: 'usable', failed: '[]' })
    if (!news.some(isRefused)) return []
    return (all_held.all() as Content[]).filter((content) => !refusing(content)).map(({ id }) => id)
  }

  /** A refused type of a content; undefined if one of its types is not refused. */
  function refusing(content: Content): TypeRow | undefined {
    const types = typesOf(content)
    return types.every(isRefused) ? types[0] : undefined
  }

  /** Begins the daily tries that are due. Returns a content of each of these types. */
  function dailyTries(at_ms: number): number[] {
    // A time far in the future means that the clock was turned back since.
    const due = (all_refused.all() as TypeRow[]).filter(({ tried_ms }) => Math.abs(at_ms - tried_ms) >= try_again_ms)
    for (const type of due) put.run({ ...type, tried_ms: at_ms })
    return due.flatMap(({ project, extension }) => one_held.all(project, typeRefusal(extension).code) as number[])
  }

  return {
    failed,
    refusing,
    dailyTries,
    becameReady: (content: Content) => usable(typesOf(content)),
    accept: (project: number, extension: string) => usable([typeOf(project, extension)]),
    isRefused: (project: number, path: string) => isRefused(typeOf(project, extensionOf(path))),
  }
}

function isRefused({ state }: TypeRow): boolean {
  return state === 'refused'
}
