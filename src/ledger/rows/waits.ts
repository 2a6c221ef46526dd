import type { Sqlite } from '../../base/files/sqlite.ts'
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
type WaitEvent = DueEvent | 'retried' | 'accepted'

const checked = `+files.state = 'blocked' AND files.reason`
const min_resend_is = `${to_send} AND contents.state = 'wanted' AND contents.attempts = 0
  AND contents.error_code IS NULL AND contents.not_before_ms > @now_ms
  AND EXISTS (SELECT 1 FROM files AS sent WHERE sent.content = contents.id AND sent.state = 'present' AND sent.sent_ms IS NOT NULL)`
const out_of_reach_is = `files.state IN ('seen', 'blocked') AND files.not_before_ms IS NOT NULL
  AND files.reason = 'out_of_reach'`

/**
 * The reasons in its row why a file or a content is not ready yet, and the events that end each.
 * The first one that holds counts. A due time, if the row has one, ends the wait as well. Not here
 * (docs/ledger.md has the whole table): a pause, a limit of the day and an open circuit, which are
 * in no row and hold up claims; a deferred label of a ready content; the grace of a removal.
 *
 * - `min_resend`: a new version waits. An earlier one was uploaded from the same path.
 * - `untried`: a fault of the service, or a slot that ended, put it behind the others.
 * - `out_of_reach`: a retry would only defer it again.
 * - `changing`, `settling`: the due time is also the proof that the file is quiet.
 * - `turn`: nothing holds it but a limit, a pause or a fault that concerns all.
 *
 * Columns: name; table; SQL on a row of it, where `@now_ms` is the present time; events; what the
 * files wait for, for users, behind their number.
 */
const table = [
  ['refused', 'contents', `${in_need} AND contents.state = 'refused'`, 'retried', 'refused'],
  [
    'removed_on_service',
    'contents',
    `${in_need} AND contents.state = 'removed_on_service'`,
    'retried',
    'removed on the service',
  ],
  [
    'resting_type',
    'contents',
    `${in_need} AND contents.state = 'type_refused' AND contents.error_code LIKE 'type_rests:%'`,
    'accepted retried',
    'of a type that the service refuses',
  ],
  [
    'refused_type',
    'contents',
    `${in_need} AND contents.state = 'type_refused'`,
    'accepted',
    'of a type that the service could not read',
  ],
  [
    'unproven_type',
    'contents',
    `${to_send} AND contents.error_code LIKE 'type_unproven:%'`,
    'accepted retried',
    'waiting for the first files of their type',
  ],
  [
    'out_of_reach',
    'contents',
    `${to_send} AND contents.error_code = 'out_of_reach'`,
    'folder_back path_found',
    'waiting for their folder, which is offline',
  ],
  [
    'failed',
    'contents',
    `${to_send} AND (contents.attempts > 0 OR contents.slot_failures > 0)`,
    'retried',
    'waiting after a failed try',
  ],
  [
    'min_resend',
    'contents',
    min_resend_is,
    'path_found limits_changed retried',
    'uploaded a moment ago in an earlier version (uploads.min_resend_s)',
  ],
  [
    'untried',
    'contents',
    `${to_send} AND contents.not_before_ms > @now_ms`,
    'retried',
    'put off by a fault of the service',
  ],
  [
    'reading',
    'contents',
    `contents.state = 'ingesting' AND contents.attempts > 0`,
    'retried',
    'being read by the service',
  ],
  [
    'removing',
    'contents',
    `contents.state = 'removing'`,
    'retried',
    'being removed on the service',
  ],
  [
    'unreadable',
    'files',
    `${checked} = 'unreadable'`,
    'folder_back scan_asked retried',
    'not readable by this user',
  ],
  [
    'outside',
    'files',
    `${checked} = 'outside'`,
    'folder_back scan_asked retried',
    'outside the folder',
  ],
  ['changing', 'files', `${checked} = 'changing'`, 'retried', 'changing all the time'],
  ['check_out_of_reach', 'files', out_of_reach_is, 'folder_back', 'in a folder that is offline'],
  [
    'held',
    'files',
    `files.state <> 'gone' AND ${waits_for_accept}`,
    'accepted',
    'held back until a user accepts them',
  ],
  [
    'settling',
    'files',
    `files.state = 'seen'`,
    '',
    'not unchanged for long enough yet (settle_ms)',
  ],
  ['turn', 'contents', underway, '', 'on their way'],
] as const

export type WaitName = (typeof table)[number][0]
type Row = readonly [
  name: WaitName,
  of: 'contents' | 'files',
  is: string,
  ends_on: string,
  says: string,
]
const rows: readonly Row[] = table

function endedBy(event: WaitEvent): Row[] {
  return rows.filter(([, , , ends_on]) => ends_on.split(' ').includes(event))
}

/** SQL for the waits of a table that the event ends. */
export function waitsEndedBy(event: WaitEvent, table: Row[1]): string {
  const ended = endedBy(event).filter(([, of]) => of === table)
  return `(${ended.map(([, , is]) => `(${is})`).join(' OR ')})`
}

export function isEndedBy(event: WaitEvent, wait: WaitName): boolean {
  return endedBy(event).some(([name]) => name === wait)
}

export function waitText(wait: WaitName): string {
  return rows.find(([name]) => name === wait)![4]
}

/** SQL for the name of a file's wait. It joins its content as `contents` if it is `present`. */
export const wait_of_file = `CASE ${rows
  .map(
    ([name, of, is]) =>
      `WHEN ${of === 'files' || `files.state = 'present'`} AND ${is} THEN '${name}'`,
  )
  .join(' ')} END`

/** SQL for a file whose wait the event ends. Of several waits, only the first one counts. */
export function fileEndedBy(event: WaitEvent): string {
  return `${wait_of_file} IN (${endedBy(event).map(([name]) => `'${name}'`)})`
}

/** Events that only move due times. record-user.ts does more for the other two. */
const due_events = ['folder_back', 'path_found', 'limits_changed', 'scan_asked'] as const
type DueEvent = (typeof due_events)[number]

/** In place of now: a shorter limit counts from the last upload of a path with these bytes. */
const resend_due = `max(@due_ms, @min_resend_ms + coalesce((SELECT max(sent_ms) FROM files
  WHERE files.content = contents.id AND files.state = 'present'), 0))`

/** The statement that ends one wait. A row that is due already is not written. */
function endOf(event: DueEvent, [name, of, is]: Row): string {
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
  const statements = new Map(
    due_events.map((event) => [
      event,
      endedBy(event).map((row) => database.prepare(endOf(event, row))),
    ]),
  )

  /** `of`: the folder that is back, or the content that has a path. `due_ms`: now, or later. */
  function end(event: DueEvent, now_ms: number, of: WaitPlace = {}): void {
    const values = { due_ms: now_ms, now_ms, ...limits, ...of }
    for (const statement of statements.get(event)!) statement.run(values)
  }

  return { end }
}

interface WaitPlace {
  folder?: number | undefined
  content?: number
  due_ms?: number
}

export type Waits = ReturnType<typeof createWaits>
