import type { Config } from './config.ts'
import { constants } from './constants.ts'
import type { Environment } from './environment.ts'
import { check, type Fault } from './faults.ts'
import { defaultStateDir, expandPath } from './local-paths.ts'
import { resolveAlerts } from './resolve-alerts.ts'
import { given, resolvePrompt } from './resolve-prompts.ts'
import type { CheckedConfig } from './schema.ts'
import { log_schema } from './schema-limits.ts'

/** Fills in what depends on the environment and on other fields, and freezes the whole. */
export function resolveConfig(checked: CheckedConfig, environment: Environment): Config {
  const { service, folders, prompts } = checked
  const expand = (path: string) => expandPath(path, environment.home)
  const state_dir = checked.state_dir === undefined ? defaultStateDir(environment) : expand(checked.state_dir)
  const said = given({ level: environment.log_level, format: environment.log_format })
  return frozen<Config>({
    service: {
      base_url: service.base_url.replace(/\/+$/, ''),
      project_id: service.project_id,
      ...(service.token_file === undefined ? {} : { token_file: expand(service.token_file) }),
      ...(service.ca_file === undefined ? {} : { ca_file: expand(service.ca_file) }),
    },
    folders: folders.map((folder) => ({
      ...folder,
      settle_cap_ms: Math.max(constants.folder.settle_cap_ms, folder.settle_ms),
      path: expand(folder.path),
      project_id: folder.project_id ?? service.project_id,
    })),
    state_dir,
    uploads: { ...constants.uploads, ...checked.uploads },
    follow: { ...constants.follow },
    audit: { ...constants.audit, ...checked.audit },
    removal: { ...constants.removal, ...checked.removal },
    hashing: { ...constants.hashing },
    scan: { ...constants.scan },
    watching: { ...constants.watching },
    ledger: checked.ledger,
    asking: { ...constants.asking, ...checked.asking },
    health: { ...constants.health, ...checked.health },
    watchdog: { ...constants.watchdog },
    prompts: prompts.map((prompt) => resolvePrompt(prompt, { checked, state_dir, expand })),
    alerts: resolveAlerts({ checked, expand }),
    log: { ...constants.log, ...check(log_schema, { ...checked.log, ...said }).output! },
  })
}

/** Variables that stand for a field must be as the field must be. */
export function environmentFaults({ log_level, log_format }: Environment): Fault[] {
  return [
    ...check(log_schema.shape.level, log_level).faults.map(({ message }) => `SLUICE_LOG_LEVEL ${message}`),
    ...check(log_schema.shape.format, log_format).faults.map(({ message }) => `SLUICE_LOG_FORMAT ${message}`),
  ].map((message) => ({ path: [], message, place: 'elsewhere' }))
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}
