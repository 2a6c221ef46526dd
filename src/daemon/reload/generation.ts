import { setMaxListeners } from 'node:events'
import type { Worker } from '../../base/run/worker.ts'
import type { Config } from '../../config/config.ts'
import type { WorkKind } from '../../ledger/ledger.ts'
import type { Circuits } from '../../sync/circuits.ts'
import type { IntakeFolder } from '../../sync/intake/intake.ts'
import type { Connections } from '../open-remote.ts'
import type { Tools } from '../tools.ts'

/** Dependencies shared by all workers of one configuration. */
export interface WorkerTools extends Tools, Pick<Connections, 'remote' | 'receivers'> {
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

/** A worker that has started. Where `inFlight` is absent, all it does is in the ledger at once. */
export interface Started {
  worker: Worker
  /** What is being worked on and is not in the ledger yet. */
  inFlight?(): number
  /** Resolves when what was begun has ended. */
  drained?(): Promise<void>
  /** How many calls for uploads may be out at once now. */
  width?(): number
  /** The service asked for less at once. */
  slowDown?(): void
}

export interface WorkerKind {
  /** It is woken where a commit makes work of this kind; absent: time alone wakes it. */
  wakes_on?: WorkKind
  /** Undefined where this run of Sluice has no use for it. */
  start(tools: WorkerTools, settings: WorkerSettings): Started | undefined
}

export interface GenerationParts extends Pick<WorkerSettings, 'config' | 'asking'> {
  tools: Tools
  connections: Connections
  circuits: Circuits
  folders: WorkerTools['folders']
}

/**
 * All that goes out of the machine, made from one config: connections, and the workers that use
 * them. A reload begins the next one and tells this one to begin nothing new; it ends by itself
 * when what it has in hand is done, which for a large upload may take hours. The ledger knows what
 * each of them has in flight, so that no two ever work on the same.
 */
export type Generation = ReturnType<typeof startGeneration>

export function startGeneration(kinds: readonly WorkerKind[], parts: GenerationParts) {
  const { config, asking, tools, connections, circuits, folders } = parts
  const soft = new AbortController()
  const hard = new AbortController()
  // Every worker and every rest listens to it: many, and bounded by the number of workers.
  setMaxListeners(0, soft.signal, hard.signal)
  tools.bandwidth.follow(config.uploads.bandwidth)
  const worker_tools = { ...tools, ...connections, circuits, folders }
  const settings = { config, asking, soft: soft.signal, hard: hard.signal }
  const started = kinds.flatMap(({ wakes_on, start }) => {
    const one = start(worker_tools, settings)
    return one ? [{ ...one, wakes_on }] : []
  })
  const sum = (counts: readonly (number | undefined)[]) => counts.reduce<number>((all, count = 0) => all + count, 0)

  async function drained(): Promise<void> {
    await Promise.all(started.map((one) => one.drained?.()))
  }

  return {
    config,
    /** Of its service; shared with the others that speak to the same one. */
    circuits,
    connections,
    /** Those who have work of this kind; absent: all. */
    wake(kind?: WorkKind): void {
      for (const { worker, wakes_on } of started) if (kind === undefined || wakes_on === kind) worker.wake()
    },
    inFlight: () => sum(started.map((one) => one.inFlight?.())),
    /** How many calls for uploads may be out at once now. */
    width: () => sum(started.map((one) => one.width?.())),
    /** The service asked for less at once. */
    slowDown(): void {
      for (const one of started) one.slowDown?.()
    },
    /** Begin nothing new. */
    stop: () => soft.abort(),
    /** Drop what is under way. */
    abort: () => hard.abort(),
    /** After `stop`: resolves when the uploads and the runs that were begun have ended. */
    drained,
    /** After `stop`: the same, and every worker has ended. */
    async ended(): Promise<void> {
      await Promise.all(started.map(({ worker }) => worker.ended))
      // The last step of a worker may still hand something to those who are waited for next.
      await drained()
    },
  }
}
