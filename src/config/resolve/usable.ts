import type { Paths } from '../../base/files/paths.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import type { Config, ServiceConfig } from '../config.ts'
import { type Environment, readEnvironment } from '../environment.ts'
import { type Fault, faultLines, pathText } from '../faults.ts'
import {
  addressWarnings,
  checkText,
  checkValue,
  findFile,
  invalid_hint,
  readText,
} from '../load.ts'
import { inService, listOf } from './local-paths.ts'

/**
 * The valid part of a configuration: list entries with faults are left out, sections get defaults.
 */
export interface UsableConfig extends Omit<Config, 'service'> {
  /** Undefined if its address or project is invalid. */
  readonly service: ServiceConfig | undefined
}

export type ExaminedConfig = ReturnType<typeof examineConfig>

/** Examines a configuration for `doctor`, which continues where `loadConfig` throws. */
export function examineConfig(options: {
  file?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
  paths: Paths
}) {
  const { paths } = options
  const environment = readEnvironment(options.env)
  /** Undefined if no file was found. */
  let file: string | undefined
  try {
    file = findFile(options.file ?? environment.config_file, environment, paths).file
    return {
      file,
      ...examineText(readText(file, paths), file, inService(environment, file), paths),
    }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return {
      file,
      faults: [error.message],
      fields: [] as string[],
      hint: error.hint,
      warnings: [],
      usable: undefined,
    }
  }
}

function examineText(text: string, file: string, environment: Environment, paths: Paths) {
  const { faults, value, is_read, placeOf } = checkText(text, environment, paths)
  const usable = is_read ? usablePart(value, environment, paths) : undefined
  return {
    /** One line for each fault; empty without faults. */
    faults: faultLines(faults, file, placeOf),
    /** Fields with faults: `service.token_file`. */
    fields: faults.map(({ path }) => pathText(path)),
    hint: faults.length > 0 ? invalid_hint : undefined,
    warnings: usable?.service ? addressWarnings({ service: usable.service }) : [],
    /** The config without its faulty parts; undefined if no part of the text can be used. */
    usable,
  }
}

/** Replaces invalid parts, so that the rest can be checked. Never returned. */
const placeholder = {
  service: { base_url: 'https://unusable.invalid', project_id: 'project_00000000000000000000' },
  folder: { name: 'unusable', path: '/unusable.invalid' },
}
/** Removing one fault may cause another, as in a prompt whose folder is removed. */
const max_rounds = 8

function usablePart(
  value: unknown,
  environment: Environment,
  paths: Paths,
): UsableConfig | undefined {
  let rest: Record<string, unknown> =
    typeof value === 'object' && value !== null ? { ...value } : {}
  let has_service = true
  for (let round = 0; round < max_rounds; round++) {
    const has_folders = listOf(rest.folders).length > 0
    const whole = has_folders ? rest : { ...rest, folders: [placeholder.folder] }
    const { config, faults } = checkValue(whole, environment, paths)
    if (config) {
      const folders = has_folders ? config.folders : []
      return { ...config, folders, service: has_service ? config.service : undefined }
    }
    has_service &&= !faults.some(isAboutService)
    rest = without(rest, faults)
  }
  return undefined
}

function isAboutService({ path }: Fault): boolean {
  return (
    path[0] === 'service' &&
    (path.length === 1 || path[1] === 'base_url' || path[1] === 'project_id')
  )
}

function without(
  value: Record<string, unknown>,
  faults: readonly Fault[],
): Record<string, unknown> {
  const rest = { ...value }
  for (const section of new Set(faults.map(({ path }) => String(path[0])))) {
    const bad = new Set(faults.filter(({ path }) => path[0] === section).map(({ path }) => path[1]))
    if (section === 'service') rest.service = serviceWithout(value.service, bad)
    else if (section !== 'folders' && section !== 'prompts') delete rest[section]
    else
      rest[section] = bad.has(undefined)
        ? []
        : listOf(value[section]).filter((_, at) => !bad.has(at))
  }
  return rest
}

/** `bad` holds the fields with faults; undefined in it stands for the whole section. */
function serviceWithout(service: unknown, bad: ReadonlySet<unknown>): object {
  if (bad.has(undefined)) return placeholder.service
  const kept = Object.entries(service as object).filter(
    ([key, value]) => !bad.has(key) && value !== undefined,
  )
  return { ...placeholder.service, ...Object.fromEntries(kept) }
}
