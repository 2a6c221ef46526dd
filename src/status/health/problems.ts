import { SluiceError } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'
import { cronTimes } from '../../base/time/cron.ts'
import type { Absence } from '../../domain/fact.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { AuditView } from '../../ledger/views/view-folders.ts'
import type { FailingFiles, HealthView, PromptHealth } from '../../ledger/views/view-health.ts'

/**
 * Kinds of health problems, each with the condition that holds while there is no such problem.
 * Sluice is healthy without problems. Only time in which Sluice could work counts: nothing is late
 * because no daemon was at work.
 *
 * - `scan`: every folder is fully scanned again and again. This finds what the watcher missed.
 * - `queue`: no file waits for long or fails again and again. The age of the oldest counts, never
 *   the number of files.
 * - `folder`: every folder is online.
 * - `account`, `project`: the service accepts the token and the projects.
 * - `service`: the service and its blob store can be used.
 * - `audit`: ready assets were recently compared with the service.
 * - `assets`: ready assets stay in their project.
 * - `prompt`: each due time ends in a report, or in a recorded skip.
 * - `delivery`: no report or alert was given up on its way to a receiver.
 * - `disk`, `ledger`: the disk has space for the ledger, and facts can be recorded.
 * - `record`: no fact is refused. The work on such a thing rests, and all else goes on.
 * - `page`: the page is served as it is configured.
 * - `progress`: running work makes progress.
 */
export const problem_kinds = [
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
  'record',
  'page',
  'progress',
] as const
type ProblemKind = (typeof problem_kinds)[number]

/** Facts that decide the health, all of one moment. Times are Unix ms. */
export interface HealthFacts {
  now_ms: number
  /** Pause by a user. Nothing is uploaded or asked then, which is no problem. Scans go on. */
  paused: { since_ms: number } | undefined
  /** Times without a daemon and ended pauses, by start. Pauses excuse only uploads and prompts. */
  absences: readonly Absence[]
  folders: readonly {
    name: string
    online: boolean
    offline_reason: string | undefined
    /** Time since which it is online or offline. */
    state_since_ms: number
    /** Time since which it is in the configuration. */
    kept_ms: number
    /** End of the last complete scan; undefined before the first. */
    scanned_ms: number | undefined
    rescan_interval_ms: number
  }[]
  /** The content that waits longest. `held`: the rest of the daily limit is too small for it. */
  waiting: { since_ms: number; name: string; held: boolean } | undefined
  /** The file whose check is due for longest; undefined if none is. */
  unchecked: { since_ms: number; name: string } | undefined
  failing: readonly FailingFiles[]
  troubles: readonly Pick<Trouble, 'about' | 'message' | 'hint' | 'since_ms'>[]
  audits: readonly {
    project_id: string
    /** End of the last full round, or the time when the first could begin. */
    since_ms: number
    round_ms: number
    /** Start of the running round; undefined without one. */
    running_ms: number | undefined
    /** Set while so many assets are gone that the project seems emptied or replaced. */
    emptied: AuditView['emptied']
  }[]
  prompts: readonly {
    name: string
    /** Longest normal time between a due time and the end of its run. */
    patience_ms: number
    /** Oldest due time without an ended run; undefined without one. */
    unmet_ms: number | undefined
    /** The ended run with the latest due time if it failed, and what happened; or undefined. */
    failed: { run: number; since_ms: number; why: string; what?: string } | undefined
  }[]
  /** Deliveries that were given up, while no later one has reached the receiver. */
  given_up: readonly {
    prompt: string
    run: number | undefined
    target: string
    /** The receiver for people. */
    receiver: string
    since_ms: number
    message: string
  }[]
  disk: { path: string; free_bytes: number } | undefined
  /** Work without progress for too long, the likely cause first. */
  stuck: readonly { name: string; silent_ms: number }[]
  ledger_fault: { message: string; hint: string | undefined; since_ms: number } | undefined
}

/** Limits beyond which something is a problem: fields of the section `health`. */
export interface HealthLimits {
  readonly scan_late_ms: number
  readonly queue_age_ms: number
  readonly offline_ms: number
  readonly unreachable_ms: number
  readonly audit_late_ms: number
  readonly prompt_late_ms: number
  readonly disk_free_bytes: number
}

export interface Problem {
  kind: ProblemKind
  /**
   * Subject of the problem: a folder, project, prompt, receiver, host or kind of work. Together
   * with `kind` it identifies the problem while it lasts.
   */
  about: string
  message: string
  hint: string
  since_ms: number
}

export interface Health {
  healthy: boolean
  /** In the order of `problem_kinds`; one for each pair of `kind` and `about`. */
  problems: Problem[]
}

interface Owned {
  readonly name: string
  readonly project_id: string
}

/**
 * The problems of one folder or prompt, with those of its project. What concerns all of Sluice (the
 * account, the disk) is left out. Error `health.unknown`.
 */
export function problemsOf(
  problems: readonly Problem[],
  config: { readonly folders: readonly Owned[]; readonly prompts: readonly Owned[] },
  what: 'folder' | 'prompt',
  name: string,
): Problem[] {
  const found = config[`${what}s`].find((other) => other.name === name)
  if (!found)
    throw new SluiceError({
      code: 'health.unknown',
      message: `the configuration has no ${what} ${name}`,
    })
  const own = { folder: ['scan', 'folder', 'record'], prompt: ['prompt'] }[what]
  return problems.filter(({ kind, about, message }) => {
    if (about === found.project_id || (own.includes(kind) && about === name)) return true
    // These are about a receiver, or about a file, whose name begins the message.
    if (kind === 'delivery') return what === 'prompt' && about.startsWith(`${name}/`)
    const is_of_file = kind === 'queue' || kind === 'record'
    return is_of_file && what === 'folder' && message.startsWith(`${name}/`)
  })
}

/** Settings of prompts that health needs: a part of the configuration. */
export interface PromptHealthSettings {
  readonly prompts: readonly {
    readonly name: string
    readonly schedule: { readonly cron: string; readonly timezone: string }
    readonly wait_for_files_ms: number
    readonly intelligence: string
  }[]
  readonly asking: { readonly deadline_ms: Readonly<Record<string, number>> }
}

/** State of each configured prompt. One that no daemon has loaded yet is left out. */
export function promptHealth(
  view: HealthView | undefined,
  { prompts, asking }: PromptHealthSettings,
  now_ms: number,
): HealthFacts['prompts'] {
  const known = new Map((view?.prompts() ?? []).map((prompt) => [prompt.name, prompt]))
  return prompts.flatMap(({ name, schedule, wait_for_files_ms, intelligence }) => {
    const prompt = known.get(name)
    if (!prompt) return []
    const { checked_ms, open_runs } = prompt
    // Due times up to checked_ms are recorded, as runs or skips. Later ones are not handled yet.
    const next_ms = cronTimes(schedule.cron, schedule.timezone).next(checked_ms)
    const dues = [
      ...open_runs.map(({ due_ms }) => due_ms),
      ...(next_ms === undefined || next_ms > now_ms ? [] : [next_ms]),
    ]
    return {
      name,
      patience_ms: wait_for_files_ms + (asking.deadline_ms[intelligence] ?? 0),
      unmet_ms: dues.length === 0 ? undefined : Math.min(...dues),
      failed: failedRun(prompt),
    }
  })
}

/** The last run if it failed, or if it is the third empty one in a row. */
function failedRun({
  name,
  last_ended,
  empty,
}: PromptHealth): HealthFacts['prompts'][number]['failed'] {
  if (last_ended?.state === 'failed') {
    const { run, ended_ms, why = 'for an unknown reason' } = last_ended
    return { run, since_ms: ended_ms, why }
  }
  if (!empty) return undefined
  const { run, ended_ms, why, names, total } = empty
  const more = total > names.length ? ` and ${total - names.length} more` : ''
  const about =
    total === 0 ? '' : `, without a report about ${names.map(printable).join(', ')}${more}`
  return { run, since_ms: ended_ms, why, what: `the last three runs of ${name} were empty${about}` }
}

/**
 * The time at which `span_ms` of time at work has passed since `from_ms`. Absences do not count, so
 * no work is late because of them. `absences`: sorted by start; they may overlap.
 */
export function afterAtWork(
  from_ms: number,
  span_ms: number,
  absences: readonly Absence[],
): number {
  let at_ms = from_ms
  let left_ms = span_ms
  for (const absence of absences) {
    if (absence.to_ms <= at_ms) continue
    const worked_ms = Math.max(0, absence.from_ms - at_ms)
    if (left_ms < worked_ms) break
    left_ms -= worked_ms
    at_ms = absence.to_ms
  }
  return at_ms + left_ms
}
