import { setMaxListeners } from 'node:events'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Circuits } from '../sync/circuits.ts'
import { openConnections } from './open-remote.ts'
import type { Tools } from './tools.ts'
import { startWorkers, type WorkerSettings, type WorkerTable, type WorkerTools } from './workers.ts'

/** A generation whose connections are open, and whose workers are not at work yet. */
export type PreparedGeneration = ReturnType<typeof prepareGeneration>

/**
 * All that goes out of the machine, made from one config: connections, and the workers that use
 * them. A reload begins the next one and tells this one to begin nothing new; it ends by itself
 * when what it has in hand is done, which for a large upload may take hours. The ledger knows what
 * each of them has in flight, so that no two ever work on the same.
 */
export type Generation = ReturnType<PreparedGeneration['begin']>

/** Finds out what of a config cannot be used, before anything of it is in force. Errors: `config.*`, `network.proxy_address`. */
export function prepareGeneration(
  config: Config,
  first_secrets: Secrets,
  circuits: Circuits,
  { tools, workers: table, asking }: Pick<WorkerSettings, 'asking'> & { tools: Tools; workers: WorkerTable },
) {
  let secrets = first_secrets
  const { close, ...connections } = openConnections(config, () => secrets.token(), tools)
  return {
    begin(folders: WorkerTools['folders']) {
      const soft = new AbortController()
      const hard = new AbortController()
      // Every worker and every rest listens to it: many, and bounded by the number of workers.
      setMaxListeners(0, soft.signal, hard.signal)
      tools.bandwidth.follow(config.uploads.bandwidth)
      const worker_tools = { ...tools, ...connections, circuits, folders }
      return {
        ...startWorkers(table, worker_tools, { config, asking, soft: soft.signal, hard: hard.signal }),
        config,
        /** Of its service; shared with the others that speak to the same one. */
        circuits,
        /** Reads the token again where it came from; true when it is another one. */
        reloadToken: () => secrets.reload(),
        /** Calls to the service carry this token from now on: only where it is the same service. */
        takeToken(newer: Secrets): void {
          secrets = newer
        },
        /** Begin nothing new. */
        stop: () => soft.abort(),
        /** Drop what is under way. */
        abort: () => hard.abort(),
        /** Ends every request at once. */
        close,
      }
    },
    /** In the place of `begin`. */
    close,
  }
}
