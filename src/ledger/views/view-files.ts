import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import type { Reading } from '../../domain/reading.ts'
import { type ContentRow, content_columns, contentRow } from '../rows/content-rows.ts'
import { type FileRow, fileRow, pathsBelow, type RawFile } from '../rows/file-rows.ts'
import { readingIn, readingJson, ready_in_part } from '../rows/reading-rows.ts'
import { isHeldElsewhere, shownWords, words_not_shown } from '../rows/told-words.ts'

export interface FileView {
  folder: string
  path: string
  stage: Stage
  size: number
  mtime_ns: bigint
  /** Reason of being skipped, blocked or refused, or of the last failure; undefined without one. */
  reason: string | undefined
  detail: string | undefined
  asset_id: string | undefined
  /** Unix ms since when it is in; undefined if it is not. */
  ready_ms: number | undefined
  /** How much of it the service could read; undefined if it is not in, or nothing says so. */
  reading: Reading | undefined
}

/** All that the ledger knows of one path. */
export interface FileStory {
  folder: string
  stage: Stage
  /** `ready_ms` is that of `FileView`. */
  row: FileRow
  /** The content that it has, or had last; undefined without one. */
  content: ContentRow | undefined
  /** As in `FileView`. */
  reading: Reading | undefined
  labels: { name: string; label_id: string }[]
  /** Other files with the same bytes, at most `max_others`. */
  others: { folder: string; path: string }[]
  /** The newest `max_history` events of the content, the oldest of them first. */
  history: { at_ms: number; event: string; detail: string | undefined }[]
}

export interface FilesQuery {
  folder: string
  /** A file, or all paths below a directory; '' for the whole folder. */
  prefix: string
  /** Stages to list; empty for all except `gone`. */
  stages: readonly StageWanted[]
  /** Last path of the previous page; undefined for the first page. */
  after: string | undefined
  limit: number
  sees?: Sees
}

/** Folders of the user who reads the words; undefined: all. */
type Sees = readonly string[] | undefined

const max_others = 10
const max_history = 50
const with_content = `SELECT files.*, contents.state AS content_state, contents.asset_id, contents.error_code,
    ${shownWords('contents.error_message', '@sees')} AS error_message, ${readingJson('@sees')} AS reading
  FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'`

const others_sql = `SELECT folders.name AS folder, path FROM files JOIN folders ON folders.id = files.folder AND configured = 1
  WHERE content = ? AND state = 'present' AND NOT (folders.id = ? AND path = ?) LIMIT ${max_others}`

export function createFilesView(database: Sqlite) {
  const folder_id = database
    .prepare('SELECT id FROM folders WHERE name = ? AND configured = 1')
    .pluck()
  const page = database
    .prepare(
      `${with_content}
         WHERE folder = @folder AND path >= max(@after, @from) AND path < @to AND +path > @after
           AND (coalesce(contents.state, files.state) IN (SELECT value FROM json_each(@states)) OR @in_part AND ${ready_in_part})
         ORDER BY path LIMIT @limit`,
    )
    .safeIntegers(true)

  const held_elsewhere = database.prepare(`SELECT ${isHeldElsewhere('@content', '@sees')}`).pluck()

  /** A page in path order; the next begins after its last path. An unknown folder has no files. */
  function files({ folder, prefix, stages: wanted, after, limit, sees }: FilesQuery): FileView[] {
    const id = folder_id.get(folder)
    if (id === undefined) return []
    const states = JSON.stringify(
      statesOf(wanted.length > 0 ? wanted : stages.filter((stage) => stage !== 'gone')),
    )
    const read = (from: string, to: string | Buffer, max: number) =>
      page.all({
        ...{ folder: id, after: after ?? '', from, to, states, limit: max },
        ...{ sees: listOf(sees), in_part: wanted.includes('ready_in_part') ? 1 : 0 },
      }) as RawFile[]
    // A file sorts before all paths below a directory of its name.
    const itself = prefix === '' ? [] : read(prefix, `${prefix}\u0000`, limit)
    const { first, last } = pathsBelow(prefix)
    return [...itself, ...read(first, last, limit - itself.length)].map((raw) =>
      fileView(folder, raw),
    )
  }

  function story(folder: string, path: string, sees?: Sees): FileStory | undefined {
    const id = folder_id.get(folder)
    const raw = database
      .prepare(`${with_content} WHERE folder = @folder AND path = @path`)
      .safeIntegers(true)
      .get({ folder: id ?? -1, path, sees: listOf(sees) })
    if (raw === undefined) return undefined
    const { stage, row } = shownRow(raw as RawFile)
    const found =
      row.content &&
      database
        .prepare(`SELECT ${content_columns} FROM contents WHERE id = ?`)
        .raw()
        .get(row.content)
    const content = found ? contentRow(found) : undefined
    const hides_words =
      content !== undefined && held_elsewhere.get({ content: content.id, sees: listOf(sees) }) === 1
    const ofContent = <Row>(sql: string, ...values: unknown[]) =>
      content ? readAll<Row>(database.prepare(sql), content.id, ...values) : []
    return {
      folder,
      stage,
      row,
      reading: readingIn((raw as RawFile).reading),
      content:
        content?.error_message !== undefined && hides_words
          ? { ...content, error_message: words_not_shown }
          : content,
      labels: ofContent('SELECT name, label_id FROM asset_labels WHERE content = ? ORDER BY name'),
      others: ofContent(others_sql, id, path),
      history: ofContent<FileStory['history'][number]>(
        `SELECT at_ms, event, detail FROM history WHERE content = ? ORDER BY id DESC LIMIT ${max_history}`,
      )
        .reverse()
        .map((entry) => (hides_words ? { ...entry, detail: undefined } : entry)),
    }
  }

  return { files, story }
}

/** A list for SQL, which has NULL for all. */
function listOf(sees: Sees): string | null {
  return sees === undefined ? null : JSON.stringify(sees)
}

/** A file with its stage. A row keeps `ready_ms` for its return, also while it is not in. */
function shownRow(raw: RawFile): { stage: Stage; row: FileRow } {
  const row = fileRow(raw)
  const stage = stageOf((raw.content_state as string | null) ?? row.state)
  return { stage, row: stage === 'ready' ? row : { ...row, ready_ms: undefined } }
}

function fileView(folder: string, raw: RawFile): FileView {
  const { stage, row } = shownRow(raw)
  const text = (value: RawFile[string] | undefined) => (value as string | null) ?? undefined
  return {
    folder,
    path: row.path,
    stage,
    size: row.stat.size,
    mtime_ns: row.stat.mtime_ns,
    reason: row.reason ?? text(raw.error_code),
    detail: row.detail ?? text(raw.error_message),
    asset_id: text(raw.asset_id),
    ready_ms: row.ready_ms,
    reading: readingIn(raw.reading),
  }
}

/**
 * Stage of a file, as users see it.
 *
 * - `settling`: found, and waiting until it is unchanged for long enough.
 * - `waiting`: its bytes are known and wanted; nothing was sent yet.
 * - `sending`: the service gave a slot, and the bytes are on their way.
 * - `ingesting`: the service has the bytes and is reading them.
 * - `ready`: usable in the assistant. Only this is success.
 * - `refused`: the service does not accept it; new bytes or `sluice retry` change that.
 * - `blocked`: it should be uploaded and cannot now: unreadable, changing, outside its folder, held
 *   by the upload limit, or of a type that the service could not read so far.
 * - `skipped`: it will not be uploaded, because of the file itself or the rules.
 * - `removed_on_service`: the service had it, and it was removed there.
 * - `gone`: it was in the folder, and no longer is.
 */
export const stages = [
  'settling',
  'waiting',
  'sending',
  'ingesting',
  'ready',
  'refused',
  'blocked',
  'skipped',
  'removed_on_service',
  'gone',
] as const
export type Stage = (typeof stages)[number]

/** Stages to ask for. `ready_in_part`: those of `ready` of which the service could not read all. */
export const stages_wanted = [...stages, 'ready_in_part'] as const
export type StageWanted = (typeof stages_wanted)[number]

/** Values of `counts.stage`: the content's state for a present file, else the file's own state. */
type CountedState = Exclude<FileState, 'present'> | ContentState

const stage_of: Record<CountedState, Stage> = {
  seen: 'settling',
  wanted: 'waiting',
  reserving: 'waiting',
  abandoned: 'waiting',
  removing: 'waiting',
  reserved: 'sending',
  sent: 'sending',
  ingesting: 'ingesting',
  ready: 'ready',
  refused: 'refused',
  type_refused: 'blocked',
  removed_on_service: 'removed_on_service',
  blocked: 'blocked',
  skipped: 'skipped',
  gone: 'gone',
}

export function stageOf(state: string): Stage {
  return stage_of[state as CountedState] ?? 'waiting'
}

/**
 * The states that make up these stages.
 *
 * @internal
 */
export function statesOf(wanted: readonly StageWanted[]): string[] {
  return Object.entries(stage_of).flatMap(([state, stage]) =>
    wanted.includes(stage) ? [state] : [],
  )
}
