import { refuseFewOpenFiles } from '../base/run/open-files.ts'
import { openFilesNeeded } from '../config/open-files.ts'
import type { Secrets } from '../config/secrets.ts'
import { unlessRefused } from '../ledger/refused-facts.ts'
import { startLabeler } from '../sync/follow/labeler.ts'
import { startNamer } from '../sync/follow/namer.ts'
import { startRemover } from '../sync/follow/remover.ts'
import { type Connections, openConnections, openReceivers } from './connections.ts'
import type { WorkerKind } from './reload/generation.ts'
import { keepFolders } from './reload/kept-folders.ts'
import { createReloads, factsOfConfig } from './reload/reload.ts'
import { type Daemon, runDaemon } from './running-daemon.ts'
import { closeTools, openTools, type ToolOptions } from './tools.ts'
import {
  startAuditor,
  startFollower,
  startPromptScheduler,
  startReportDeliverer,
  startRunReporter,
  startTidier,
  startUploader,
} from './workers.ts'

export interface DaemonOptions extends ToolOptions {
  secrets: Secrets
  /** `run` watches until it is stopped; `once` scans every folder a single time. */
  mode: 'run' | 'once'
  /** Folders to scan; work already begun for others goes on. Absent: all folders. */
  only_folders?: readonly string[] | undefined
  /** Mode `once`: also works on runs requested by hand. The caller waits for them. */
  asks_by_hand?: boolean
}

/**
 * Every worker in the order of the data; a new one gets a line here. They never call one another:
 * facts go in, work comes out. Which fact wakes which worker stands in `ledger/fact-table.ts`. The
 * ledger hands out each piece of work once: it stays in flight until its worker releases it
 * (`ledger/claims/in-flight.ts`), so no two workers have the same content. Before them come the
 * keepers of the folders (`reload/kept-folders.ts`), which outlive each configuration:
 * disk -> file_settled, file_gone.
 */
const workers: readonly WorkerKind[] = [
  { wakes_on: 'send', start: startUploader }, //            wanted -> sent, ingesting
  { wakes_on: 'follow', start: startFollower }, //          ingesting -> ready, refused
  { wakes_on: 'label', start: startLabeler }, //            ready -> labelled
  { wakes_on: 'name', start: startNamer }, //             moved -> renamed on the service
  { wakes_on: 'remove', start: startRemover }, //           unused -> removed
  { wakes_on: 'audit', start: startAuditor }, //            ready -> confirmed by the service, or gone there
  { wakes_on: 'prompt', start: startPromptScheduler }, //   clock -> run_due
  { wakes_on: 'run', start: startRunReporter }, //          run_due -> report written
  { wakes_on: 'delivery', start: startReportDeliverer }, // report, alert -> receivers
  { start: startTidier }, //                                old history -> gone
]

/**
 * Opens the ledger and starts the workers. Each commit then wakes the workers that it has work for.
 * `runDaemon` closes in reverse. Errors on start: `ledger.locked`, `database.*`, `config.*`. A
 * refused token is no error here: it becomes a trouble in the ledger.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, secrets, clock, mode } = options
  const asking = mode === 'run' ? 'on_schedule' : options.asks_by_hand ? 'by_hand' : 'never'
  refuseFewOpenFiles('this configuration', openFilesNeeded(config, mode ?? 'run'))
  const tools = await openTools(options)
  let connections: Connections | undefined
  try {
    connections = await openConnections(config, secrets, tools)
    const at_work =
      mode === 'run' ? [{ type: 'daemon_at_work' as const, since_ms: clock.now_ms() }] : []
    const configured = await factsOfConfig(config, tools, asking)
    // A refused fact of one folder must not keep the others from their work.
    await unlessRefused(
      tools.ledger.record([{ type: 'daemon_started' }, ...at_work, ...configured]),
    )
    const folders = keepFolders(tools, config, {
      watch: mode === 'run',
      only: options.only_folders,
    })
    folders.configure(config)
    // A reload starts new workers. Uploads that have begun end under the config they began with.
    const reloads = createReloads(
      { tools, folders, asking, workers },
      { config, secrets, connections },
    )
    return runDaemon({ tools, folders, reloads, mode, receivers: () => openReceivers(clock) })
  } catch (error) {
    await connections?.close()
    await closeTools(tools)
    throw error
  }
}
