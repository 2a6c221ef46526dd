import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Fact } from '../domain/fact.ts'
import { factsOfPrompts } from '../prompts/configure-prompts.ts'
import { type Circuits, createCircuits } from '../sync/circuits.ts'
import { rulesText } from '../sync/folder-settings.ts'
import { startLabeler } from '../sync/follow/labeler.ts'
import { startRemover } from '../sync/follow/remover.ts'
import { closeTools } from './close.ts'
import { auditSettings } from './limits.ts'
import { openReceivers } from './open-remote.ts'
import {
  type Generation,
  type PreparedGeneration,
  prepareGeneration,
  startAuditor,
  startFollower,
  startPromptScheduler,
  startReportDeliverer,
  startRunReporter,
  startTidier,
  startUploader,
} from './reload/generation.ts'
import { keepFolders } from './reload/kept-folders.ts'
import { createReloads, projectsOf, type ReloadParts, type Reloads } from './reload/reload.ts'
import { type Daemon, runDaemon } from './running-daemon.ts'
import { openTools, type ToolOptions, type Tools } from './tools.ts'
import type { WorkerTable } from './workers.ts'

export interface DaemonOptions extends ToolOptions {
  secrets: Secrets
  /** `run` watches until it is stopped; `once` looks at every folder a single time. */
  mode: 'run' | 'once'
  /** Look at these folders alone; work on the others that is begun already goes on. Absent: all of the config. */
  only_folders?: readonly string[] | undefined
  /** Mode `once` asks as well what a person wants asked; nothing is asked by its schedule. Who asks watches the run. */
  asks_by_hand?: boolean
}

/**
 * Every worker in the order of the data. They never call one another: facts go in, work comes out. Before them come the keepers of
 * the folders (`kept-folders.ts`): disk -> file_settled, file_gone.
 */
const workers: WorkerTable = {
  uploader: { wakes_on: 'send', start: startUploader }, //                 wanted -> sent, ingesting
  follower: { wakes_on: 'follow', start: startFollower }, //               ingesting -> ready, refused
  labeler: { wakes_on: 'label', start: (tools, { soft }) => startLabeler(tools, soft) }, //  ready -> labelled
  remover: { wakes_on: 'remove', start: (tools, { soft }) => startRemover(tools, soft) }, // unused -> removed
  auditor: { wakes_on: 'audit', start: startAuditor }, //                  ready -> seen on the service, or gone there
  scheduler: { wakes_on: 'prompt', start: startPromptScheduler }, //       clock -> run_due
  reporter: { wakes_on: 'run', start: startRunReporter }, //               run_due -> report written
  deliverer: { wakes_on: 'delivery', start: startReportDeliverer }, //     report, alert -> receivers
  tidier: { start: startTidier }, //                                       old history -> gone
}

/**
 * THE MAIN JOB. Opens the ledger, makes the workers, lets each commit wake those that it has work for; `runDaemon` closes in
 * reverse. Errors on start: `ledger.locked`, `database.*`, `config.*`. A token that is refused is no error here but a trouble in
 * the ledger.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, secrets, clock, mode } = options
  const asking = mode === 'run' ? 'on_schedule' : options.asks_by_hand ? 'by_hand' : 'never'
  const tools = await openTools(options)
  try {
    const is_audited = mode === 'run'
    const makeCircuits = () => circuitsOf(() => reloads.current(), tools, is_audited)
    const prepare: ReloadParts['prepare'] = (...of) => prepareGeneration(...of, { tools, asking, workers })
    const factsOf = (config: Config) => factsOfConfig(config, tools, { asks: asking !== 'never' })
    const first = prepare(config, secrets, makeCircuits())
    await recordStart(first, tools, { at_work: mode === 'run', facts: () => factsOf(config) })
    const folders = keepFolders(tools, config, { watch: mode === 'run', only: options.only_folders })
    folders.configure(config)
    const parts = { tools, folders, makeCircuits, prepare, factsOf }
    const reloads: Reloads = createReloads(parts, first.begin(folders.settings()), secrets)
    return runDaemon({ tools, folders, reloads, mode, receivers: () => openReceivers(clock) })
  } catch (error) {
    await closeTools(tools)
    throw error
  }
}

function circuitsOf(current: () => Generation, tools: Tools, is_audited: boolean): Circuits {
  return createCircuits({
    ...tools,
    get projects() {
      return projectsOf(current().config)
    },
    get audited() {
      return is_audited ? auditSettings(current().config).projects : []
    },
    reloadToken: () => current().reloadToken(),
    onSlowDown: () => current().slowDown(),
  })
}

/** In one transaction: before anything of the config can come due. */
async function recordStart(
  first: PreparedGeneration,
  { ledger, clock }: Tools,
  { at_work, facts }: { at_work: boolean; facts: () => Promise<Fact[]> },
): Promise<void> {
  try {
    const since = at_work ? [{ type: 'daemon_at_work' as const, since_ms: clock.now_ms() }] : []
    await ledger.record([{ type: 'daemon_started' }, ...since, ...(await facts())])
  } catch (error) {
    await first.close()
    throw error
  }
}

/** What the ledger is to know of a config. */
async function factsOfConfig({ folders, prompts }: Config, tools: Tools, { asks }: { asks: boolean }): Promise<Fact[]> {
  return [
    ...folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: folders.map(({ name }) => name) },
    ...(asks ? await factsOfPrompts(tools.ledger, prompts, tools.prompt_report) : []),
  ]
}
