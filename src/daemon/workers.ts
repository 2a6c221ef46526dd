import { hour_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import { type PromptWorkers, startPrompts } from '../prompts/start-prompts.ts'
import { startAuditor } from '../sync/auditor.ts'
import type { Circuits } from '../sync/circuits.ts'
import { startFollower } from '../sync/follower.ts'
import type { IntakeFolder } from '../sync/intake.ts'
import { startLabeler } from '../sync/labeler.ts'
import { startRemover } from '../sync/remover.ts'
import { startUploader, type Uploader } from '../sync/uploader.ts'
import type { Connections } from './connections.ts'
import { auditSettings, followPolicy } from './limits.ts'
import type { Tools } from './tools.ts'

export interface Workers {
  uploader: Uploader
  /** Absent where nothing is asked: no prompts, or a single pass. */
  prompts: PromptWorkers | undefined
  all: readonly Worker[]
  /** Wakes those who have work of this kind to do. */
  wake(kind: WorkKind): void
  /** Every file that is being worked on and is not in the ledger yet; an answer that is waited for may take hours. */
  inFlight(): number
}

/** What every worker of a generation is handed. */
export interface WorkerTools extends Tools, Omit<Connections, 'close'> {
  circuits: Circuits
  /** As the config of the generation has them. */
  folders: ReadonlyMap<string, IntakeFolder>
}

export interface WorkerSettings {
  config: Config
  asking: 'on_schedule' | 'by_hand' | 'never'
  /** Begin nothing new. */
  soft: AbortSignal
  /** Drop what is under way. */
  hard: AbortSignal
}

export function startWorkers(tools: WorkerTools, options: WorkerSettings): Workers {
  const { config, asking, soft, hard } = options
  const { uploads, follow } = config
  const uploader = startUploader(
    {
      ...tools,
      now_ms: () => tools.clock.now_ms(),
      small_file_bytes: uploads.small_file_bytes,
      follow_first_ms: follow.first_ms,
      retry: { first_ms: uploads.retry_first_ms, most_ms: uploads.retry_most_ms, max_attempts: uploads.max_attempts },
    },
    { calls_most: uploads.concurrency, signal: soft, hard_stop: hard },
  )
  const follower = startFollower({ ...tools, policy: followPolicy(config), list_from: follow.list_from }, soft)
  const labeler = startLabeler(tools, soft)
  const remover = startRemover(tools, soft)
  // A single pass has no time for it.
  const auditor = asking === 'on_schedule' ? startAuditor(tools, auditSettings(config), soft) : undefined
  const tidier = runWorker({
    name: 'tidier',
    step: async () => {
      await tools.ledger.tidy()
      return { wait_ms: hour_ms }
    },
    clock: tools.clock,
    pulses: tools.pulses,
    signal: soft,
    on_error: (error) => tools.report.fault('tidier', error),
  })
  const prompts = asking !== 'never' && config.prompts.length > 0 ? startAsking(tools, options) : undefined
  const wakes: Partial<Record<WorkKind, () => void>> = {
    send: () => uploader.worker.wake(),
    follow: () => follower.worker.wake(),
    label: () => labeler.worker.wake(),
    remove: () => remover.worker.wake(),
    audit: () => auditor?.wake(),
    prompt: () => prompts?.by_kind.prompt?.wake(),
    run: () => prompts?.by_kind.run.wake(),
    delivery: () => prompts?.by_kind.delivery.wake(),
  }
  return {
    uploader,
    prompts,
    all: [
      uploader.worker,
      follower.worker,
      labeler.worker,
      remover.worker,
      tidier,
      ...(auditor ? [auditor] : []),
      ...(prompts?.all ?? []),
    ],
    wake: (kind) => wakes[kind]?.(),
    inFlight: () => uploader.inFlight() + follower.inFlight() + labeler.inFlight() + remover.inFlight(),
  }
}

function startAsking(tools: WorkerTools, { config, asking, soft, hard }: WorkerSettings): PromptWorkers {
  const { circuits: circuit, clock, receivers: http, prompt_report: report } = tools
  const environment = readEnvironment().for_commands
  const delivery_tools = { http, clock, signal: hard, environment }
  const run_tools = { ...tools, circuit, report, asking: config.asking, soft, hard }
  return startPrompts(run_tools, config.prompts, delivery_tools, { on_schedule: asking === 'on_schedule' })
}
