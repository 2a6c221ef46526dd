import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import type { LedgerLimits } from '../ledger.ts'
import { in_need, to_send, underway } from './content-rows.ts'
import { waits_for_accept } from './file-rows.ts'

/**
 * An event that may end a wait before its time.
 *
 * - `folder_back`: a folder is online again, or a configuration with it is put in force: a start, a
 *   reload, another name, root or project.
 * - `path_found`: an online folder has the bytes of a content at a path.
 * - `limits_changed`: a reload brings other limits.
 * - `scan_asked`: a user asks for a scan.
 * - `retried`, `accepted`: the commands of a user.
 */
export type WaitEvent =
  | 'folder_back'
  | 'path_found'
  | 'limits_changed'
  | 'scan_asked'
  | 'retried'
  | 'accepted'

interface Wait {
  of: 'contents' | 'files'
  /** SQL on a row of that table. It has no alias, and `@now_ms` is the present time. */
  is: string
  /** A due time, if the row has one, ends the wait as well. */
  ends_on: readonly WaitEvent[]
  /** What the files wait for, for users; `sluice retry` shows it behind their number. */
  says: string
}

const checked = `+files.state = 'blocked' AND files.reason`
const disk_events: readonly WaitEvent[] = ['folder_back', 'scan_asked', 'retried']

/**
 * All reasons why a file or a content waits that are in its row, and the events that end each. The
 * first one that holds counts. A pause, a limit of the day and an open circuit are in no row: they
 * hold up claims (docs/ledger.md has the whole table).
 */
export const waits = {
  refused: {
    of: 'contents',
    is: `${in_need} AND contents.state = 'refused'`,
    ends_on: ['retried'],
    says: 'refused',
  },
  removed_on_service: {
    of: 'contents',
    is: `${in_need} AND contents.state = 'removed_on_service'`,
    ends_on: ['retried'],
    says: 'removed on the service',
  },
  refused_type: {
    of: 'contents',
    is: `${in_need} AND contents.state = 'type_refused'`,
    ends_on: ['accepted'],
    says: 'of a type that the service could not read',
  },
  unproven_type: {
    of: 'contents',
    is: `${to_send} AND contents.error_code LIKE 'type_unproven:%'`,
    ends_on: ['accepted', 'retried'],
    says: 'waiting for the first files of their type',
  },
  out_of_reach: {
    of: 'contents',
    is: `${to_send} AND contents.error_code = 'out_of_reach'`,
    // A retry would only defer it again.
    ends_on: ['folder_back', 'path_found'],
    says: 'waiting for their folder, which is offline',
  },
  failed: {
    of: 'contents',
    is: `${to_send} AND contents.attempts > 0`,
    ends_on: ['retried'],
    says: 'waiting after a failed try',
  },
  /** A new version waits for `uploads.min_resend_s`. No other due time lies ahead without a fault. */
  min_resend: {
    of: 'contents',
    is: `${to_send} AND contents.state = 'wanted' AND contents.attempts = 0 AND contents.error_code IS NULL
      AND contents.not_before_ms > @now_ms`,
    ends_on: ['path_found', 'limits_changed', 'retried'],
    says: 'uploaded a moment ago in an earlier version (uploads.min_resend_s)',
  },
  reading: {
    of: 'contents',
    is: `contents.state = 'ingesting' AND contents.attempts > 0`,
    ends_on: ['retried'],
    says: 'being read by the service',
  },
  removing: {
    of: 'contents',
    is: `contents.state = 'removing'`,
    ends_on: ['retried'],
    says: 'being removed on the service',
  },
  unreadable: {
    of: 'files',
    is: `${checked} = 'unreadable'`,
    ends_on: disk_events,
    says: 'not readable by this user',
  },
  outside: {
    of: 'files',
    is: `${checked} = 'outside'`,
    ends_on: disk_events,
    says: 'outside the folder',
  },
  /** Its due time is also the proof that it is quiet, so no event of the disk may move it. */
  changing: {
    of: 'files',
    is: `${checked} = 'changing'`,
    ends_on: ['retried'],
    says: 'changing all the time',
  },
  check_out_of_reach: {
    of: 'files',
    is: `files.state IN ('seen', 'blocked') AND files.not_before_ms IS NOT NULL AND files.reason = 'out_of_reach'`,
    ends_on: ['folder_back'],
    says: 'in a folder that is offline',
  },
  held: {
    of: 'files',
    is: `files.state <> 'gone' AND ${waits_for_accept}`,
    ends_on: ['accepted'],
    says: 'held back until a user accepts them',
  },
  settling: {
    of: 'files',
    is: `files.state = 'seen'`,
    ends_on: [],
    says: 'not unchanged for long enough yet (settle_ms)',
  },
  /** Nothing holds it but a limit, a pause or a fault that concerns all. */
  turn: {
    of: 'contents',
    is: underway,
    ends_on: [],
    says: 'on their way',
  },
} as const satisfies Record<string, Wait>

export type WaitName = keyof typeof waits

const all = Object.entries<Wait>(waits)

/** SQL for the waits of a table that the event ends. */
export function waitsEndedBy(event: WaitEvent, of: Wait['of']): string {
  const ended = all.filter(([, wait]) => wait.of === of && wait.ends_on.includes(event))
  return `(${ended.map(([, { is }]) => `(${is})`).join(' OR ')})`
}

export function isEndedBy(event: WaitEvent, name: WaitName): boolean {
  const { ends_on }: Wait = waits[name]
  return ends_on.includes(event)
}

/** SQL for the name of the wait of a file. It joins its content as `contents` if it is `present`. */
export const wait_of_file = `CASE ${all
  .map(
    ([name, { of, is }]) =>
      `WHEN ${of === 'files' ? '' : `files.state = 'present' AND `}${is} THEN '${name}'`,
  )
  .join(' ')} END`

/** Events that only move due times. record-user.ts does more for the other two. */
type DueEvent = Exclude<WaitEvent, 'retried' | 'accepted'>

/** In place of now: a shorter limit counts from the last upload of a path with these bytes. */
const resend_due = `max(@due_ms, @min_resend_ms + coalesce((SELECT max(sent_ms) FROM files
  WHERE files.content = contents.id AND files.state = 'present'), 0))`

/** The statement that ends one wait. A row that is due already is not written. */
function endOf(event: DueEvent, [name, { of, is }]: [string, Wait]): string {
  const is_shorter = name === 'min_resend' && event === 'limits_changed'
  const due = is_shorter ? resend_due : '@due_ms'
  if (of === 'files') {
    return `UPDATE files SET not_before_ms = ${due}, reason = nullif(reason, 'out_of_reach')
      WHERE folder = @folder AND state IN ('seen', 'blocked') AND ${is} AND coalesce(not_before_ms > ${due}, true)`
  }
  const scope = event === 'path_found' ? 'id = @content AND ' : ''
  return `UPDATE contents SET not_before_ms = ${due}, error_code = NULL, error_message = NULL
    WHERE ${scope}${is} AND not_before_ms > ${due}`
}

/** Ends waits: makes the rows due that an event concerns. */
export function createWaits(database: Sqlite, limits: Pick<LedgerLimits, 'min_resend_ms'>) {
  const endedBy = (event: DueEvent) =>
    all
      .filter(([, { ends_on }]) => ends_on.includes(event))
      .map((wait) => database.prepare(endOf(event, wait)))
  const statements: Record<DueEvent, Statement[]> = {
    folder_back: endedBy('folder_back'),
    path_found: endedBy('path_found'),
    limits_changed: endedBy('limits_changed'),
    scan_asked: endedBy('scan_asked'),
  }

  /** `of`: the folder that is back, or the content that has a path. `due_ms`: now, or later. */
  function end(event: DueEvent, now_ms: number, of: WaitPlace = {}): void {
    const values = { due_ms: now_ms, now_ms, ...limits, ...of }
    for (const statement of statements[event]) statement.run(values)
  }

  return { end }
}

interface WaitPlace {
  folder?: number | undefined
  content?: number
  due_ms?: number
}

export type Waits = ReturnType<typeof createWaits>
