import type { Environment } from './environment.ts'
import { type Fault, pathText } from './faults.ts'
import { defaultStateDir, expandPath, field } from './resolve/local-paths.ts'
import { resolveDelivery, resolved, resolvePrompt } from './resolve/resolve-prompts.ts'
import { constants } from './schema/constants.ts'
import type { CheckedConfig } from './schema/schema.ts'

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value

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
  const { home } = environment
  const state_dir =
    checked.state_dir === undefined
      ? defaultStateDir(environment)
      : expandPath(checked.state_dir, home)
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
    page: { ...resolved(checked.page, home), base_url: checked.page.base_url?.replace(/\/+$/, '') },
    alerts: {
      ...constants.alerts,
      /** With unique names. */
      deliver: alerts.deliver.map((delivery) => resolveDelivery(delivery, around)),
      /** Has url, which is a secret, or url_file, which contains it. */
      ...(alerts.ping && { ping: resolved(alerts.ping, home) }),
    },
    log: { ...constants.log, ...checked.log },
  })
}

/** Fields that the variable SLUICE_NAME comes before. */
const replaceable = [
  { name: 'base_url', path: ['service', 'base_url'] },
  { name: 'project_id', path: ['service', 'project_id'] },
  { name: 'state_dir', path: ['state_dir'] },
  { name: 'log_level', path: ['log', 'level'] },
  { name: 'log_format', path: ['log', 'format'] },
] as const

/**
 * Puts variables in place of fields of the file. `variables`: names of those that are set.
 * `blamed`: makes a fault of such a field one of its variable.
 */
export function withVariables(written: unknown, environment: Environment) {
  let value = written
  const variables = new Map<string, string>()
  for (const { name, path } of replaceable) {
    const text = environment[name]
    if (text === undefined) continue
    variables.set(pathText(path), `SLUICE_${name.toUpperCase()}`)
    value = withField(value, path, text)
  }
  const blamed = (fault: Fault): Fault => {
    const variable = variables.get(pathText(fault.path))
    return variable
      ? { path: [], message: `${variable} ${fault.message}`, place: 'elsewhere' }
      : fault
  }
  return { value, variables: [...variables.values()], blamed }
}

/** A section that is not a map stays: it has a fault of its own. */
function withField(
  value: unknown = {},
  [name, ...deeper]: readonly string[],
  text: string,
): unknown {
  if (name === undefined) return text
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return { ...value, [name]: withField(field(value, name), deeper, text) }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}
