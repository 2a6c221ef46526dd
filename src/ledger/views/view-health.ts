import { preparingOnce, readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../domain/fact.ts'
import type { RunState } from '../../domain/run.ts'
import { underway } from '../content-queue.ts'
import { openLedgerReadOnly } from '../open-ledger.ts'
import type { PromptState } from '../prompt-work.ts'
import { usedSince } from '../rows/counts.ts'
import { readTold } from '../rows/delivery-rows.ts'
import { readAbsences, readAtWork, readEndedPause, readPause } from '../rows/pause-row.ts'
import { createPromptRows } from '../rows/prompt-rows.ts'
import type { FaultColumns } from '../rows/run-rows.ts'
import { readTroubles } from '../rows/trouble-rows.ts'
import { readAudits } from './view-audits.ts'
import { readFolders } from './view-folders.ts'
import { readRemovals } from './view-removal-cases.ts'

/** What waits, and since when; `name` is folder and path. */
interface WaitingFile {
  since_ms: number
  name: string
  size: number
}

export interface PromptHealth extends Pick<PromptState, 'name' | 'checked_ms' | 'last_written_due_ms' | 'open_runs'> {
  /** The newest that has ended. */
  last_ended: { run: number; state: RunState; ended_ms: number; why: string | undefined } | undefined
}

interface GivenUp {
  prompt: string | undefined
  /** Of the prompt. */
  run: number | undefined
  target: string
  since_ms: number
  error: FaultNote
}

/**
 * One asset that became usable. `saved_ms`: when its file had got its last byte on this side; undefined where it was there before
 * the folder was kept, or is not there any more.
 */
export interface ArrivalTimes {
  seq: number
  ready_ms: number
  saved_ms: number | undefined
}

/**
 * What the health of a daemon is judged by: reads only, beside a daemon at work or without one. Asked every few seconds: no answer
 * costs more with a million files than with ten.
 */
export type HealthView = ReturnType<typeof openHealthView>

/** Older ones than that many, all of folders that are away, would be another promise's reason anyway. */
const most_candidates = 10_000
const most_given_up = 50
// ctime is when the file got its present form and place on this disk; one of before the folder was kept tells nothing of us.
const arrivals_after = `SELECT seq, at_ms AS ready_ms,
       iif(arrivals.there_ms IS NULL,
         (SELECT min(iif(ctime_ns / 1000000 >= folders.started_ms, min(ctime_ns / 1000000, seen_ms), seen_ms))
        FROM (SELECT * FROM files INDEXED BY files_by_content
              WHERE content = arrivals.content AND state = 'present' AND folder = arrivals.folder LIMIT 100)), NULL) AS saved_ms
     FROM arrivals JOIN folders ON folders.id = arrivals.folder WHERE seq > ? ORDER BY seq LIMIT ?`

/** Errors: `database.missing` before the first run, `account.no_right`, `database.newer`, `database.damaged`. */
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
    /** Several reads of one moment. */
    together: <Answer>(read: () => Answer) => database.transaction(read)(),
    folders: () => readFolders(database),
    troubles: () => readTroubles(database),
    /** Of the projects of configured folders. */
    audits: () => readAudits(database),
    /** In force at this time. */
    pause: (now_ms: number) => readPause(database, now_ms),
    /** Times in which nobody could keep a promise, by their beginning. The pause that is in force is none of them. */
    absences: (now_ms: number) => {
      const ended = readEndedPause(database, now_ms)
      return [...readAbsences(database), ...(ended ? [ended] : [])].sort((one, other) => one.from_ms - other.from_ms)
    },
    /** Until when a daemon that watches is known to have been at work. */
    atWork_ms: () => readAtWork(database),
    /**
     * The content that has waited longest, of those that could go on: not one whose folder is offline or left the config; one whose
     * folder is back waits since then.
     */
    oldestWaiting: () => oldestWaiting(database),
    /** The file whose look has been due for longest, in a folder that is there, and since it is. */
    oldestLook: () => oldestLook(database),
    /**
     * Files that failed at their upload: those that are tried again, and those that were given up.
     */
    failing: () => readFailing(database),
    /** Configured prompts. */
    prompts: () =>
      prompts
        .all()
        .filter(({ configured }) => configured)
        .map(({ id, name, checked_ms, last_written_due_ms }): PromptHealth => {
          const ended = readOne<PromptHealth['last_ended']>(last_ended, name)
          return { name, checked_ms, last_written_due_ms, open_runs: prompts.openRuns(id), last_ended: ended }
        }),
    /**
     * Deliveries of configured prompts that were given up, without any to the same receiver that arrived later; and those of alerts,
     * without a prompt.
     */
    givenUp: () => givenUp(database),
    /** Sent in the hours that began in this span: what the daily limit looks at. */
    sent: (span_ms: number, now_ms: number) => used('sent', now_ms - span_ms),
    /** Versions that still answer and that no file has any more. */
    outdated: () => readRemovals(database).outdated.files,
    /** The number of the newest arrival, and when it was; 0 before the first. */
    newestArrival: () => readOne<{ seq: number; at_ms: number }>(newest) ?? { seq: 0, at_ms: undefined },
    /** Arrivals after this number, in order. */
    arrivalsAfter: (seq: number, limit: number) => readAll<ArrivalTimes>(database.prepare(arrivals_after), seq, limit),
    /** When a report last reached a receiver. */
    lastDelivery_ms: () => readOne<number>(last_delivery),
    /** What stands, as the newest alert told it. */
    told: () => readTold(database),
    /** Whether an alert is due, or on its way and not recorded as delivered yet. */
    isAlertDue: (now_ms: number) => due_alert.get(now_ms) !== undefined,
    close: () => void database.close(),
  }
}

const given_up_alerts = `UNION ALL
       SELECT NULL, NULL, target, max(done_ms), error_code, error_message FROM deliveries AS given
       WHERE state = 'failed' AND alert IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries AS arrived
         WHERE arrived.target = given.target AND arrived.state = 'done' AND arrived.alert > given.alert)
       GROUP BY target`

/** Candidates come by the time since when they wait: once a later one cannot be older than the oldest, that is it. */
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

/** `able_ms`: since when its folder can be worked on. */
function oldestWaiting(database: Sqlite): WaitingFile | undefined {
  const candidates = database.prepare(
    `SELECT id, wanted_ms AS since_ms, state FROM contents WHERE ${underway}
     ORDER BY wanted_ms LIMIT ${most_candidates}`,
  )
  const source = database.prepare(
    `SELECT folders.name || '/' || path AS name, size, max(state_since_ms, kept_ms) AS able_ms FROM files JOIN folders ON folders.id = files.folder
     WHERE content = ? AND state = 'present' AND configured = 1 AND (offline_reason IS NULL OR ?) LIMIT 1`,
  )
  const rows = candidates.iterate() as Iterable<{ id: number; since_ms: number; state: string }>
  return oldestOf(rows, ({ id, since_ms, state }) => {
    // With the bytes in the service the folder is not needed any more.
    const bytes_are_in = state === 'sent' || state === 'ingesting'
    const file = source.get(id, bytes_are_in ? 1 : 0) as { name: string; size: number; able_ms: number } | undefined
    if (!file) return undefined
    const { able_ms, ...rest } = file
    return { since_ms: bytes_are_in ? since_ms : Math.max(since_ms, able_ms), ...rest }
  })
}

function oldestLook(database: Sqlite): WaitingFile | undefined {
  const due = database.prepare(
    `SELECT folder, path, size, not_before_ms AS since_ms FROM files
     WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL ORDER BY not_before_ms LIMIT ${most_candidates}`,
  )
  const folders = database.prepare(
    `SELECT id, name, max(state_since_ms, kept_ms) AS able_ms FROM folders WHERE configured = 1 AND offline_reason IS NULL`,
  )
  const online = readAll<{ id: number; name: string; able_ms: number }>(folders)
  const there = new Map(online.map((folder) => [folder.id, folder]))
  const rows = due.iterate() as Iterable<{ folder: number; path: string; size: number; since_ms: number }>
  return oldestOf(rows, ({ folder, path, size, since_ms }) => {
    const known = there.get(folder)
    return known && { since_ms: Math.max(since_ms, known.able_ms), name: `${known.name}/${path}`, size }
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
       ${given_up_alerts} ORDER BY since_ms LIMIT ${most_given_up}`,
  )
  return readAll<Omit<GivenUp, 'error'> & Record<keyof FaultColumns, string>>(read).map((row) => {
    const { error_code: code, error_message: message, ...rest } = row
    return { ...rest, error: { code, message } }
  })
}

/** Files whose content failed at its upload, and of these the one that has failed for longest. */
export interface FailingFiles {
  /** Refused after many attempts; else they are tried again. */
  given_up: boolean
  /** At most `max_counted`. */
  contents: number
  since_ms: number
  name: string
  message: string
}

const max_counted = 1_000

/** Those that are tried again, and those that were given up: at most one of each. */
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
