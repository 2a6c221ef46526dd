import { runWorker } from '../base/run/worker.ts'
import { hour_ms } from '../base/time/time.ts'
import { readEnvironment } from '../config/environment.ts'
import { startDeliverer } from '../prompts/deliverer.ts'
import { startScheduler } from '../prompts/plan/scheduler.ts'
import { startReporter } from '../prompts/reporter.ts'
import type { RunTools } from '../prompts/run-tools.ts'
import type { WorkPool } from '../prompts/work-pool.ts'
import * as auditing from '../sync/audit/auditor.ts'
import * as following from '../sync/follow/follower.ts'
import * as uploading from '../sync/upload/uploader.ts'
import { auditSettings } from './limits.ts'
import type { Started, WorkerSettings, WorkerTools } from './reload/generation.ts'

export function startUploader(tools: WorkerTools, { config, soft, hard }: WorkerSettings): Started {
  const { uploads, follow } = config
  return uploading.startUploader(
    {
      ...tools,
      small_file_bytes: uploads.small_file_bytes,
      follow_first_ms: follow.first_ms,
      retry: {
        first_ms: uploads.retry_first_ms,
        max_ms: uploads.max_retry_ms,
        max_attempts: uploads.max_attempts,
      },
    },
    { max_calls: uploads.concurrency, soft, hard },
  )
}

export function startFollower(tools: WorkerTools, { config, soft }: WorkerSettings): Started {
  return following.startFollower({ ...tools, follow: config.follow }, soft)
}

/** A single pass runs no audit: it has no time for one. */
export function startAuditor(
  tools: WorkerTools,
  { config, asking, soft }: WorkerSettings,
): Started | undefined {
  if (asking !== 'on_schedule') return undefined
  return { worker: auditing.startAuditor(tools, auditSettings(config), soft) }
}

export function startTidier(
  { ledger, clock, heartbeats, report }: WorkerTools,
  { soft }: WorkerSettings,
): Started {
  const worker = runWorker({
    name: 'tidier',
    step: async () => {
      await ledger.tidy()
      return { wait_ms: hour_ms }
    },
    clock,
    heartbeats,
    signal: soft,
    on_error: (error) => report.fault('tidier', error),
  })
  return { worker }
}

/** The ledger knows the prompts already (factsOfPrompts). */
export function startPromptScheduler(
  tools: WorkerTools,
  settings: WorkerSettings,
): Started | undefined {
  const { ledger, clock, wakeAt, heartbeats, prompt_report } = tools
  const { config, asking, soft } = settings
  if (asking !== 'on_schedule' || config.prompts.length === 0) return undefined
  const on_fault = (what: string, error: unknown) => prompt_report.fault(what, error)
  return {
    worker: startScheduler(
      { ledger, clock, wakeAt, prompts: config.prompts, on_fault, heartbeats },
      soft,
    ),
  }
}

export function startRunReporter(
  tools: WorkerTools,
  settings: WorkerSettings,
): Started | undefined {
  return asks(settings) ? ofPool(startReporter(runTools(tools, settings))) : undefined
}

export function startReportDeliverer(
  tools: WorkerTools,
  settings: WorkerSettings,
): Started | undefined {
  const { receivers: http, clock } = tools
  const { config, asking, hard: signal } = settings
  // A single pass without questions delivers nothing. Alerts need no prompt.
  if (asking === 'never') return undefined
  const delivery_tools = { http, clock, signal, environment: readEnvironment().for_commands }
  return ofPool(
    startDeliverer(runTools(tools, settings), { ...delivery_tools, alerts: config.alerts.deliver }),
  )
}

function asks({ asking, config }: WorkerSettings): boolean {
  return asking !== 'never' && config.prompts.length > 0
}

/** Leaves out the pool's `inFlight`: an answer may take hours, and no pass waits for it. */
function ofPool({ worker, drained }: WorkPool): Started {
  return { worker, drained }
}

function runTools(tools: WorkerTools, { config, soft, hard }: WorkerSettings): RunTools {
  const { circuits: circuit, prompt_report: report } = tools
  const prompts = new Map(config.prompts.map((prompt) => [prompt.name, prompt]))
  return {
    ...tools,
    circuit,
    report,
    prompts,
    asking: config.asking,
    page_url: config.page.base_url,
    soft,
    hard,
  }
}
