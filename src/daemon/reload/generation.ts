import { setMaxListeners } from 'node:events'
import type { Worker } from '../../base/run/worker.ts'
import type { Config } from '../../config/config.ts'
import type { WorkKind } from '../../ledger/ledger.ts'
import type { Circuits } from '../../sync/circuits.ts'
import type { IntakeFolder } from '../../sync/folder-settings.ts'
import type { Connections } from '../connections.ts'
import type { Tools } from '../tools.ts'

/** Dependencies shared by all workers of one configuration. */
export interface WorkerTools extends Tools, Pick<Connections, 'remote' | 'receivers'> {
  circuits: Circuits
  /** Folders with the settings of this generation's config. */
  folders: ReadonlyMap<string, IntakeFolder>
}

export interface WorkerSettings {
  config: Config
  asking: 'on_schedule' | 'by_hand' | 'never'
  /** Aborts when no new work may begin. */
  soft: AbortSignal
  /** Aborts when running work must be dropped. */
  hard: AbortSignal
}

/** A started worker. Without `inFlight`, all its work is in the ledger at once. */
export interface Started {
  worker: Worker
  /** Work that has begun and is not in the ledger yet. */
  inFlight?(): number
  /** Resolves when all work that has begun is over. */
  drained?(): Promise<void>
  /** Maximum number of parallel upload calls at this moment. */
  width?(): number
  /** Called when the service asks for fewer parallel calls. */
  slowDown?(): void
}

export interface WorkerKind {
  /** Kind of work that wakes it after a commit; absent: only time wakes it. */
  wakes_on?: WorkKind
  /** Undefined if this run of Sluice does not need the worker. */
  start(tools: WorkerTools, settings: WorkerSettings): Started | undefined
}

export interface GenerationParts extends Pick<WorkerSettings, 'config' | 'asking'> {
  tools: Tools
  connections: Connections
  circuits: Circuits
  folders: WorkerTools['folders']
}

/**
 * All outgoing work of one config: its connections, and the workers that use them. A reload starts
 * the next generation and stops new work in this one. It ends when its running work is done, which
 * may take hours for a large upload. The ledger knows what each generation has in flight, so no two
 * work on the same item.
 */
export type Generation = ReturnType<typeof startGeneration>

export function startGeneration(kinds: readonly WorkerKind[], parts: GenerationParts) {
  const { config, asking, tools, connections, circuits, folders } = parts
  const soft = new AbortController()
  const hard = new AbortController()
  // Every worker and every wait listens to these, so the number of workers is the bound.
  setMaxListeners(0, soft.signal, hard.signal)
  tools.bandwidth.follow(config.uploads.bandwidth)
  const worker_tools = { ...tools, ...connections, circuits, folders }
  const settings = { config, asking, soft: soft.signal, hard: hard.signal }
  const started = kinds.flatMap(({ wakes_on, start }) => {
    const one = start(worker_tools, settings)
    return one ? [{ ...one, wakes_on }] : []
  })
  const sum = (counts: readonly (number | undefined)[]) =>
    counts.reduce<number>((all, count = 0) => all + count, 0)

  async function drained(): Promise<void> {
    await Promise.all(started.map((one) => one.drained?.()))
  }

  return {
    config,
    /** Circuits of its service, shared with other generations that use the same service. */
    circuits,
    connections,
    /** Wakes the workers for this kind of work; absent: all. */
    wake(kind?: WorkKind): void {
      for (const { worker, wakes_on } of started) {
        if (kind === undefined || wakes_on === kind) worker.wake()
      }
    },
    inFlight: () => sum(started.map((one) => one.inFlight?.())),
    width: () => sum(started.map((one) => one.width?.())),
    slowDown(): void {
      for (const one of started) one.slowDown?.()
    },
    stop: () => soft.abort(),
    abort: () => hard.abort(),
    /** After `stop`: resolves when the uploads and runs that have begun are over. */
    drained,
    /** After `stop`: resolves when that work and every worker have ended. */
    async ended(): Promise<void> {
      await Promise.all(started.map(({ worker }) => worker.ended))
      // The last step of a worker may still start work that must be waited for.
      await drained()
    },
  }
}
