import { setMaxListeners } from 'node:events'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import type { Circuits } from '../sync/circuits.ts'
import type { IntakeFolder } from '../sync/intake.ts'
import { openConnections } from './open-remote.ts'
import type { Tools } from './tools.ts'
import { startWorkers, type WorkerSettings, type WorkerTable } from './workers.ts'

/**
 * All that goes out of the machine, made from one config: connections, and the workers that use
 * them. A reload begins the next one and tells this one to begin nothing new; it ends by itself
 * when what it has in hand is done, which for a large upload may take hours. The ledger knows what
 * each of them has in flight, so that no two ever work on the same.
 */
export interface Generation {
  readonly config: Config
  /** Of its service; shared with the others that speak to the same one. */
  readonly circuits: Circuits
  wake(kind: WorkKind): void
  inFlight(): number
  /** How many calls for uploads may be out at once now. */
  width(): number
  /** The service asked for less at once. */
  slowDown(): void
  /** Reads the token again where it came from; true when it is another one. */
  reloadToken(): boolean
  /** Calls to the service carry this token from now on: only where it is the same service. */
  takeToken(secrets: Secrets): void
  /** Begin nothing new. */
  stop(): void
  /** After `stop`: resolves when the uploads and the runs that were begun have ended. */
  drained(): Promise<void>
  /** After `stop`: the same, and every worker has ended. */
  ended(): Promise<void>
  /** Drop what is under way. */
  abort(): void
  /** Ends every request at once. */
  close(): Promise<void>
}

export interface GenerationParts extends Pick<WorkerSettings, 'asking'> {
  tools: Tools
  workers: WorkerTable
}

/** A generation whose connections are open, and whose workers are not at work yet. */
export interface PreparedGeneration {
  begin(folders: ReadonlyMap<string, IntakeFolder>): Generation
  /** In the place of `begin`. */
  close(): Promise<void>
}

/** Finds out what of a config cannot be used, before anything of it is in force. Errors: `config.*`, `network.proxy_address`. */
export function prepareGeneration(
  config: Config,
  first_secrets: Secrets,
  circuits: Circuits,
  parts: GenerationParts,
): PreparedGeneration {
  let secrets = first_secrets
  const { tools, asking } = parts
  const connections = openConnections(config, () => secrets.token(), tools)

  function begin(folders: ReadonlyMap<string, IntakeFolder>): Generation {
    const soft = new AbortController()
    const hard = new AbortController()
    // Every worker and every rest listens to it: many, and bounded by the number of workers.
    setMaxListeners(0, soft.signal, hard.signal)
    tools.bandwidth.follow(config.uploads.bandwidth)
    const { remote, receivers } = connections
    const workers = startWorkers(
      parts.workers,
      { ...tools, remote, receivers, circuits, folders },
      { config, asking, soft: soft.signal, hard: hard.signal },
    )
    return {
      config,
      circuits,
      wake: (kind) => workers.wake(kind),
      inFlight: () => workers.inFlight(),
      width: () => workers.uploader.width(),
      slowDown: () => workers.uploader.slowDown(),
      reloadToken: () => secrets.reload(),
      takeToken(newer) {
        secrets = newer
      },
      stop: () => soft.abort(),
      drained: () => workers.drained(),
      async ended() {
        // The last step of a worker may still hand something to those who are waited for next.
        await workers.ended()
        await workers.drained()
      },
      abort: () => hard.abort(),
      close: () => connections.close(),
    }
  }
  return { begin, close: () => connections.close() }
}
