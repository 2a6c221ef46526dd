import { hour_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { createIgnoreRules } from '../disk/ignore.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import { type PromptWorkers, startPrompts } from '../prompts/start-prompts.ts'
import { Circuits } from '../sync/circuits.ts'
import { type FolderKeeper, keepFolder } from '../sync/folder-keeper.ts'
import { startFollower } from '../sync/follower.ts'
import { createIntake } from '../sync/intake.ts'
import { startLabeler } from '../sync/labeler.ts'
import { startLooker } from '../sync/looker.ts'
import { startUploader, type Uploader } from '../sync/uploader.ts'
import { followPolicy } from './limits.ts'
import type { Tools } from './tools.ts'

export interface Workers {
  circuits: Circuits
  keepers: ReadonlyMap<string, FolderKeeper>
  uploader: Uploader
  /** Absent where nothing is asked: no prompts, or a single pass. */
  prompts: PromptWorkers | undefined
  /** All but the keepers' own. */
  all: readonly Worker[]
  /** Wakes those who have work of this kind to do. */
  wake(kind: WorkKind): void
  /** Every file that is being worked on and is not in the ledger yet; an answer that is waited for may take hours. */
  inFlight(): number
}

export interface WorkerSettings {
  config: Config
  watch: boolean
  asking: 'on_schedule' | 'by_hand' | 'never'
  /** Scan and watch these alone; absent: all of the config. */
  only_folders?: readonly string[] | undefined
  reloadToken: () => boolean
  /** Begin nothing new. */
  soft: AbortSignal
  /** Drop what is under way. */
  hard: AbortSignal
}

export function startWorkers(tools: Tools, options: WorkerSettings): Workers {
  const { config, watch, asking, only_folders, reloadToken, soft, hard } = options
  const projects = [...new Set([...config.folders, ...config.prompts].map(({ project_id }) => project_id))]
  const circuits = new Circuits({ ...tools, projects, reloadToken, onSlowDown: () => uploader.slowDown() })
  const folders = new Map(
    config.folders.map((folder) => [folder.name, { settings: folder, rules: createIgnoreRules(folder.path, folder) }]),
  )
  const intake = createIntake({ ...tools, folders, empty_folder_files: config.scan.empty_folder_files })
  const looker = startLooker({ ...tools, intake }, soft)
  const keepers = new Map(
    [...folders.values()]
      .filter(({ settings: { name } }) => only_folders === undefined || only_folders.includes(name))
      .map(({ settings: folder, rules }) => [
        folder.name,
        keepFolder(folder, rules, { ...tools, intake, ...config.scan }, { watch, signal: soft }),
      ]),
  )
  const { uploads, follow } = config
  const uploader = startUploader(
    {
      ...tools,
      circuits,
      folders,
      now_ms: () => tools.clock.now_ms(),
      small_file_bytes: uploads.small_file_bytes,
      follow_first_ms: follow.first_ms,
      retry: { first_ms: uploads.retry_first_ms, most_ms: uploads.retry_most_ms, max_attempts: uploads.max_attempts },
    },
    { connections: uploads.concurrency, signal: soft, hard_stop: hard },
  )
  const follower = startFollower(
    { ...tools, circuits, policy: followPolicy(config), list_from: follow.list_from },
    soft,
  )
  const labeler = startLabeler({ ...tools, circuits }, soft)
  const tidier = runWorker({
    name: 'tidier',
    step: async () => {
      await tools.ledger.tidy()
      return { wait_ms: hour_ms }
    },
    clock: tools.clock,
    signal: soft,
    on_error: (error) => tools.report.fault('tidier', error),
  })
  const prompts = asking !== 'never' && config.prompts.length > 0 ? startAsking(tools, circuits, options) : undefined
  const wakes: Record<WorkKind, () => void> = {
    look: () => looker.wake(),
    send: () => uploader.worker.wake(),
    follow: () => follower.worker.wake(),
    label: () => labeler.worker.wake(),
    scan: () => {
      for (const keeper of keepers.values()) keeper.wake()
    },
    prompt: () => prompts?.by_kind.prompt?.wake(),
    run: () => prompts?.by_kind.run.wake(),
    delivery: () => prompts?.by_kind.delivery.wake(),
  }
  return {
    circuits,
    keepers,
    uploader,
    prompts,
    all: [looker, uploader.worker, follower.worker, labeler.worker, tidier, ...(prompts?.all ?? [])],
    wake: (kind) => wakes[kind](),
    inFlight: () => intake.inFlight() + uploader.inFlight() + follower.inFlight() + labeler.inFlight(),
  }
}

function startAsking(tools: Tools, circuit: Circuits, { config, asking, soft, hard }: WorkerSettings): PromptWorkers {
  const { clock, receivers: http, prompt_report: report } = tools
  const environment = readEnvironment().for_commands
  const delivery_tools = { http, clock, signal: hard, environment }
  const run_tools = { ...tools, circuit, report, asking: config.asking, soft, hard }
  return startPrompts(run_tools, config.prompts, delivery_tools, { on_schedule: asking === 'on_schedule' })
}
