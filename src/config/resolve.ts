import type { Config } from './config.ts'
import type { Environment } from './environment.ts'
import { check, type Fault } from './faults.ts'
import { defaultStateDir, expandPath } from './local-paths.ts'
import { resolveAlerts } from './resolve-alerts.ts'
import { resolvePrompt } from './resolve-prompts.ts'
import type { CheckedConfig } from './schema.ts'
import { log_schema } from './schema-limits.ts'

/** Fills in what depends on the environment and on other fields, and freezes the whole. */
export function resolveConfig(checked: CheckedConfig, environment: Environment): Config {
  const { service, folders, log, prompts, smtp: _used_by_prompts, ...rest } = checked
  const expand = (path: string) => expandPath(path, environment.home)
  const state_dir = checked.state_dir === undefined ? defaultStateDir(environment) : expand(checked.state_dir)
  const log_level = check(log_schema.shape.level, environment.log_level).output
  const log_format = check(log_schema.shape.format, environment.log_format).output
  return frozen<Config>({
    service: {
      base_url: service.base_url.replace(/\/+$/, ''),
      project_id: service.project_id,
      ...(service.token_file === undefined ? {} : { token_file: expand(service.token_file) }),
      ...(service.ca_file === undefined ? {} : { ca_file: expand(service.ca_file) }),
    },
    folders: folders.map((folder) => ({
      ...folder,
      path: expand(folder.path),
      project_id: folder.project_id ?? service.project_id,
    })),
    ...rest,
    state_dir,
    prompts: prompts.map((prompt) => resolvePrompt(prompt, { checked, state_dir, expand })),
    alerts: resolveAlerts({ checked, expand }),
    log: {
      ...log,
      ...(environment.log_level === undefined ? {} : { level: log_level ?? log.level }),
      ...(environment.log_format === undefined ? {} : { format: log_format ?? log.format }),
    },
  })
}

/** Faults between two fields that are each in order by itself. */
export function relationFaults({ folders, uploads, follow, asking }: CheckedConfig): Fault[] {
  const faults: Fault[] = []
  folders.forEach(({ settle_ms, settle_cap_ms }, at) => {
    if (settle_cap_ms < settle_ms) {
      faults.push({ path: ['folders', at, 'settle_cap_ms'], message: 'must not be less than settle_ms' })
    }
  })
  if (uploads.retry_most_ms < uploads.retry_first_ms) {
    faults.push({ path: ['uploads', 'retry_most_ms'], message: 'must not be less than retry_first_ms' })
  }
  if (follow.most_ms < follow.first_ms) {
    faults.push({ path: ['follow', 'most_ms'], message: 'must not be less than first_ms' })
  }
  if (asking.most_ms < asking.first_ms) {
    faults.push({ path: ['asking', 'most_ms'], message: 'must not be less than first_ms' })
  }
  if (asking.deliver_most_ms < asking.deliver_first_ms) {
    faults.push({ path: ['asking', 'deliver_most_ms'], message: 'must not be less than deliver_first_ms' })
  }
  return faults
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
