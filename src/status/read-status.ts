import { type Clock, minute_ms } from '../base/time/time.ts'
import { daemonStatus, ledgerFaultOf, rebuildStatus } from './daemon-status.ts'
import {
  type HealthSettings,
  type HealthStatus,
  healthFacts,
  healthStatus,
} from './health/health-facts.ts'
import { type PromptHealthSettings, promptHealth } from './health/problems.ts'
import type { ConfiguredPrompt } from './prompts.ts'
import { type DaemonStatus, type StatusSettings, type StatusView, statusView } from './view.ts'
import { withHealthView, withLedgerView, withPromptsView } from './with-view.ts'

type Settings = StatusSettings &
  HealthSettings &
  PromptHealthSettings & {
    readonly prompts: readonly ConfiguredPrompt[]
    readonly watchdog: { silence_ms: number }
  }

/** The whole status, as `status --json` prints it. Errors: those of openLedgerReadOnly. */
export async function readStatus(settings: Settings, clock: Clock): Promise<StatusView> {
  const { state_dir } = settings
  const daemon = await daemonStatus(state_dir)
  const prompts =
    settings.prompts.length === 0 ? undefined : await readPrompts(settings, clock.now_ms())
  return withLedgerView(state_dir, async (ledger) => {
    // Read after the ledger view, which reports a damaged ledger.
    const health = await readHealth(settings, daemon, clock.now_ms())
    const rebuild = ledger ? undefined : await rebuildStatus(state_dir, daemon)
    return statusView({
      ledger,
      settings,
      daemon,
      health,
      prompts,
      rebuild,
      now_ms: clock.now_ms(),
    })
  })
}

/**
 * A daemon records every minute that it is at work. If `silence_ms` and this time pass without a
 * record, it counts as unresponsive.
 */
const at_work_late_ms = 2 * minute_ms

async function readHealth(
  settings: Settings,
  daemon: DaemonStatus,
  now_ms: number,
): Promise<HealthStatus> {
  return withHealthView(settings.state_dir, (view) => {
    const prompts = promptHealth(view, settings, now_ms)
    const silent_ms = now_ms - (view?.atWork_ms() ?? now_ms)
    const is_silent = silent_ms > settings.watchdog.silence_ms + at_work_late_ms
    const watches = daemon.state === 'running' && daemon.mode === 'run'
    const stuck = watches && is_silent ? [{ name: 'the daemon', silent_ms }] : []
    const ledger_fault = ledgerFaultOf(settings.state_dir, daemon, view)
    const facts = healthFacts(view, settings, now_ms, { prompts, stuck, ledger_fault })
    return healthStatus(facts, settings.health, daemon.state === 'running')
  })
}

/** Loads the schedule code only if there are prompts. */
async function readPrompts({ state_dir, prompts }: Settings, now_ms: number) {
  const { promptStatuses } = await import('./prompts.ts')
  return withPromptsView(state_dir, (view) => promptStatuses(view, prompts, now_ms))
}
