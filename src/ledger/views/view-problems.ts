import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { slow_reading } from '../../domain/content.ts'
import { in_need, to_send } from '../rows/content-rows.ts'
import { waits_for_accept } from '../rows/file-rows.ts'
import type { Amount } from './view-folders.ts'

export interface Example {
  folder: string
  path: string
  /** Reason for this file; '' if only the group's `message` is known. */
  message: string
}

/** Files that are stuck for the same reason. */
export interface ProblemGroup extends Amount {
  stage: 'refused' | 'removed_on_service' | 'blocked'
  /** Error code of the service, or the reason of a block; see `refusedTypeIn`. */
  code: string
  message: string
  examples: Example[]
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

/**
 * Files below one top directory of a folder that the upload limit holds. `directory`: the deepest
 * one that has all of them; '' for the folder.
 */
interface OverLimitPlace extends Amount {
  folder: string
  root: string
  directory: string
}

interface OverLimit extends Amount {
  /** The largest ones, at most `max_places`. */
  places: OverLimitPlace[]
}

/** Up to three names show what is meant; `sluice ls --state` lists all. */
const max_examples = 3
const max_groups = 20
const max_places = 5
/** Deferred contents have the latest due times, so this many of a kind from that end are enough. */
const max_retried = 2_000

/** `folders`: only the files of these; absent: of all. */
export function readProblems(database: Sqlite, folders?: readonly string[]): ProblemGroup[] {
  const names = folders === undefined ? null : JSON.stringify(folders)
  return [...needyContents(database, names), ...blockedFiles(database, names)]
}

const among = '(@names IS NULL OR folders.name IN (SELECT value FROM json_each(@names)))'

/** Contents that need a user, each with its files. */
const needy = `FROM contents CROSS JOIN files ON files.content = contents.id AND files.state = 'present'
    JOIN folders ON folders.id = files.folder AND folders.configured = 1
  WHERE ${in_need} AND ${among}`

/** Sizes come from contents, so SQLite reads an index by content and no rows of files. */
function needyContents(database: Sqlite, names: string | null): ProblemGroup[] {
  const groups = database.prepare(
    `SELECT contents.state, error_code AS code, min(error_message) AS message, count(*) AS files,
         sum(contents.size) AS bytes
       ${needy} GROUP BY contents.state, error_code ORDER BY files DESC LIMIT ${max_groups}`,
  )
  const examples = database.prepare(
    `SELECT folders.name AS folder, files.path, coalesce(error_message, '') AS message
       ${needy} AND contents.state = @state AND error_code IS @code LIMIT ${max_examples}`,
  )
  return readAll<NeedyRow>(groups, { names }).map(({ state, code, message = 'removed on the service', ...amount }) => {
    const stage = state === 'type_refused' ? 'blocked' : state
    const shown = readAll<Example>(examples, { state, code: code ?? null, names })
    return { stage, ...amount, code: code ?? stage, message, examples: shown }
  })
}

interface NeedyRow extends Amount {
  state: 'refused' | 'type_refused' | 'removed_on_service'
  code: string | undefined
  message: string | undefined
}

function blockedFiles(database: Sqlite, names: string | null): ProblemGroup[] {
  const groups = database.prepare(
    `SELECT reason AS code, count(*) AS files, sum(size) AS bytes
       FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1
       WHERE state = 'blocked' AND NOT ${waits_for_accept} AND ${among}
       GROUP BY reason ORDER BY files DESC LIMIT ${max_groups}`,
  )
  const examples = database.prepare(
    `SELECT folders.name AS folder, files.path, coalesce(detail, reason) AS message
     FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1
     WHERE state = 'blocked' AND reason = @code AND ${among} LIMIT ${max_examples}`,
  )
  return readAll<Amount & { code: string }>(groups, { names }).map((group) => {
    const shown = readAll<Example>(examples, { code: group.code, names })
    return { stage: 'blocked', ...group, message: shown[0]?.message ?? group.code, examples: shown }
  })
}

/** Deferred contents of configured folders, grouped by the error that deferred them. */
export function readRetrying(database: Sqlite): RetryGroup[] {
  const latest = (states: string) =>
    `SELECT * FROM (SELECT id, error_code, error_message, not_before_ms FROM contents WHERE ${states} ORDER BY not_before_ms DESC LIMIT ${max_retried})`
  const groups = database.prepare(
    `SELECT error_code AS code, min(error_message) AS message, count(*) AS contents, min(not_before_ms) AS next_try_ms,
         json_group_array(id) AS ids
       FROM (${[`${to_send} AND failing_since_ms IS NULL`, `+queue = 'send' AND failing_since_ms IS NOT NULL`, `state = 'ingesting'`].map(latest).join(' UNION ALL ')}) AS waiting
       WHERE error_code IS NOT NULL AND EXISTS (SELECT 1 FROM files JOIN folders ON folders.id = files.folder
         WHERE files.content = waiting.id AND files.state = 'present' AND folders.configured = 1)
       GROUP BY error_code ORDER BY contents DESC LIMIT ${max_groups}`,
  )
  const example = database.prepare(
    `SELECT folders.name AS folder, files.path, contents.error_message AS message
     FROM files JOIN contents ON contents.id = files.content JOIN folders ON folders.id = files.folder
     WHERE files.content = ? AND files.state = 'present' AND folders.configured = 1 LIMIT 1`,
  )
  return readAll<Omit<RetryGroup, 'examples'> & { ids: string }>(groups).map(({ ids, ...group }) => ({
    ...group,
    examples: oldest(ids).flatMap((id) => readAll<Example>(example, id)),
  }))
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

/**
 * Files held by the upload limit. Paths are sorted, so a directory that the first and the last path
 * of a group share is common to the whole group.
 */
export function readOverLimit(database: Sqlite): OverLimit {
  const rows = database
    .prepare(
      `SELECT folders.name AS folder, folders.root, count(*) AS files, sum(size) AS bytes, min(path) AS first,
         max(path) AS last
       FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1
       WHERE state = 'blocked' AND reason = 'upload_limit'
       GROUP BY files.folder, substr(path, 1, instr(path, '/')) ORDER BY files DESC`,
    )
    .all() as OverLimitRow[]
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
