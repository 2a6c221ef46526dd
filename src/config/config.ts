import type { Environment } from './environment.ts'
import { check, type Fault } from './faults.ts'
import { defaultStateDir, expandPath } from './resolve/local-paths.ts'
import { resolveDelivery, resolved, resolvePrompt } from './resolve/resolve-prompts.ts'
import { constants } from './schema/constants.ts'
import type { CheckedConfig } from './schema/schema.ts'
import { log_schema } from './schema/schema-limits.ts'

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/**
 * The configuration as the program uses it: complete, checked and frozen. schema.ts and
 * constants.ts say what each field means, and why it has its value. Durations are numbers in the
 * unit of their name, sizes are bytes, paths are absolute.
 */
export type Config = DeepReadonly<ReturnType<typeof resolveConfig>>
export type ServiceConfig = Config['service']
export type FolderConfig = Config['folders'][number]
/** A prompt with a schedule. */
export type PromptConfig = Config['prompts'][number]
export type DeliveryConfig = PromptConfig['deliver'][number]
export type LogConfig = Config['log']

/** Fills in values that depend on the environment or on other fields, and freezes the result. */
export function resolveConfig(checked: CheckedConfig, environment: Environment) {
  const { service, folders, prompts, alerts } = checked
  const { home, log_level: level, log_format: format } = environment
  const state_dir = checked.state_dir === undefined ? defaultStateDir(environment) : expandPath(checked.state_dir, home)
  const around = { checked, state_dir, home }
  return frozen({
    service: {
      ...resolved(service, home),
      /** Without a trailing slash; paths of calls begin with /v1. */
      base_url: service.base_url.replace(/\/+$/, ''),
    },
    folders: folders.map((folder) => ({
      ...folder,
      settle_cap_ms: Math.max(constants.folder.settle_cap_ms, folder.settle_ms),
      path: expandPath(folder.path, home),
      project_id: folder.project_id ?? service.project_id,
    })),
    /** Absolute directory of the ledger and the other state. */
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
    prompts: prompts.map((prompt) => resolvePrompt(prompt, around)),
    alerts: {
      ...constants.alerts,
      /** With unique names. */
      deliver: alerts.deliver.map((delivery) => resolveDelivery(delivery, around)),
      /** Has url, which is a secret, or url_file, which contains it. */
      ...(alerts.ping && { ping: resolved(alerts.ping, home) }),
    },
    log: { ...constants.log, ...check(log_schema, { ...checked.log, ...resolved({ level, format }, home) }).output! },
  })
}

/** Variables must pass the check of the field that they replace. */
export function environmentFaults({ log_level, log_format }: Environment): Fault[] {
  const { level, format } = log_schema.shape
  return [
    ...check(level, log_level).faults.map(({ message }) => `SLUICE_LOG_LEVEL ${message}`),
    ...check(format, log_format).faults.map(({ message }) => `SLUICE_LOG_FORMAT ${message}`),
  ].map((message) => ({ path: [], message, place: 'elsewhere' }))
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}
