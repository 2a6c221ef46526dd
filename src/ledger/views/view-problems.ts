import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { nothing_to_read } from '../../domain/asset.ts'
import { slow_reading } from '../../domain/content.ts'
import {
  extensionOf,
  max_failed_of_type,
  nothing_goes,
  unreadType,
} from '../../domain/file-type.ts'
import { in_need, to_send } from '../rows/content-rows.ts'
import { waits_for_accept } from '../rows/file-rows.ts'
import { shownWords } from '../rows/told-words.ts'
import type { Amount } from './view-folders.ts'

interface Example {
  folder: string
  path: string
  message: string
}

/** Files that are stuck for the same reason. */
export interface ProblemGroup extends Amount {
  stage: 'refused' | 'removed_on_service' | 'blocked'
  /** Error code of the service, or the reason of a block; see `refusedTypeIn`. */
  code: string
  message: string
  /** Number of different messages. With more than one, `message` names the most frequent one. */
  reasons: number
  /** Extensions of the examples that the service cannot read, so that no file of them is ready. */
  unread_types: string[]
  examples: Example[]
}

/** A group of problems, as a form names it. */
export interface ProblemKey {
  stage: string
  code: string
  /** An empty text for a group of several messages. */
  message: string
}

/** Contents that failed or wait for the same reason and go on without a user. */
interface RetryGroup {
  code: string
  message: string
  contents: number
  /** Earliest next try, Unix ms. */
  next_try_ms: number
  examples: Example[]
}

/** Files held by the upload limit below one top directory of a folder. */
interface OverLimitPlace extends Amount {
  folder: string
  root: string
  /** The deepest directory that has all of them; '' for the folder. */
  directory: string
}

interface OverLimit extends Amount {
  /** The largest ones, at most `max_places`. */
  places: OverLimitPlace[]
}

/** Up to three names show what is meant; `sluice ls --state` lists all. */
const max_examples = 3
/** Groups of one state. */
const max_groups = 20
/** Messages of one code: a service may word each differently, for example with a file's name. */
const max_messages = 4
const max_places = 5
/** Deferred contents have the latest due times, so this many of a kind from that end are enough. */
const max_retried = 2_000

/** Reads the problems of these folders for a user who sees no others. Absent: all folders. */
export function readProblems(database: Sqlite, folders?: readonly string[]): ProblemGroup[] {
  const names = folders === undefined ? null : JSON.stringify(folders)
  return [needy, blocked].flatMap((rows) => {
    const reasons = `SELECT stage, code, message, count(*) AS files, 1 AS reasons, sum(size) AS bytes, min(place) AS first,
        max(place) AS last FROM (${rows}) GROUP BY stage, code, message`
    const groups = database.prepare(
      limitedGroups(reasons, 'stage, bytes, first, last', 'sum(bytes) AS bytes, first, last'),
    )
    const examples = database.prepare(
      `SELECT folder, path, message FROM (${rows}) WHERE stage = @stage AND code = @first_code AND message = @first_message
         AND place BETWEEN @first AND @last LIMIT ${max_examples}`,
    )
    return readAll<ProblemRow>(groups, { names }).map(
      ({ first, last, first_code, first_message, ...group }) => {
        const of_group = { stage: group.stage, first, last, first_code, first_message, names }
        const shown = readAll<Example>(examples, of_group)
        // A file without a word of its own was read, so its type is not at fault.
        const unread_types = first_code === nothing_to_read ? [] : unreadTypes(database, shown)
        return { ...group, unread_types, examples: shown }
      },
    )
  })
}

/** The files of one of the groups of `readProblems`, at most `limit`. */
export function readProblemFiles(
  database: Sqlite,
  { stage, code, message }: ProblemKey,
  folders: readonly string[],
  limit: number,
): Omit<Example, 'message'>[] {
  const others = readProblems(database, folders)
    .filter((group) => group.stage === stage && group.code === code && group.reasons === 1)
    .map((group) => group.message)
  const values = {
    stage,
    code,
    message,
    others: JSON.stringify(others),
    names: JSON.stringify(folders),
  }
  return [needy, blocked].flatMap((rows) => {
    const files = database.prepare(
      `SELECT folder, path FROM (${rows}) WHERE stage = @stage AND code = @code
         AND iif(@message = '', message NOT IN (SELECT value FROM json_each(@others)), message = @message)
         ORDER BY folder, path LIMIT ${limit}`,
    )
    return readAll<Omit<Example, 'message'>>(files, values)
  })
}

/** Types that are at fault, not their files: none is ready, as the service or many failures say. */
function unreadTypes(database: Sqlite, examples: readonly Example[]): string[] {
  const unread = database
    .prepare(
      `SELECT extension FROM types WHERE project = (SELECT project FROM folders WHERE name = @folder) AND extension = @extension
         AND state <> 'usable' AND json_array_length(failed) >= @least`,
    )
    .pluck()
  const types = examples.flatMap(({ folder, path, message }) => {
    const extension = extensionOf(path)
    const least = message === unreadType(extension) ? 1 : max_failed_of_type
    return readAll<string>(unread, { folder, extension, least })
  })
  return [...new Set(types)]
}

interface ProblemRow extends Omit<ProblemGroup, 'unread_types' | 'examples'> {
  first_code: string
  first_message: string
  first: number | string
  last: number | string
}

/** SQL that is true for the folders in the JSON list `@names`; NULL stands for all. */
const among = '(@names IS NULL OR folders.name IN (SELECT value FROM json_each(@names)))'

/** Contents that need a user, each with its files. SQLite reads no rows of files for the sizes. */
export const needy = `SELECT iif(contents.state = 'type_refused', 'blocked', contents.state) AS stage,
    coalesce(error_code, contents.state) AS code, coalesce(${shownWords('error_message', '@names')}, 'removed on the service') AS message,
    contents.size, contents.id AS place, folders.name AS folder, files.path
  FROM contents CROSS JOIN files ON files.content = contents.id AND files.state = 'present'
    JOIN folders ON folders.id = files.folder AND folders.configured = 1
  WHERE ${in_need} AND ${among}`

const of_state = `SELECT state AS stage, reason AS code, coalesce(detail, reason) AS message, size, path AS place,
    folders.name AS folder, path
  FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1 AND ${among}`
export const blocked = `${of_state} WHERE state = 'blocked' AND NOT ${waits_for_accept}`
export const skipped = `${of_state} WHERE state = 'skipped'`

/**
 * SQL that limits the groups of `reasons`: of each code to `max_messages`, of each stage to
 * `max_groups`. The smallest ones become one group, which names the largest of them.
 */
function limitedGroups(reasons: string, columns: string, sums: string): string {
  const merged = (rows: string, by: string, max: number) =>
    `SELECT stage, code, count(DISTINCT code) AS codes, message, sum(reasons) AS reasons, max(files), sum(files) AS files, ${sums}
       FROM (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY files DESC) AS rank FROM (${rows}))
       GROUP BY ${by}, min(rank, ${max})`
  return `SELECT iif(codes > 1, 'other', code) AS code,
      iif(reasons > 1, format('%,d other reasons, such as: ', reasons), '') || message AS message,
      code AS first_code, message AS first_message, reasons, files, ${columns}
    FROM (${merged(merged(reasons, 'stage, code', max_messages), 'stage', max_groups)}) ORDER BY files DESC`
}

/** Deferred contents of configured folders, grouped by the error that deferred them. */
export function readRetrying(database: Sqlite): RetryGroup[] {
  const latest = (states: string) =>
    `SELECT * FROM (SELECT id, project, error_code, error_message, not_before_ms FROM contents WHERE ${states} ORDER BY not_before_ms DESC LIMIT ${max_retried})`
  const stops = `about NOT LIKE '%:%' OR about IN (SELECT what.value || ':' || project_id FROM projects, json_each('["project","uploads"]') AS what WHERE projects.id = project)`
  const said = `iif(error_code LIKE 'type_unproven:%' AND EXISTS (SELECT 1 FROM troubles WHERE ${stops}),
    '${nothing_goes}', '') || error_message`
  const reasons = `SELECT 'deferred' AS stage, error_code AS code, ${said} AS message, 1 AS reasons, count(*) AS files,
         min(not_before_ms) AS next_try_ms, json_group_array(id) AS ids
       FROM (${[`${to_send} AND failing_since_ms IS NULL`, `+queue = 'send' AND failing_since_ms IS NOT NULL`, `state = 'ingesting'`].map(latest).join(' UNION ALL ')}) AS waiting
       WHERE error_code IS NOT NULL AND EXISTS (SELECT 1 FROM files JOIN folders ON folders.id = files.folder
         WHERE files.content = waiting.id AND files.state = 'present' AND folders.configured = 1)
       GROUP BY 2, 3`
  const groups = database.prepare(
    limitedGroups(reasons, 'next_try_ms, ids', 'min(next_try_ms) AS next_try_ms, ids'),
  )
  const example = database.prepare(
    `SELECT folders.name AS folder, files.path, contents.error_message AS message
     FROM files JOIN contents ON contents.id = files.content JOIN folders ON folders.id = files.folder
     WHERE files.content = ? AND files.state = 'present' AND folders.configured = 1 LIMIT 1`,
  )
  type Row = Omit<RetryGroup, 'contents' | 'examples'> & { files: number; ids: string }
  return readAll<Row>(groups).map(({ code, message, files, next_try_ms, ids }) => {
    const examples = oldest(ids).flatMap((id) => readAll<Example>(example, id))
    return { code, message, contents: files, next_try_ms, examples }
  })
}

function oldest(ids: string): number[] {
  return (JSON.parse(ids) as number[]).sort((a, b) => a - b).slice(0, max_examples)
}

/** Number of contents that the service has been reading for longer than `slow_reading` says. */
export function countSlow(database: Sqlite, now_ms: number): number {
  const slow = database
    .prepare(
      `SELECT count(*) FROM (SELECT size, following_since_ms FROM contents WHERE state = 'ingesting' LIMIT 10000)
       WHERE following_since_ms + ? + size / 1000000 * ? < ?`,
    )
    .pluck()
  return readOne<number>(slow, slow_reading.base_ms, slow_reading.per_mb_ms, now_ms)!
}

interface OverLimitRow extends Amount {
  folder: string
  root: string
  first: string
  last: string
}

/** Paths are sorted, so the whole group is in the directory that its first and last path share. */
export function readOverLimit(database: Sqlite, folders?: readonly string[]): OverLimit {
  const names = folders === undefined ? null : JSON.stringify(folders)
  const rows = database
    .prepare(
      `SELECT folders.name AS folder, folders.root, count(*) AS files, sum(size) AS bytes, min(path) AS first,
         max(path) AS last
       FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1
       WHERE state = 'blocked' AND reason = 'upload_limit' AND ${among}
       GROUP BY files.folder, substr(path, 1, instr(path, '/')) ORDER BY files DESC`,
    )
    .all({ names }) as OverLimitRow[]
  const sum = (key: 'files' | 'bytes') => rows.reduce((total, row) => total + row[key], 0)
  const places = rows.slice(0, max_places).map(({ folder, root, first, last, files, bytes }) => {
    return { folder, root, directory: commonDirectory(first, last), files, bytes }
  })
  return { files: sum('files'), bytes: sum('bytes'), places }
}

function commonDirectory(first: string, last: string): string {
  const a = first.split('/').slice(0, -1)
  const b = last.split('/').slice(0, -1)
  const differs = a.findIndex((name, at) => name !== b[at])
  return (differs < 0 ? a : a.slice(0, differs)).join('/')
}
