import { preparingOnce, readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../base/run/errors.ts'
import type { RunState } from '../../domain/run.ts'
import { openLedgerReadOnly } from '../file/ledger-file.ts'
import type { PromptState } from '../prompt-work.ts'
import { underway } from '../rows/content-rows.ts'
import { usedSince } from '../rows/counts.ts'
import { readReported } from '../rows/delivery-rows.ts'
import { createPromptRows } from '../rows/prompt-rows.ts'
import type { FaultColumns } from '../rows/run-rows.ts'
import {
  readAbsences,
  readAtWork,
  readEndedPause,
  readPause,
  readTroubles,
} from '../rows/trouble-rows.ts'
import { readAudits, readFolders } from './view-folders.ts'
import { readRemovals } from './view-removal-cases.ts'

/** A file that waits. `name` is folder and path. */
interface WaitingFile {
  since_ms: number
  name: string
  size: number
}

export interface PromptHealth
  extends Pick<PromptState, 'name' | 'checked_ms' | 'last_written_due_ms' | 'open_runs'> {
  /** Ended run with the latest due time; undefined without one. */
  last_ended:
    | { run: number; state: RunState; ended_ms: number; why: string | undefined }
    | undefined
  /** The newest run, if that and the two written before it were empty; else undefined. */
  empty: EmptyRuns | undefined
}

interface EmptyRuns {
  run: number
  ended_ms: number
  why: string
  /** Files that it asked about, with at most `max_files_named` names, asked most often first. */
  names: string[]
  total: number
}

interface GivenUp {
  prompt: string | undefined
  /** Run of the prompt; undefined for an alert. */
  run: number | undefined
  target: string
  since_ms: number
  error: FaultNote
}

export interface ArrivalTimes {
  seq: number
  ready_ms: number
  /** Arrival of its file; undefined if that is gone, or was there before its folder's setup. */
  saved_ms: number | undefined
}

/**
 * Data to judge the health of a daemon. Reads only, with or without a running daemon. It is read
 * every few seconds, so no query costs more with a million files than with ten.
 */
export type HealthView = ReturnType<typeof openHealthView>

/** Maximum number of rows read. If all are in offline folders, there is another problem anyway. */
const max_candidates = 10_000
const max_given_up = 50
const max_files_named = 5
/** Once may be chance. After three, files count as covered without a report about them. */
const max_empty_runs = 3
// The ctime shows when the file came to this disk. A ctime before the folder was configured does
// not measure Sluice. Then `seen_ms` counts, as it does if it is earlier.
const arrivals_after = `SELECT seq, at_ms AS ready_ms,
       iif(arrivals.there_ms IS NULL,
         (SELECT min(iif(ctime_ns / 1000000 >= folders.started_ms, min(ctime_ns / 1000000, seen_ms), seen_ms))
        FROM (SELECT * FROM files INDEXED BY files_by_content
              WHERE content = arrivals.content AND state = 'present' AND folder = arrivals.folder LIMIT 100)), NULL) AS saved_ms
     FROM arrivals JOIN folders ON folders.id = arrivals.folder WHERE seq > ? ORDER BY seq LIMIT ?`

/** Errors: those of openLedgerReadOnly. */
export function openHealthView(state_dir: string) {
  const database = preparingOnce(openLedgerReadOnly(state_dir))
  const last_ended = database.prepare(
    `SELECT id AS run, state, ended_ms, coalesce(why, error_message) AS why FROM runs
     WHERE prompt = (SELECT id FROM prompts WHERE name = ?) AND ended_ms IS NOT NULL ORDER BY due_ms DESC LIMIT 1`,
  )
  const prompts = createPromptRows(database)
  const used = usedSince(database)
  const newest = database.prepare('SELECT seq, at_ms FROM arrivals ORDER BY seq DESC LIMIT 1')
  const last_delivery = database
    .prepare(
      `SELECT max(done_ms) FROM (SELECT done_ms FROM deliveries
         WHERE state = 'done' AND run IS NOT NULL ORDER BY rowid DESC LIMIT 100)`,
    )
    .pluck()
  const due_alert = database.prepare(
    `SELECT 1 FROM deliveries WHERE state = 'wanted' AND alert IS NOT NULL AND not_before_ms <= ? LIMIT 1`,
  )
  return {
    /** Runs several reads on the same state of the ledger. */
    together: <Answer>(read: () => Answer) => database.transaction(read)(),
    folders: () => readFolders(database),
    troubles: () => readTroubles(database),
    audits: () => readAudits(database),
    pause: (now_ms: number) => readPause(database, now_ms),
    /** Times without a daemon or in a pause, by start, without the pause in force. */
    absences: (now_ms: number) => {
      const ended = readEndedPause(database, now_ms)
      return [...readAbsences(database), ...(ended ? [ended] : [])].sort(
        (one, other) => one.from_ms - other.from_ms,
      )
    },
    atWork_ms: () => readAtWork(database),
    /**
     * The content that waits longest, of those that can go on. An offline folder counts only for
     * uploaded bytes. After its return, its other contents wait since then.
     */
    oldestWaiting: () => oldestWaiting(database),
    /** The check that is due longest in an online folder. Time offline does not count. */
    oldestCheck: () => oldestCheck(database),
    failing: () => readFailing(database),
    prompts: () =>
      prompts
        .all()
        .filter(({ configured }) => configured)
        .map(({ id, name, checked_ms, last_written_due_ms }): PromptHealth => {
          const ended = readOne<PromptHealth['last_ended']>(last_ended, name)
          return {
            name,
            empty: emptyRuns(database, id),
            checked_ms,
            last_written_due_ms,
            open_runs: prompts.openRuns(id),
            last_ended: ended,
          }
        }),
    /** Given-up reports of configured prompts, and alerts, if their receiver got no later one. */
    givenUp: () => givenUp(database),
    /** Files and bytes sent in hours that began in this span, as the daily limit counts them. */
    sent: (span_ms: number, now_ms: number) => used('sent', now_ms - span_ms),
    /** Number of versions that the assistant still has although no file has them. */
    outdated: () => readRemovals(database).outdated.files,
    /** Number and time of the newest arrival; number 0 before the first. */
    newestArrival: () =>
      readOne<{ seq: number; at_ms: number }>(newest) ?? { seq: 0, at_ms: undefined },
    arrivalsAfter: (seq: number, limit: number) =>
      readAll<ArrivalTimes>(database.prepare(arrivals_after), seq, limit),
    /** Last time at which a report reached a receiver, Unix ms; undefined before the first. */
    lastDelivery_ms: () => readOne<number>(last_delivery),
    reported: () => readReported(database),
    /** True if an alert is due, or is on its way and not recorded as delivered. */
    isAlertDue: (now_ms: number) => due_alert.get(now_ms) !== undefined,
    close: () => void database.close(),
  }
}

function emptyRuns(database: Sqlite, prompt: number): EmptyRuns | undefined {
  const written = readAll<Pick<EmptyRuns, 'run' | 'ended_ms'> & { why: string | undefined }>(
    database.prepare(
      `SELECT id AS run, ended_ms, empty AS why FROM runs WHERE prompt = ? AND state = 'written'
         ORDER BY due_ms DESC LIMIT ${max_empty_runs}`,
    ),
    prompt,
  )
  const { run, ended_ms, why } = written[0] ?? {}
  const is_row = written.length === max_empty_runs && written.every((row) => row.why !== undefined)
  if (run === undefined || ended_ms === undefined || why === undefined || !is_row) return undefined
  const names = database
    .prepare('SELECT name FROM run_assets WHERE run = ? ORDER BY times_unread DESC, place')
    .pluck()
    .all(run) as string[]
  return { run, ended_ms, why, names: names.slice(0, max_files_named), total: names.length }
}

const given_up_alerts = `UNION ALL
       SELECT NULL, NULL, target, max(done_ms), error_code, error_message FROM deliveries AS given
       WHERE state = 'failed' AND alert IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries AS arrived
         WHERE arrived.target = given.target AND arrived.state = 'done' AND arrived.alert > given.alert)
       GROUP BY target`

/**
 * Finds the file that waits longest. Candidates come by `since_ms`, and `fileOf` can only move it
 * to later. So the search ends at a candidate that is later than the oldest file found.
 */
function oldestOf<Row extends { since_ms: number }>(
  candidates: Iterable<Row>,
  fileOf: (row: Row) => WaitingFile | undefined,
): WaitingFile | undefined {
  let oldest: WaitingFile | undefined
  for (const row of candidates) {
    if (oldest && row.since_ms >= oldest.since_ms) break
    const file = fileOf(row)
    if (file && (!oldest || file.since_ms < oldest.since_ms)) oldest = file
  }
  return oldest
}

/** `able_ms`: time since which its folder is online and configured. */
function oldestWaiting(database: Sqlite): WaitingFile | undefined {
  const candidates = database.prepare(
    `SELECT id, wanted_ms AS since_ms, state FROM contents WHERE ${underway}
     ORDER BY wanted_ms LIMIT ${max_candidates}`,
  )
  const source = database.prepare(
    `SELECT folders.name || '/' || path AS name, size, max(state_since_ms, kept_ms) AS able_ms FROM files JOIN folders ON folders.id = files.folder
     WHERE content = ? AND state = 'present' AND configured = 1 AND (offline_reason IS NULL OR ?) LIMIT 1`,
  )
  const rows = candidates.iterate() as Iterable<{ id: number; since_ms: number; state: string }>
  return oldestOf(rows, ({ id, since_ms, state }) => {
    // Once the bytes are uploaded, the folder is not needed any more.
    const bytes_are_in = state === 'sent' || state === 'ingesting'
    const file = source.get(id, bytes_are_in ? 1 : 0) as
      | { name: string; size: number; able_ms: number }
      | undefined
    if (!file) return undefined
    const { able_ms, ...rest } = file
    return { since_ms: bytes_are_in ? since_ms : Math.max(since_ms, able_ms), ...rest }
  })
}

function oldestCheck(database: Sqlite): WaitingFile | undefined {
  const due = database.prepare(
    `SELECT folder, path, size, not_before_ms AS since_ms FROM files
     WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL ORDER BY not_before_ms LIMIT ${max_candidates}`,
  )
  const folders = database.prepare(
    `SELECT id, name, max(state_since_ms, kept_ms) AS able_ms FROM folders WHERE configured = 1 AND offline_reason IS NULL`,
  )
  const online = readAll<{ id: number; name: string; able_ms: number }>(folders)
  const there = new Map(online.map((folder) => [folder.id, folder]))
  const rows = due.iterate() as Iterable<{
    folder: number
    path: string
    size: number
    since_ms: number
  }>
  return oldestOf(rows, ({ folder, path, size, since_ms }) => {
    const known = there.get(folder)
    return (
      known && { since_ms: Math.max(since_ms, known.able_ms), name: `${known.name}/${path}`, size }
    )
  })
}

function givenUp(database: Sqlite): GivenUp[] {
  const read = database.prepare(
    `SELECT prompts.name AS prompt, run, target, max(done_ms) AS since_ms, deliveries.error_code, deliveries.error_message
       FROM deliveries JOIN runs ON runs.id = deliveries.run JOIN prompts ON prompts.id = runs.prompt
       WHERE deliveries.state = 'failed' AND prompts.configured = 1
         AND NOT EXISTS (SELECT 1 FROM runs AS later JOIN deliveries AS arrived ON arrived.run = later.id
           WHERE later.prompt = runs.prompt AND later.id > runs.id AND arrived.target = deliveries.target
             AND arrived.state = 'done')
       GROUP BY prompts.id, target
       ${given_up_alerts} ORDER BY since_ms LIMIT ${max_given_up}`,
  )
  return readAll<Omit<GivenUp, 'error'> & Record<keyof FaultColumns, string>>(read).map((row) => {
    const { error_code: code, error_message: message, ...rest } = row
    return { ...rest, error: { code, message } }
  })
}

/** Files with failed uploads. `name` and `message` are of the file failing for longest. */
export interface FailingFiles {
  /** True: given up after many attempts. False: retried. */
  given_up: boolean
  /** At most `max_counted`. */
  contents: number
  since_ms: number
  name: string
  message: string
}

const max_counted = 1_000

/** At most two groups: retried uploads, and those that were given up. */
function readFailing(database: Sqlite): FailingFiles[] {
  const groups = database.prepare(
    `SELECT failing.id, state = 'refused' AS given_up, count(*) AS contents, min(failing_since_ms) AS since_ms, error_message AS message
       FROM (SELECT * FROM contents WHERE failing_since_ms IS NOT NULL AND (queue IS NOT NULL OR error_code = 'gave_up')
         ORDER BY failing_since_ms LIMIT ${max_counted}) AS failing
       WHERE EXISTS (SELECT 1 FROM files JOIN folders ON folders.id = files.folder
         WHERE files.content = failing.id AND files.state = 'present' AND configured = 1)
       GROUP BY given_up ORDER BY given_up`,
  )
  const name = database
    .prepare(
      `SELECT folders.name || '/' || path FROM files JOIN folders ON folders.id = files.folder
       WHERE content = ? AND state = 'present' AND configured = 1 LIMIT 1`,
    )
    .pluck()
  return readAll<FailingGroup>(groups).map(({ id, given_up, message = 'it failed', ...group }) => {
    return { ...group, given_up: given_up === 1, name: readOne<string>(name, id)!, message }
  })
}

interface FailingGroup extends Pick<FailingFiles, 'contents' | 'since_ms'> {
  id: number
  given_up: 0 | 1
  message: string | undefined
}
