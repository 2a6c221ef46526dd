import { day_ms, hour_ms, isoTime, isoTimeOrNull } from '../base/time/time.ts'
import { type BandwidthSpan, bandwidthAt } from '../domain/bandwidth.ts'
import type { Pause, Trouble } from '../ledger/rows/trouble-rows.ts'
import type { LedgerView } from '../ledger/views/view.ts'
import { no_removals } from '../ledger/views/view-removal-cases.ts'
import { auditStatus, refusalStatus, removalStatus } from './assets.ts'
import { type FolderStatus, folderStatuses, isComplete } from './folders.ts'
import type { HealthStatus } from './health/health-facts.ts'
import type { PromptStatus } from './prompts.ts'

/**
 * Version of the JSON format. From the first release on it grows when a field is removed or changes
 * its meaning, but not when one is added.
 */
const status_version = 1

/**
 * - `all_ready`: every file that should be in the assistant is ready.
 * - `incomplete`: some are not, for any reason.
 * - `refused`: the service refuses the token, or at least one project.
 * - `stale`: nothing can be recorded, so the present state is unknown.
 */
type Verdict = 'all_ready' | 'incomplete' | 'refused' | 'stale'

export type DaemonStatus =
  | { state: 'stopped' }
  | {
      state: 'running'
      pid: number
      mode: string
      version: string
      /**
       * Reported by the daemon itself: it can record nothing, or its ledger file was removed, so
       * no other process sees its records. Absent without such a fault.
       */
      ledger_fault?: { message: string; hint: string | undefined; since_ms: number }
    }
  /** There are signs of a daemon, but it gives no usable answer. */
  | { state: 'unknown'; why: string }

/**
 * `running`: a process works on it, and `troubles` are those of the rebuild. `unfinished`: it was
 * interrupted, and continues when a user runs it again.
 */
export type RebuildStatus = 'running' | 'unfinished'

/** Settings that status needs: a part of the configuration. */
export interface StatusSettings {
  readonly state_dir: string
  /** Paths that do not answer now. Absent: none was asked. */
  readonly silent?: readonly string[]
  readonly folders: readonly {
    readonly name: string
    readonly path: string
    readonly project_id: string
  }[]
  readonly uploads: {
    readonly limit: { readonly files: number; readonly bytes: number } | 'off'
    readonly limit_hours: number
    readonly max_bytes_per_day: number | 'off'
    readonly bandwidth: readonly BandwidthSpan[]
  }
}

/** The whole status as JSON; see `statusView`. */
export type StatusView = ReturnType<typeof statusView>

/**
 * Times are ISO 8601 UTC; null: unknown, or none. docs/json.md has the schema.
 * `ledger`: undefined if there is none. Then every folder is new.
 */
export function statusView(source: {
  ledger: LedgerView | undefined
  settings: StatusSettings
  daemon: DaemonStatus
  health?: HealthStatus
  prompts?: PromptStatus[] | undefined
  rebuild?: { status: RebuildStatus; troubles: Trouble[] } | undefined
  now_ms: number
}) {
  const { ledger, settings, daemon, health, prompts, rebuild, now_ms } = source
  const pause = ledger?.pause(now_ms)
  const read = () => ({
    version: status_version,
    at: isoTime(now_ms),
    state_dir: settings.state_dir,
    /**
     * Time since which nothing is recorded: the values of the ledger below are that old. Null while
     * the ledger and the daemon work.
     */
    stale_since: staleSince(health),
    /** Problems of Sluice itself, such as a late scan. The verdict is about the files only. */
    health,
    daemon: daemonAnswer(daemon),
    /** Set only if there is no ledger, and a rebuild runs or was interrupted. */
    rebuild: ledger ? null : (rebuild?.status ?? null),
    /** Set while a user has paused outgoing work; null without a pause. */
    pause: pause ? pauseStatus(pause) : null,
    troubles: (ledger?.troubles() ?? rebuild?.troubles ?? []).map(troubleStatus),
    folders: folderStatuses(settings.folders, ledger?.folders() ?? [], {
      is_watching: mayWatch(daemon),
      silent: settings.silent,
    }),
    /** Files that are stuck until a user acts or something changes, grouped by reason. */
    problems: ledger?.problems() ?? [],
    /** Failed contents that are retried without a user, grouped by reason. */
    retrying: (ledger?.retrying() ?? []).map(retryStatus),
    /** Number of contents that the service has read for longer than is usual (`slow_reading`). */
    slow: ledger?.slow(now_ms) ?? 0,
    over_limit: ledger?.over_limit() ?? { files: 0, bytes: 0, places: [] },
    /** Assets that no file holds any more; see assets.ts. They do not change the verdict. */
    removals: removalStatus(ledger?.removals() ?? no_removals),
    /** Projects in which the service refuses to rename assets after their files. */
    rename_refusals: refusalStatus(ledger?.renameRefusals() ?? []),
    /** Comparison of the ready assets with the service, one per project; see assets.ts. */
    audits: (ledger?.audits() ?? []).map(auditStatus),
    ...usedLimits(settings, ledger, now_ms),
    /** Rate by `uploads.bandwidth` at this time; null if that is not configured. */
    bandwidth: bandwidthStatus(settings.uploads.bandwidth, now_ms),
    /** See prompts.ts. They do not change the verdict. */
    prompts: prompts ?? [],
  })
  const status = ledger ? ledger.together(read) : read()
  return { ...status, verdict: verdictOf(status) }
}

/** Without `ledger_fault`, which is a problem of the health. */
function daemonAnswer(daemon: DaemonStatus) {
  if (daemon.state !== 'running') return daemon
  const { state, pid, mode, version } = daemon
  return { state, pid, mode, version }
}

/** False if no process watches folders: none runs, or only one pass. */
function mayWatch(daemon: DaemonStatus): boolean {
  return daemon.state === 'running' ? daemon.mode !== 'once' : daemon.state === 'unknown'
}

export type PauseStatus = ReturnType<typeof pauseStatus>

export function pauseStatus({ since_ms, until_ms, by, why }: Pause) {
  return {
    since: isoTime(since_ms),
    /** Null if the pause lasts until a user resumes. */
    until: isoTimeOrNull(until_ms),
    by,
    why: why ?? null,
  }
}

function usedLimits({ uploads }: StatusSettings, ledger: LedgerView | undefined, now_ms: number) {
  const { limit, limit_hours: per_hours, max_bytes_per_day } = uploads
  const used = (what: 'wanted' | 'sent', span_ms: number) =>
    ledger?.used(what, span_ms, now_ms) ?? { files: 0, bytes: 0 }
  const lately = limit === 'off' ? undefined : used('wanted', per_hours * hour_ms)
  return {
    upload_limit:
      limit === 'off' || !lately
        ? null
        : { ...limit, per_hours, used_files: lately.files, used_bytes: lately.bytes },
    daily_limit:
      max_bytes_per_day === 'off'
        ? null
        : { max_bytes: max_bytes_per_day, used_bytes: used('sent', day_ms).bytes },
  }
}

export type BandwidthStatus = NonNullable<ReturnType<typeof bandwidthStatus>>

/**
 * `bytes_per_s`: null without a limit at this time.
 * `until`: next change; null if the rate is the same all day.
 */
function bandwidthStatus(spans: readonly BandwidthSpan[], now_ms: number) {
  if (spans.length === 0) return null
  const { bytes_per_s, until_ms } = bandwidthAt(spans, now_ms)
  return {
    bytes_per_s: bytes_per_s ?? null,
    until: isoTimeOrNull(until_ms),
  }
}

export function troubleStatus({ about, code, message, hint, since_ms, last_ms }: Trouble) {
  return {
    about,
    code,
    message,
    hint: hint ?? null,
    since: isoTime(since_ms),
    last: isoTime(last_ms),
  }
}

export function retryStatus({ next_try_ms, ...group }: ReturnType<LedgerView['retrying']>[number]) {
  return { ...group, next_try: isoTime(next_try_ms) }
}

/** A problem of the kind `progress` counts, too: an unresponsive daemon records nothing either. */
function staleSince(health: HealthStatus | undefined): string | null {
  const problems =
    health?.problems.filter(({ kind }) => kind === 'ledger' || kind === 'progress') ?? []
  return problems.map(({ since }) => since).sort()[0] ?? null
}

export function verdictOf(status: {
  stale_since: string | null
  troubles: readonly { about: string }[]
  folders: readonly FolderStatus[]
}): Verdict {
  const { stale_since, troubles, folders } = status
  if (stale_since !== null) return 'stale'
  if (troubles.some(({ about }) => about === 'account' || about.startsWith('project')))
    return 'refused'
  return folders.every((folder) => isComplete(folder, troubles)) ? 'all_ready' : 'incomplete'
}
