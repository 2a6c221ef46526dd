import type { Worker } from '../base/worker.ts'
import type { DeliveryTools } from '../deliver/deliver.ts'
import { startDeliverer } from './deliverer.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { startReporter } from './reporter.ts'
import type { RunTools } from './run-tools.ts'
import { startScheduler } from './scheduler.ts'

export interface PromptWorkers {
  all: readonly Worker[]
  /** Whom to wake for which kind of work. */
  by_kind: Record<'run' | 'delivery', Worker> & { prompt: Worker | undefined }
  /** Runs and deliveries that are being worked on and are not in the ledger yet. */
  inFlight(): number
  /** Resolves when what was begun has ended. */
  drained(): Promise<void>
}

/** The ledger knows the prompts already (factsOfPrompts). Without `on_schedule` only runs that are there already are asked. */
export function startPrompts(
  tools: Omit<RunTools, 'prompts'>,
  prompts: readonly PromptSettings[],
  delivery_tools: DeliveryTools,
  { on_schedule }: { on_schedule: boolean },
): PromptWorkers {
  const by_name = new Map(prompts.map((settings) => [settings.name, settings]))
  const run_tools: RunTools = { ...tools, prompts: by_name }
  const { ledger, clock, report, pulses, soft } = tools
  const on_fault = (what: string, error: unknown) => report.fault(what, error)
  const scheduler = on_schedule ? startScheduler({ ledger, clock, prompts, on_fault, pulses }, soft) : undefined
  const reporter = startReporter(run_tools)
  const deliverer = startDeliverer(run_tools, delivery_tools)
  return {
    all: [...(scheduler ? [scheduler] : []), reporter.worker, deliverer.worker],
    by_kind: { prompt: scheduler, run: reporter.worker, delivery: deliverer.worker },
    inFlight: () => reporter.inFlight() + deliverer.inFlight(),
    drained: async () => void (await Promise.all([reporter.drained(), deliverer.drained()])),
  }
}
