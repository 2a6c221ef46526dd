import { statfsSync } from 'node:fs'
import { codeOf } from '../../base/run/errors.ts'
import { day_ms, hour_ms, isoTime } from '../../base/time/time.ts'
import { type Receiver, receiverText } from '../../domain/delivery.ts'
import type { HealthView } from '../../ledger/views/view-health.ts'
import { healthOf } from './health.ts'
import type { HealthFacts, HealthLimits } from './problems.ts'

/** Settings that health needs: a part of the configuration. */
export interface HealthSettings {
  readonly state_dir: string
  readonly folders: readonly { readonly name: string; readonly rescan_interval_ms: number }[]
  readonly uploads: { readonly max_bytes_per_day: number | 'off' }
  readonly prompts: readonly {
    readonly name: string
    readonly deliver: readonly Receiver[]
  }[]
  readonly audit: { readonly round_hours: number }
  readonly alerts: { readonly deliver: readonly Receiver[] }
  readonly health: HealthLimits
}

/** Facts from the caller: the ledger alone does not show them, or not yet. */
export interface HealthExtras {
  /** Result of `promptHealth`; absent: no prompt is judged. */
  prompts?: HealthFacts['prompts']
  ledger_fault?: HealthFacts['ledger_fault']
  /** Only the daemon knows it exactly; others see when it last recorded that it was at work. */
  stuck?: HealthFacts['stuck']
}

/** All facts at one moment. `view`: undefined if there is no ledger. */
export function healthFacts(
  view: HealthView | undefined,
  settings: HealthSettings,
  now_ms: number,
  extras: HealthExtras = {},
): HealthFacts {
  const disk = diskOf(settings.state_dir)
  const read = () => {
    const { prompts = [], ledger_fault, stuck = [] } = extras
    return {
      now_ms,
      paused: view?.pause(now_ms),
      absences: view?.absences(now_ms) ?? [],
      folders: folderFacts(view, settings),
      waiting: waitingFact(view, settings, now_ms),
      unchecked: view?.oldestCheck(),
      failing: view?.failing() ?? [],
      troubles: view?.troubles() ?? [],
      audits: auditFacts(view, settings),
      prompts,
      given_up: givenUp(view, settings),
      disk,
      stuck,
      ledger_fault,
    }
  }
  return view ? view.together(read) : read()
}

function folderFacts(
  view: HealthView | undefined,
  { folders }: HealthSettings,
): HealthFacts['folders'] {
  const known = new Map((view?.folders() ?? []).map((folder) => [folder.name, folder]))
  return folders.flatMap(({ name, rescan_interval_ms }) => {
    const folder = known.get(name)
    if (!folder) return []
    const { online, offline_reason, state_since_ms, kept_ms, scan_ended_ms } = folder
    return {
      name,
      online,
      offline_reason,
      state_since_ms,
      kept_ms,
      rescan_interval_ms,
      scanned_ms: scan_ended_ms,
    }
  })
}

function waitingFact(
  view: HealthView | undefined,
  { uploads }: HealthSettings,
  now_ms: number,
): HealthFacts['waiting'] {
  const oldest = view?.oldestWaiting()
  if (!view || !oldest) return undefined
  const { since_ms, name, size } = oldest
  const { max_bytes_per_day: max } = uploads
  return { since_ms, name, held: max !== 'off' && view.sent(day_ms, now_ms).bytes + size > max }
}

/** An audit's age counts from the last full round, or from the project's first folder if later. */
function auditFacts(
  view: HealthView | undefined,
  { audit }: HealthSettings,
): HealthFacts['audits'] {
  const audits = new Map((view?.audits() ?? []).map((each) => [each.project_id, each]))
  const began_ms = new Map<string, number>()
  for (const { project_id, kept_ms } of view?.folders() ?? []) {
    began_ms.set(project_id, Math.min(kept_ms, began_ms.get(project_id) ?? kept_ms))
  }
  return [...began_ms].map(([project_id, kept_ms]) => {
    const { last_full, running, emptied } = audits.get(project_id) ?? {}
    const since_ms = Math.max(last_full?.ended_ms ?? kept_ms, kept_ms)
    return {
      project_id,
      since_ms,
      round_ms: audit.round_hours * hour_ms,
      running_ms: running?.began_ms,
      emptied,
    }
  })
}

/** Omits given-up deliveries whose receiver left the config: no user expects a message there. */
function givenUp(
  view: HealthView | undefined,
  { prompts, alerts }: HealthSettings,
): HealthFacts['given_up'] {
  return (view?.givenUp() ?? []).flatMap(({ prompt, run, target, since_ms, error }) => {
    const { deliver } = (prompt === undefined
      ? alerts
      : prompts.find(({ name }) => name === prompt)) ?? { deliver: [] }
    const receiver = deliver.find(({ name }) => name === target)
    if (!receiver) return []
    return {
      prompt: prompt ?? 'alerts',
      run,
      target,
      receiver: receiverText(receiver),
      since_ms,
      message: error.message,
    }
  })
}

function diskOf(path: string): HealthFacts['disk'] {
  try {
    const { bavail, bsize } = statfsSync(path)
    return { path, free_bytes: bavail * bsize }
  } catch (error) {
    // The state directory does not exist before the first run.
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The health as JSON. `unknown`: no daemon runs, so `problems` are those of the last records. */
export type HealthStatus = ReturnType<typeof healthStatus>

export function healthStatus(facts: HealthFacts, limits: HealthLimits, is_at_work: boolean) {
  const { healthy, problems } = healthOf(facts, limits)
  const state: 'healthy' | 'unhealthy' | 'unknown' = is_at_work
    ? healthy
      ? 'healthy'
      : 'unhealthy'
    : 'unknown'
  return {
    state,
    /** Start of a pause by a user; null without one. */
    paused: facts.paused ? isoTime(facts.paused.since_ms) : null,
    problems: problems.map(({ since_ms, ...problem }) => ({
      ...problem,
      since: isoTime(since_ms),
    })),
  }
}
