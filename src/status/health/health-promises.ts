import { cronTimes } from '../../base/time/cron.ts'
import type { Absence } from '../../domain/absence.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { AuditView } from '../../ledger/views/view-audits.ts'
import type { FailingFiles, HealthView } from '../../ledger/views/view-health.ts'

/**
 * What Sluice promises all the time. A promise that is not kept has a reason, and the reasons are the verdict. Each is judged by
 * the time in which it could have been kept: while nobody was at work nothing grows stale.
 *
 * - `scan`: every folder is looked through completely, again and again: whatever the watcher misses comes in by it.
 * - `queue`: nothing waits for long, or fails again and again. The age of the oldest counts, never how many there are.
 * - `folder`: every folder is there.
 * - `account`, `project`: the service takes our token, and knows the projects.
 * - `service`: the service and its blob store can be used.
 * - `audit`: what is called ready was compared with the service lately.
 * - `assets`: what is ready stays in its project.
 * - `prompt`: each due time ends in a report, or in a skip that was told.
 * - `delivery`: no report was given up on its way to a receiver.
 * - `disk`, `ledger`: there is room to record what happens, and it can be recorded.
 * - `progress`: whatever is being worked on moves.
 */
export const promises = [
  'scan',
  'queue',
  'folder',
  'account',
  'project',
  'service',
  'audit',
  'assets',
  'prompt',
  'delivery',
  'disk',
  'ledger',
  'progress',
] as const
type PromiseName = (typeof promises)[number]

/** What is known, all of one moment. Times are Unix ms. */
export interface HealthFacts {
  now_ms: number
  /** By a person's word: then nothing goes up and nothing is asked, and that is right. Looks go on. */
  paused: { since_ms: number } | undefined
  /** By their beginning. `paused` ones hold up what a person had stopped: uploads and prompts. */
  absences: readonly Absence[]
  folders: readonly {
    name: string
    online: boolean
    offline_reason: string | undefined
    /** Since when it is online or offline. */
    state_since_ms: number
    /** Since when it is in the configuration. */
    kept_ms: number
    /** End of the last complete scan. */
    looked_ms: number | undefined
    rescan_interval_ms: number
  }[]
  /** The content that has waited longest of all that are not ready yet. `held`: the daily limit lets nothing of its size pass. */
  waiting: { since_ms: number; name: string; held: boolean } | undefined
  /** The file whose look has been due for longest. */
  unlooked: { since_ms: number; name: string } | undefined
  failing: readonly FailingFiles[]
  troubles: readonly Pick<Trouble, 'about' | 'message' | 'hint' | 'since_ms'>[]
  audits: readonly {
    project_id: string
    /** The end of the last full round, or when the first could begin. */
    since_ms: number
    round_ms: number
    /** The begin of the one that runs. */
    running_ms: number | undefined
    /** So many of the files that should be there were found to be gone at once, and still are. */
    emptied: AuditView['emptied']
  }[]
  prompts: readonly {
    name: string
    /** What may pass between a due time and the end of its run. */
    patience_ms: number
    /** The oldest due time that ended in nothing yet. */
    unmet_ms: number | undefined
    /** The newest run, when it failed. */
    failed: { run: number; since_ms: number; why: string } | undefined
  }[]
  /** Given up, and nothing has reached the receiver since. */
  given_up: readonly { prompt: string; run: number | undefined; target: string; since_ms: number; message: string }[]
  disk: { path: string; free_bytes: number } | undefined
  /** What is being worked on and has not moved for too long; the likely cause first. */
  stuck: readonly { name: string; silent_ms: number }[]
  ledger_fault: { message: string; hint: string | undefined; since_ms: number } | undefined
}

/** How stale a promise may be; the fields of the section `health`. */
export interface HealthLimits {
  readonly scan_late_ms: number
  readonly queue_age_ms: number
  readonly offline_ms: number
  readonly unreachable_ms: number
  readonly audit_late_ms: number
  readonly prompt_late_ms: number
  readonly disk_free_bytes: number
}

export interface Reason {
  promise: PromiseName
  /** The folder, project, prompt, receiver or host; with the promise it names the reason as long as it lasts. */
  about: string
  message: string
  /** What to do. */
  hint: string
  since_ms: number
}

export interface Health {
  /** True when every promise is kept. */
  healthy: boolean
  /** In the order of `promises`; one a promise and thing. */
  reasons: Reason[]
}

/** What health must know of the prompts of the configuration. */
interface PromptHealthSettings {
  readonly prompts: readonly {
    readonly name: string
    readonly schedule: { readonly cron: string; readonly timezone: string }
    readonly wait_for_files_ms: number
    readonly intelligence: string
  }[]
  readonly asking: { readonly deadline_ms: Readonly<Record<string, number>> }
}

/** Where each prompt of the config stands with its due times. A prompt that no daemon has met yet has none. */
export function promptHealth(
  view: HealthView | undefined,
  { prompts, asking }: PromptHealthSettings,
  now_ms: number,
): HealthFacts['prompts'] {
  const known = new Map((view?.prompts() ?? []).map((prompt) => [prompt.name, prompt]))
  return prompts.flatMap(({ name, schedule, wait_for_files_ms, intelligence }) => {
    const prompt = known.get(name)
    if (!prompt) return []
    const { checked_ms, open_runs, last_ended } = prompt
    // Up to checked_ms each time has its run; after it nobody has dealt with them yet.
    const next_ms = cronTimes(schedule.cron, schedule.timezone).next(checked_ms)
    const dues = [
      ...open_runs.map(({ due_ms }) => due_ms),
      ...(next_ms === undefined || next_ms > now_ms ? [] : [next_ms]),
    ]
    const failed = last_ended?.state === 'failed' ? last_ended : undefined
    return {
      name,
      patience_ms: wait_for_files_ms + (asking.deadline_ms[intelligence] ?? 0),
      unmet_ms: dues.length === 0 ? undefined : Math.min(...dues),
      failed: failed && { run: failed.run, since_ms: failed.ended_ms, why: failed.why ?? 'for an unknown reason' },
    }
  })
}
