import { isSluiceError } from '../base/errors.ts'
import type { Config, ServiceConfig } from './config.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { type Fault, pathText } from './faults.ts'
import { addressWarnings, checkValue, faultLines, findFile, invalid_hint, readText } from './load.ts'
import { field, inService, listOf } from './local-paths.ts'
import { parseYaml } from './yaml-source.ts'

/** What is in order of a configuration with faults: entries of lists that have some are left out, sections have their defaults. */
export interface UsableConfig extends Omit<Config, 'service'> {
  /** Undefined where its address or project is not in order. */
  readonly service: ServiceConfig | undefined
}

export interface ExaminedConfig {
  /** Undefined where none was found. */
  file: string | undefined
  /** One line each; empty when all is in order. */
  faults: string[]
  /** The fields that they are about: `service.token_file`. */
  fields: string[]
  hint: string | undefined
  warnings: string[]
  /** Undefined where nothing could be read at all. */
  usable: UsableConfig | undefined
}

/** For `doctor`, which goes on where `loadConfig` throws. `looks_at_paths` as in checkValue. */
export function examineConfig(options: {
  file?: string | undefined
  env?: NodeJS.ProcessEnv
  looks_at_paths: boolean
}): ExaminedConfig {
  const environment = readEnvironment(options.env)
  let file: string | undefined
  try {
    file = findFile(options.file ?? environment.config_file, environment).file
    return examineText(readText(file), file, inService(environment, file), options.looks_at_paths)
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return { file, faults: [error.message], fields: [], hint: error.hint, warnings: [], usable: undefined }
  }
}

function examineText(text: string, file: string, environment: Environment, looks_at_paths: boolean): ExaminedConfig {
  const source = parseYaml(text)
  const is_parsed = source.value !== undefined || source.faults.length === 0
  const checked = is_parsed ? checkValue(source.value ?? {}, environment, looks_at_paths) : undefined
  const told = new Set(source.faults.map(({ path }) => pathText(path)))
  const others = (checked?.faults ?? []).filter(({ path }) => path.length === 0 || !told.has(pathText(path)))
  const all = [...source.faults, ...others]
  const faults = faultLines(all, file, source.placeOf)
  const usable = is_parsed ? usablePart(source.value, environment, looks_at_paths) : undefined
  return {
    file,
    faults,
    fields: all.map(({ path }) => pathText(path)),
    hint: faults.length > 0 ? invalid_hint : undefined,
    warnings: usable?.service ? addressWarnings({ service: usable.service }) : [],
    usable,
  }
}

/** Stands in for what is not in order, so that the rest can be checked; never seen outside. */
const placeholder = {
  service: { base_url: 'https://unusable.invalid', project_id: 'project_00000000000000000000' },
  folder: { name: 'unusable', path: '/unusable.invalid' },
}
/** A fault that is taken out may bring one out that it hid: a prompt of a folder that is gone now. */
const most_rounds = 8

function usablePart(value: unknown, environment: Environment, looks_at_paths: boolean): UsableConfig | undefined {
  const plain = { ...environment, log_level: undefined, log_format: undefined }
  let rest: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  let has_service = true
  for (let round = 0; round < most_rounds; round++) {
    const has_folders = listOf(rest.folders).length > 0
    const whole = has_folders ? rest : { ...rest, folders: [placeholder.folder] }
    const { config, faults } = checkValue(whole, plain, looks_at_paths)
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
  return path[0] === 'service' && (path.length === 1 || path[1] === 'base_url' || path[1] === 'project_id')
}

function without(value: Record<string, unknown>, faults: readonly Fault[]): Record<string, unknown> {
  const rest = { ...value }
  for (const section of new Set(faults.map(({ path }) => String(path[0])))) {
    const inside = faults.filter(({ path }) => String(path[0]) === section)
    if (section === 'service') rest.service = serviceWithout(value.service, inside)
    else if (section === 'folders' || section === 'prompts') rest[section] = entriesWithout(value[section], inside)
    else delete rest[section]
  }
  return rest
}

function entriesWithout(entries: unknown, faults: readonly Fault[]): unknown[] {
  const bad = new Set(faults.map(({ path }) => path[1]))
  return bad.has(undefined) ? [] : listOf(entries).filter((_, at) => !bad.has(at))
}

function serviceWithout(service: unknown, faults: readonly Fault[]): object {
  const bad = new Set(faults.map(({ path }) => String(path[1])))
  const known =
    typeof service === 'object' && service !== null && !Array.isArray(service) ? Object.entries(service) : []
  const kept = known.filter(([key]) => !bad.has(key) && field(service, key) !== undefined)
  return { ...placeholder.service, ...Object.fromEntries(kept) }
}
