import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms, minute_ms } from '../../base/time/time.ts'
import { checkKey } from '../../domain/file.ts'
import type { Tickets } from '../file/tickets.ts'
import type {
  CheckChoice,
  CheckWork,
  Claimed,
  FollowWork,
  LabelWork,
  LargeLimit,
  LedgerLimits,
  SendWork,
  SourcePath,
} from '../ledger.ts'
import type { ContentRecorder } from '../record/record-content.ts'
import { areSettled, type LabelRecorder } from '../record/record-label.ts'
import type { ContentRow } from '../rows/content-rows.ts'
import { type Counts, nextHour, UploadAllowance, type Usage } from '../rows/counts.ts'
import { type FileRow, fileRow, type RawFile } from '../rows/file-rows.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import type { PauseRow } from '../rows/trouble-rows.ts'
import type { Waits } from '../rows/waits.ts'
import { type ClaimQuery, createClaimQueries } from './claim-queries.ts'

interface ClaimParts {
  folders: FolderRows
  contents: ContentRecorder
  counts: Counts
  labels: LabelRecorder
  tickets: Tickets
  usage: Usage
  limits: LedgerLimits
  pause: PauseRow
  waits: Waits
}

export interface CheckQuery extends CheckChoice {
  limit: number
  in_flight: readonly CheckWork[]
}

export interface SendQuery extends ClaimQuery {
  large?: LargeLimit | undefined
  is_probe?: boolean | undefined
}

const before_bytes: readonly ContentRow['state'][] = ['wanted', 'reserving', 'reserved']

type ChecksOfFolder = { folder: number; is_large: number }

/** Maximum number of rows that one claim examines. It bounds the cost of huge offline folders. */
const max_examined = 1_000
/** Ready assets whose records one claim reads again, one by one. */
const max_looks = 50
/** Delay of work whose files are all in folders that are offline or no longer configured. */
const out_of_reach_ms = 5 * minute_ms
const offline = { code: 'out_of_reach', message: 'its folder is offline' }
const left = { code: 'out_of_reach', message: 'its folder is not in the configuration any more' }

/** Claims work that is due and not in flight. Only the callers know what is in flight. */
export function createClaims(database: Sqlite, parts: ClaimParts) {
  const queries = createClaimQueries(database)
  /** Until then all uploads wait for the daily limit or a pause, and `sync` does not wait. */
  let held_until_ms = 0
  /** True after a start, too: the limits may be others than those of the last process. */
  let are_limits_new = true

  function check(
    { limit, except_folders, sizes, in_flight }: CheckQuery,
    now_ms: number,
  ): Claimed<CheckWork> {
    const taken = new Set(in_flight.map(({ folder, path }) => checkKey(folder, path)))
    const folders = parts.folders.all().filter(({ name }) => !except_folders.includes(name))
    const work: CheckWork[] = []
    const dues_ms: number[] = []
    for (const folder of folders) {
      const is_here = folder.configured && folder.offline_reason === undefined
      for (const size of sizes) {
        const checks = { folder: folder.id, is_large: size === 'large' ? 1 : 0 }
        const free = freeChecks(folder.name, checks, is_here ? limit : max_examined, taken, now_ms)
        if (is_here) work.push(...free)
        else
          for (const { path } of free)
            queries.defer_check.run(now_ms + out_of_reach_ms, folder.id, path)
        if (!is_here && free.length === max_examined) dues_ms.push(now_ms)
        const due_ms = queries.next_due.check.get({ ...checks, now: now_ms }) as number | null
        if (due_ms !== null) dues_ms.push(due_ms)
      }
    }
    return { work, next_due_ms: dues_ms.length === 0 ? undefined : Math.min(...dues_ms) }
  }

  /** Due checks that are not in flight, the longest due first. */
  function freeChecks(
    folder: string,
    checks: ChecksOfFolder,
    limit: number,
    taken: ReadonlySet<string>,
    now_ms: number,
  ): CheckWork[] {
    const free: CheckWork[] = []
    for (const path of queries.checks.iterate({ ...checks, now: now_ms }) as Iterable<string>) {
      if (free.length >= limit) break
      if (!taken.has(checkKey(folder, path))) free.push({ folder, path })
    }
    return free
  }

  function send(query: SendQuery, now_ms: number): Claimed<SendWork> {
    const { limit, in_flight, large, is_probe } = query
    if (are_limits_new) parts.waits.end('limits_changed', now_ms)
    are_limits_new = false
    const taken = new Set(in_flight)
    const { max_bytes_per_day: max_bytes, newest_first } = parts.limits
    const in_flight_bytes = max_bytes === undefined ? 0 : unsentBytes(in_flight)
    const used_bytes =
      max_bytes === undefined ? 0 : parts.usage.over('sent', day_ms, now_ms).bytes + in_flight_bytes
    const is_paused = parts.pause.holds(now_ms)
    const allowance = new UploadAllowance({ is_paused, max_bytes, used_bytes, large })
    if (!is_paused) parts.contents.retry(parts.contents.types.dailyTries(now_ms), now_ms)
    const usual = newest_first && !is_probe ? queries.send_newest : queries.send_as_found
    const select = queries.in_doubt.get() ? queries.send_deciding : usual
    // Contents in state `sent` come first. Behind thousands of newer ones their slots would expire,
    // and their bytes would be sent again. They use no allowance.
    const toComplete = () =>
      sendWorks(due(query, taken, now_ms, queries.to_complete), undefined, taken, now_ms)
    const work = is_probe ? [] : toComplete()
    for (let examined = 0; work.length < limit && !allowance.exhausted; ) {
      if (examined >= max_examined) return { work, next_due_ms: now_ms }
      const left = { ...query, limit: limit - work.length }
      const rows = due(left, taken, now_ms, select, allowance.up_to)
      if (rows.length === 0) break
      examined += rows.length
      work.push(...sendWorks(rows, allowance, taken, now_ms))
    }
    if (is_probe && work.length === 0) work.push(...toComplete())
    // Work in flight moves soon.
    held_until_ms =
      allowance.exhausted && work.length === 0 && in_flight_bytes === 0 ? nextHour(now_ms) : 0
    const next_due_ms = nextDue('send', now_ms)
    if (!allowance.exhausted) return { work, next_due_ms }
    return {
      work,
      next_due_ms: Math.min(next_due_ms ?? Number.POSITIVE_INFINITY, nextHour(now_ms)),
    }
  }

  /** Bytes in flight that are not sent yet, so the day's usage does not count them. */
  function unsentBytes(in_flight: readonly number[]): number {
    let sum = 0
    for (const content of in_flight) {
      const row = parts.contents.rows.get(content)
      if (row && before_bytes.includes(row.state)) sum += row.size
    }
    return sum
  }

  /** Claims the rows that fit into the allowance, and adds them to `taken`. */
  function sendWorks(
    rows: readonly ContentRow[],
    allowance: UploadAllowance | undefined,
    taken: Set<number>,
    now_ms: number,
  ): SendWork[] {
    const work: SendWork[] = []
    for (const row of rows) {
      const bytes = row.state === 'sent' ? 0 : row.size
      if (allowance && bytes > allowance.up_to) continue
      if (parts.contents.heldByType(row, now_ms)) continue
      const item = sendWork(row, now_ms)
      if (!item) continue
      if (allowance && !allowance.take(bytes)) break
      taken.add(row.id)
      work.push(item)
    }
    // Contents of refused types have another state now.
    parts.counts.flush()
    return work
  }

  function follow(query: ClaimQuery, now_ms: number): Claimed<FollowWork> {
    const taken = new Set(query.in_flight)
    const rows = due(query, taken, now_ms, queries.follow)
    const limit = Math.min(query.limit - rows.length, max_looks)
    const growing = due({ ...query, limit }, taken, now_ms, queries.look)
    for (const { id } of growing) parts.contents.readings.look(id, now_ms)
    const work = [...rows, ...growing].map((row) => ({
      content: row.id,
      project_id: projectOf(row),
      asset_id: row.asset_id ?? '',
      name: nameOf(row),
      size: row.size,
      is_ready: row.state === 'ready',
      made_here: row.made_here,
      attempts: row.attempts,
      following_since_ms: row.following_since_ms ?? now_ms,
      vanished: row.vanished,
      error_code: row.error_code,
    }))
    return { work, next_due_ms: nextDue('follow', now_ms) }
  }

  function label(query: ClaimQuery, now_ms: number): Claimed<LabelWork> {
    if (parts.pause.holds(now_ms)) return { work: [], next_due_ms: undefined }
    const work: LabelWork[] = []
    const found = due(query, new Set(query.in_flight), now_ms, queries.label)
    for (const row of found) {
      const wanted = parts.labels.wanted(row.id)
      const attached = parts.labels.attached(row.id)
      const in_doubt = parts.labels.inDoubt(row.id)
      if (wanted === undefined || (in_doubt.length === 0 && areSettled(attached, wanted))) {
        parts.contents.labelsDone(row.id)
        continue
      }
      const of = { content: row.id, project_id: projectOf(row), asset_id: row.asset_id ?? '' }
      work.push({ ...of, name: nameOf(row), wanted, attached, in_doubt })
    }
    // Contents that need no change count towards the limit. Others may be due behind them.
    return { work, next_due_ms: found.length === query.limit ? now_ms : nextDue('label', now_ms) }
  }

  function due(
    { limit, except_projects }: ClaimQuery,
    taken: ReadonlySet<number>,
    now_ms: number,
    select: ReturnType<Sqlite['prepare']>,
    up_to = Number.MAX_SAFE_INTEGER,
  ): ContentRow[] {
    const due = {
      now: now_ms,
      limit: limit + taken.size,
      except: JSON.stringify(except_projects),
      up_to,
      in_flight: JSON.stringify([...taken]),
    }
    const free = (select.all(due) as number[]).filter((id) => !taken.has(id)).slice(0, limit)
    return free.map((id) => parts.contents.rows.get(id)!)
  }

  function sendWork(row: ContentRow, now_ms: number): SendWork | undefined {
    const kept = row.state === 'sent' || row.state === 'reserved' || row.state === 'reserving'
    const ticket = kept ? parts.tickets.get(row.id) : undefined
    const sources = row.state === 'sent' ? [] : sourcesOf(row, now_ms)
    if (!sources) return undefined
    const [first] = sources
    return {
      content: row.id,
      project_id: projectOf(row),
      md5: row.md5,
      size: row.size,
      state: row.state as SendWork['state'],
      asset_id: row.asset_id ?? ticket?.asset_id,
      without_md5: row.without_md5,
      attempts: row.attempts,
      failing_since_ms: row.failing_since_ms,
      slot_failures: row.slot_failures,
      ticket: ticket?.ticket,
      name: first ? `${first.folder}/${first.path}` : nameOf(row),
      sources,
    }
  }

  /** Undefined if no online folder has it now. The content is then deferred, or abandoned. */
  function sourcesOf(row: ContentRow, now_ms: number): SourcePath[] | undefined {
    const rows = (queries.sources.all(row.id) as RawFile[]).map(fileRow)
    if (rows.length > 0) return rows.map((file) => source(file))
    const is_orphan = parts.contents.apply({ type: 'content_orphaned', content: row.id }, now_ms)
    const is_left = queries.of_configured.get(row.id) === undefined
    if (!is_orphan) parts.contents.hold(row, now_ms + out_of_reach_ms, is_left ? left : offline)
    return undefined
  }

  function source({ folder: id, path, stat }: FileRow): SourcePath {
    const folder = parts.folders.withId(id)!
    return { folder: folder.name, root: folder.root, path, stat }
  }

  function nextDue(work: 'send' | 'follow' | 'label', now_ms: number): number | undefined {
    return (queries.next_due[work].get({ now: now_ms }) as number | null) ?? undefined
  }

  function nameOf(row: ContentRow): string {
    const file = queries.a_path.get(row.id) as { folder: number; path: string } | undefined
    return file ? `${parts.folders.withId(file.folder)?.name}/${file.path}` : `content ${row.id}`
  }

  const projectOf = (row: ContentRow): string => parts.folders.projectId(row.project)

  /** True if all contents to upload waited for the allowance at the last claim. */
  const isHeld = (now_ms: number): boolean => now_ms < held_until_ms

  /** Call this when a limit or a pause changed. The next claim shows what still waits. */
  function allowanceChanged(): void {
    held_until_ms = 0
  }

  function limitsChanged(): void {
    are_limits_new = true
  }

  return { check, send, follow, label, isHeld, allowanceChanged, limitsChanged }
}
