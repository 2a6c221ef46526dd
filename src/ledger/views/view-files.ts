import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import { type ContentRow, content_columns, contentRow } from '../rows/content-rows.ts'
import { type FileRow, fileRow } from '../rows/file-rows.ts'

export interface FileView {
  folder: string
  path: string
  stage: Stage
  size: number
  mtime_ns: bigint
  /** Why it is skipped, blocked or refused, or failed last. */
  reason: string | undefined
  detail: string | undefined
  asset_id: string | undefined
  ready_ms: number | undefined
}

/** Everything that is known of one path. */
export interface FileStory {
  folder: string
  stage: Stage
  row: FileRow
  /** What it holds or last held. */
  content: ContentRow | undefined
  labels: { name: string; label_id: string }[]
  /** Other files with the same bytes, at most `most_others`. */
  others: { folder: string; path: string }[]
  /** Of the content, oldest first; the newest `most_history`. */
  history: { at_ms: number; event: string; detail: string | undefined }[]
}

export interface FilesQuery {
  folder: string
  /** A file, or everything below a directory; '' for the whole folder. */
  prefix: string
  /** Empty: all but those that are gone. */
  stages: readonly Stage[]
  /** Goes on after this path. */
  after: string | undefined
  limit: number
}

const most_others = 10
const most_history = 50
/** Highest possible path: no UTF-8 text sorts after it. */
const after_all = '\u{10FFFF}'

type RawRow = Parameters<typeof fileRow>[0]

const with_content = `SELECT files.*, contents.state AS content_state, contents.asset_id, contents.error_code, contents.error_message
  FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'`

export function createFilesView(database: Sqlite) {
  const folder_id = database.prepare('SELECT id FROM folders WHERE name = ? AND configured = 1').pluck()
  const page = database
    .prepare(
      `${with_content}
         WHERE folder = @folder AND path > @after AND path >= @from AND path < @to
           AND coalesce(contents.state, files.state) IN (SELECT value FROM json_each(@states))
         ORDER BY path LIMIT @limit`,
    )
    .safeIntegers(true)

  /** A page in path order; the next one goes on after the last path. An unknown folder has no files. */
  function files({ folder, prefix, stages: wanted, after, limit }: FilesQuery): FileView[] {
    const id = folder_id.get(folder)
    if (id === undefined) return []
    const states = JSON.stringify(statesOf(wanted.length > 0 ? wanted : stages.filter((stage) => stage !== 'gone')))
    const read = (from: string, to: string, most: number) =>
      page.all({ folder: id, after: after ?? '', from, to, states, limit: most }) as RawRow[]
    if (prefix === '') return read('', after_all, limit).map((raw) => fileView(folder, raw))
    // The file of that name sorts before everything below the directory of that name; '0' is the byte after '/'.
    const itself = read(prefix, `${prefix}\u0000`, limit)
    return [...itself, ...read(`${prefix}/`, `${prefix}0`, limit - itself.length)].map((raw) => fileView(folder, raw))
  }

  function story(folder: string, path: string): FileStory | undefined {
    const id = folder_id.get(folder)
    const raw = database
      .prepare(`${with_content} WHERE folder = ? AND path = ?`)
      .safeIntegers(true)
      .get(id ?? -1, path)
    if (raw === undefined) return undefined
    const row = fileRow(raw as RawRow)
    const found =
      row.content && database.prepare(`SELECT ${content_columns} FROM contents WHERE id = ?`).raw().get(row.content)
    const content = found ? contentRow(found) : undefined
    const ofContent = <Row>(sql: string) => (content ? readAll<Row>(database.prepare(sql), content.id) : [])
    const holders = ofContent<FileStory['others'][number]>(
      `SELECT folders.name AS folder, path FROM files JOIN folders ON folders.id = files.folder AND configured = 1
       WHERE content = ? AND state = 'present' LIMIT ${most_others + 1}`,
    )
    return {
      folder,
      stage: stageOfRow(raw as RawRow),
      row,
      content,
      labels: ofContent('SELECT name, label_id FROM asset_labels WHERE content = ? ORDER BY name'),
      others: holders.filter((other) => other.folder !== folder || other.path !== path),
      history: ofContent<FileStory['history'][number]>(
        `SELECT at_ms, event, detail FROM history WHERE content = ? ORDER BY id DESC LIMIT ${most_history}`,
      ).reverse(),
    }
  }

  return { files, story }
}

function stageOfRow(raw: RawRow): Stage {
  return stageOf((raw.content_state ?? raw.state) as string)
}

function fileView(folder: string, raw: RawRow): FileView {
  const text = (value: RawRow[string] | undefined) => (value as string | null) ?? undefined
  return {
    folder,
    path: raw.path as string,
    stage: stageOfRow(raw),
    size: Number(raw.size),
    mtime_ns: raw.mtime_ns as bigint,
    reason: text(raw.reason) ?? text(raw.error_code),
    detail: text(raw.detail) ?? text(raw.error_message),
    asset_id: text(raw.asset_id),
    ready_ms: raw.ready_ms === null ? undefined : Number(raw.ready_ms),
  }
}

/**
 * Where a file stands, in people's words.
 *
 * - `settling`: seen, and waiting to be quiet.
 * - `waiting`: its bytes are known and wanted; nothing was sent yet.
 * - `sending`: the service gave a slot, the bytes are on their way.
 * - `ingesting`: in the service, being read.
 * - `ready`: usable in the assistant. Only this is success.
 * - `refused`: the service will not have it; new bytes or a person's word change that.
 * - `blocked`: it should go up and cannot now: unreadable, changing, outside, or held by the brake.
 * - `skipped`: it will not go up, for a reason in the file or the rules.
 * - `removed_on_service`: it was there, and somebody removed it there.
 * - `gone`: it was here and is not any more.
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

/** The states of `counts`: of a present file its content's, of any other its own. */
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
export function statesOf(wanted: readonly Stage[]): string[] {
  return Object.entries(stage_of).flatMap(([state, stage]) => (wanted.includes(stage) ? [state] : []))
}
