import type { Worker } from '../base/run/worker.ts'
import type { Config } from '../config/config.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import type { Circuits } from '../sync/circuits.ts'
import type { IntakeFolder } from '../sync/intake/intake.ts'
import type { Uploader } from '../sync/upload/uploader.ts'
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

export function startWorkers(table: WorkerTable, tools: WorkerTools, settings: WorkerSettings) {
  const { uploader: upload, ...others } = table
  const uploader = upload.start(tools, settings)
  const started: (Started & Pick<WorkerKind, 'wakes_on'>)[] = [{ ...upload, ...uploader }]
  for (const kind of Object.values(others)) {
    const one = kind.start(tools, settings)
    if (one) started.push({ ...kind, ...one })
  }

  async function drained(): Promise<void> {
    await Promise.all(started.map((one) => one.drained?.()))
  }

  return {
    wake(kind: WorkKind): void {
      for (const { worker, wakes_on } of started) if (wakes_on === kind) worker.wake()
    },
    inFlight: () => started.reduce((sum, { inFlight }) => sum + (inFlight?.() ?? 0), 0),
    /** How many calls for uploads may be out at once now. */
    width: uploader.width,
    /** The service asked for less at once. */
    slowDown: uploader.slowDown,
    /** After the soft signal: resolves when the uploads and the runs that were begun have ended. */
    drained,
    /** After the soft signal: the same, and every worker has ended. */
    async ended(): Promise<void> {
      await Promise.all(started.map(({ worker }) => worker.ended))
      // The last step of a worker may still hand something to those who are waited for next.
      await drained()
    },
  }
}
