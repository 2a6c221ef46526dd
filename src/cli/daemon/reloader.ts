import { askingPaths, isNoAnswer } from '../../base/files/ask-paths.ts'
import type { Paths } from '../../base/files/paths.ts'
import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import type { Log } from '../../base/text/log.ts'
import type { Config } from '../../config/config.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { openSecrets } from '../../config/secrets.ts'
import type { Reloaded } from '../../control/control-verbs.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'

export interface Reloader {
  /**
   * Reads the configuration and the token again and puts them in force. One reload runs at a time:
   * calls during one share the next, which reads the file again. It logs errors and throws them:
   * those of the configuration and of Daemon.reload.
   */
  reload(): Promise<Reloaded>
}

/** Hooks around each reload, for the service manager. They must not throw. */
export interface ReloadHooks {
  onReloading(): Promise<void>
  /** The reload has ended, with the new or with the old configuration in force. */
  onReady(): Promise<void>
}

export function createReloader(options: {
  daemon: Daemon
  /** Reads the configuration as at the start, with the flags of the command line. */
  load: (paths: Paths) => LoadedConfig
  log: Log
  hooks: ReloadHooks
  /** Sentences about rights that a configuration needs and the systemd unit does not give. */
  unitFit(config: Config): string[]
}): Reloader {
  const { daemon, load, log, hooks, unitFit } = options
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<Reloaded> | undefined

  async function reloadNow(): Promise<Reloaded> {
    await hooks.onReloading()
    try {
      const { config, file, warnings, secrets, token_warnings } = await askingPaths(
        (paths) => {
          const loaded = load(paths)
          return { ...loaded, ...tokenOf(loaded.config, paths) }
        },
        { onSilent: (path) => log.warn(`${path} does not answer: the reload goes on without it`) },
      )
      const outcome = { ...(await daemon.reload(config, secrets)), unit: unitFit(config) }
      for (const warning of [...warnings, ...token_warnings, ...outcome.unit]) log.warn(warning)
      log.info({ config: file }, `reloaded: ${outcomeText(outcome)}`)
      return outcome
    } catch (error) {
      logRefusal(error, log)
      throw error
    } finally {
      await hooks.onReady()
    }
  }

  return {
    reload() {
      next ??= current.then(() => {
        next = undefined
        const reloading = reloadNow()
        current = reloading.catch(() => {})
        return reloading
      })
      return next
    },
  }
}

/** `secrets`: undefined if their file does not answer; then the earlier ones stay in force. */
function tokenOf(config: Config, paths: Paths) {
  try {
    const { secrets, warnings } = openSecrets(config, undefined, paths)
    return { secrets, token_warnings: warnings }
  } catch (error) {
    if (!isNoAnswer(error)) throw error
    const kept = `the token is not read again, and the earlier one stays in force: ${messageOf(error)}`
    return { secrets: undefined, token_warnings: [kept] }
  }
}

/** `2 folders added, 1 prompt changed`, and what waits for the next start. */
export function outcomeText({ changes, at_next_start }: Omit<Reloaded, 'unit'>): string {
  const changed = changes.length === 0 ? 'nothing changed' : changes.join(', ')
  return at_next_start.length === 0
    ? changed
    : `${changed}; at the next start: ${at_next_start.join(', ')}`
}

/** Logs a line for each fault, then their effect. */
function logRefusal(error: unknown, log: Log): void {
  for (const line of messageOf(error).split('\n')) log.error(line)
  const hint = isSluiceError(error) ? error.hint : undefined
  log.error({ err: error, hint }, 'not reloaded: the earlier configuration stays in force')
}
