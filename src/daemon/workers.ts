import type { Worker } from '../base/worker.ts'
import type { Config } from '../config/config.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import type { Circuits } from '../sync/circuits.ts'
import type { IntakeFolder } from '../sync/intake.ts'
import type { Uploader } from '../sync/uploader.ts'
import type { Connections } from './open-remote.ts'
import type { Tools } from './tools.ts'

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

/** A worker that has started. Where `inFlight` is absent, all it does is in the ledger at once. */
export interface Started {
  worker: Worker
  /** What is being worked on and is not in the ledger yet. */
  inFlight?(): number
  /** Resolves when what was begun has ended. */
  drained?(): Promise<void>
}

interface WorkerKind {
  /** It is woken where a commit makes work of this kind; absent: time alone wakes it. */
  wakes_on?: WorkKind
  /** Undefined where this run of Sluice has no use for it. */
  start(tools: WorkerTools, settings: WorkerSettings): Started | undefined
}

/** In the order of the data; by name, of which the uploader's alone is known here: the service may ask it for less. */
export interface WorkerTable extends Record<string, WorkerKind> {
  uploader: Omit<WorkerKind, 'start'> & { start(tools: WorkerTools, settings: WorkerSettings): Uploader }
}

export interface Workers {
  uploader: Uploader
  wake(kind: WorkKind): void
  inFlight(): number
  /** Resolves when what was begun has ended. */
  drained(): Promise<void>
  /** Resolves when every worker has ended. */
  ended(): Promise<void>
}

export function startWorkers(table: WorkerTable, tools: WorkerTools, settings: WorkerSettings): Workers {
  const { uploader: upload, ...others } = table
  const uploader = upload.start(tools, settings)
  const started: (Started & Pick<WorkerKind, 'wakes_on'>)[] = [{ ...upload, ...uploader }]
  for (const kind of Object.values(others)) {
    const one = kind.start(tools, settings)
    if (one) started.push({ ...kind, ...one })
  }
  return {
    uploader,
    wake(kind) {
      for (const { worker, wakes_on } of started) if (wakes_on === kind) worker.wake()
    },
    inFlight: () => started.reduce((sum, { inFlight }) => sum + (inFlight?.() ?? 0), 0),
    drained: async () => void (await Promise.all(started.map(({ drained }) => drained?.()))),
    ended: async () => void (await Promise.all(started.map(({ worker }) => worker.ended))),
  }
}
