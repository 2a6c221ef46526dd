import { join, resolve } from 'node:path'
import { isNoAnswer, noAnswer } from '../base/files/ask-paths.ts'
import { direct_paths, type Paths, readSmallText } from '../base/files/paths.ts'
import { causeOf, codeOf, SluiceError, systemWords } from '../base/run/errors.ts'
import { EncodingFault } from '../base/text/decode-text.ts'
import { shellWord } from '../base/text/format.ts'
import { token_pattern } from '../base/text/scrub.ts'
import { type Config, resolveConfig, withVariables } from './config.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { check, type Fault, faultLines } from './faults.ts'
import { inService, pathFaults, wholeFile } from './resolve/local-paths.ts'
import { alertFaults, promptFaults } from './resolve/prompt-faults.ts'
import { withoutEchoes } from './resolve/slips.ts'
import { openSecretFiles } from './resolve/targets.ts'
import { config_schema } from './schema/schema.ts'
import { parseYaml } from './yaml-source.ts'

export interface LoadedConfig {
  config: Config
  /** The content of the file, with `variables` in their places. */
  written: unknown
  /** Absolute path. */
  file: string
  /** Earlier places of the search that exist but cannot be read. */
  passed_over: PassedOver[]
  /** Names of the set variables that come before fields of the file. */
  variables: string[]
  /** Sentences about settings that are allowed but may be mistakes. */
  warnings: string[]
}

export interface PassedOver {
  file: string
  /** Error code: `EACCES`. */
  why: string
}

/** Hand-written files are a few KB, so a larger file is the wrong one. */
const max_config_bytes = 1_000_000

/**
 * Reads and checks the configuration. Without `file` (--config), the places of `configFiles` are
 * tried in turn. `log_level` of a flag comes before the variable and the file. Errors:
 * `config.missing`, `config.unreadable`, `config.untrusted`, and `config.invalid` with a line for
 * every fault. `path.no_answer`: the state directory does not answer, so nothing is known. Absent
 * `paths`: the paths are asked in this thread.
 */
export function loadConfig(
  options: {
    file?: string | undefined
    log_level?: 'debug' | 'warn' | undefined
    env?: NodeJS.ProcessEnv
    paths?: Paths
  } = {},
): LoadedConfig {
  const { paths = direct_paths } = options
  const found = readEnvironment(options.env)
  const { file, passed_over } = findFile(options.file ?? found.config_file, found, paths)
  const environment = { ...inService(found, file), log_level: options.log_level ?? found.log_level }
  const { config, value, variables, faults, placeOf } = checkText(
    readText(file, paths),
    environment,
    paths,
  )
  if (!config) throw invalid(faultLines(faults, file, placeOf))
  if (paths.look(config.state_dir).is_silent) throw noAnswer(config.state_dir)
  return {
    config,
    written: value,
    file,
    passed_over,
    variables,
    warnings: [...addressWarnings(config), ...openSecretFiles(config, paths)],
  }
}

/**
 * Parses a text. Returns its configuration and all faults; `is_read`: its fields could be checked.
 */
export function checkText(text: string, environment: Environment, paths: Paths) {
  const { value: written, faults, placeOf } = parseYaml(text)
  const is_read = written !== undefined || faults.length === 0
  const { value, variables, blamed } = withVariables(written, environment)
  const checked = is_read
    ? checkValue(value ?? {}, environment, paths)
    : { config: undefined, faults: [] }
  // A secret is a fault of its own, and so is its field.
  const reported_lines = new Set(faults.map(({ place }) => lineOf(place)))
  const others = checked.faults.filter(({ path }) => !reported_lines.has(lineOf(placeOf(path))))
  const all = [...faults, ...others.map(blamed)]
  return {
    config: all.length > 0 ? undefined : checked.config,
    variables,
    faults: all,
    value,
    is_read,
    placeOf,
  }
}

function lineOf(place: Fault['place']): number | undefined {
  return typeof place === 'object' ? place.line : undefined
}

/** Makes a configuration from a plain object, for `init` and tests. */
export function configFromObject(
  value: unknown,
  env?: NodeJS.ProcessEnv,
  paths = direct_paths,
): Config {
  const { config, faults } = checkValue(value, readEnvironment(env), paths)
  if (!config) throw invalid(faultLines(faults))
  return config
}

/** Places of the configuration if none is named; the first readable file is used. */
export function configFiles(environment: Environment): string[] {
  return [
    ...inCurrentDirectory(),
    join(environment.config_home, 'sluice', 'sluice.yaml'),
    '/etc/sluice/sluice.yaml',
  ]
}

/** Empty if the current directory was deleted. */
function inCurrentDirectory(): string[] {
  try {
    return [resolve('sluice.yaml')]
  } catch {
    return []
  }
}

export function checkValue(
  value: unknown,
  environment: Environment,
  paths: Paths,
): { config: Config | undefined; faults: Fault[] } {
  const { output, faults } = check(config_schema, value)
  const whole = wholeFile(value, environment, paths)
  const between = [...pathFaults(whole), ...promptFaults(whole), ...alertFaults(whole)]
  const is_empty = Object.keys(Object(value)).length === 0
  const all = is_empty ? [empty_file] : withoutEchoes([...faults, ...between], value, sections)
  return {
    config: output && all.length === 0 ? resolveConfig(output, environment) : undefined,
    faults: all,
  }
}

const sections = Object.keys(config_schema.shape)
const empty_file: Fault = { path: [], message: 'the file is empty: sluice init writes one' }

function invalid(lines: readonly string[]): SluiceError {
  return new SluiceError({ code: 'config.invalid', message: lines.join('\n'), hint: invalid_hint })
}

export const invalid_hint =
  'docs/config.md describes every field; config/sluice.example.yaml is a file to start from'

/**
 * Returns the named file, or the first place that this user may read. Under `sudo -u sluice` the
 * current directory may be the closed home of root. Errors: `config.missing`, `config.unreadable`,
 * `config.untrusted`.
 */
export function findFile(
  named: string | undefined,
  environment: Environment,
  paths: Paths,
): { file: string; passed_over: PassedOver[] } {
  if (named !== undefined && token_pattern.test(named)) throw tokenForConfig()
  if (named !== undefined) return { file: resolve(named), passed_over: [] }
  const searched = configFiles(environment)
  const passed_over: PassedOver[] = []
  for (const file of searched) {
    const why = whyNotReadable(file, paths)
    if (why === undefined) {
      if (inCurrentDirectory().includes(file)) refuseForeign(file, paths)
      return { file, passed_over }
    }
    if (why !== 'absent') passed_over.push({ file, why })
  }
  throw notFound(searched, passed_over)
}

/** Shows nothing of the path: it is the token. */
function tokenForConfig(): SluiceError {
  return new SluiceError({
    code: 'config.missing',
    message: 'SLUICE_CONFIG or --config holds a token, where the path of a configuration is wanted',
    hint: 'put the token into a file (chmod 600), and name that file by SLUICE_TOKEN_FILE or service.token_file',
  })
}

function whyNotReadable(file: string, paths: Paths): string | undefined {
  const { closed, is_silent } = paths.look(file)
  if (is_silent) return 'no answer'
  if (closed === 'ENOENT' || closed === 'ENOTDIR') return 'absent'
  return closed && systemWords(closed)
}

function notFound(searched: readonly string[], passed_over: readonly PassedOver[]): SluiceError {
  const is_hidden = passed_over.length > 0
  const reasons = new Map(passed_over.map(({ file, why }) => [file, ` (cannot be read: ${why})`]))
  const places = searched.map((file) => `${file}${reasons.get(file) ?? ''}`)
  return new SluiceError({
    code: is_hidden ? 'config.unreadable' : 'config.missing',
    message: is_hidden
      ? `no configuration that this user may read: Sluice looked for ${places.join(', ')}`
      : `No configuration yet. Run \`sluice init\` to write one. Sluice looked for ${places.join(', ')}`,
    hint: is_hidden
      ? 'run this as the user that may read it (sudo -u sluice sluice …), or name another file by --config or SLUICE_CONFIG'
      : 'or name a file by --config or SLUICE_CONFIG; config/sluice.example.yaml is a file to start from',
  })
}

/**
 * A file in the current directory is used without being named, and it decides where the token goes.
 * So a file of another user is refused.
 */
function refuseForeign(file: string, paths: Paths): void {
  const uid = paths.look(file).stat?.uid
  const me = process.getuid?.()
  if (me === undefined || uid === me || uid === 0) return
  throw new SluiceError({
    code: 'config.untrusted',
    message: `${file} belongs to another user (uid ${uid})`,
    hint: 'if that is meant, name it: --config sluice.yaml',
  })
}

/** Errors: `config.missing`, `config.unreadable`, `config.invalid`, `path.no_answer`. */
export function readText(file: string, paths: Paths): string {
  try {
    return readSmallText(file, max_config_bytes, paths)
  } catch (error) {
    if (isNoAnswer(error)) throw error
    if (error instanceof EncodingFault) {
      const lines = error.before.split('\n')
      const place = { line: lines.length, column: lines.at(-1)!.length + 1 }
      throw invalid(faultLines([{ path: [], message: error.message, place }], file))
    }
    const is_missing = codeOf(error) === 'ENOENT'
    throw new SluiceError({
      code: is_missing ? 'config.missing' : 'config.unreadable',
      message: is_missing
        ? `there is no configuration at ${file}`
        : `cannot read ${file}: ${causeOf(error)}`,
      hint: is_missing
        ? `run \`sluice init --config ${shellWord(file)}\` to write one, or name another file by --config`
        : 'check what it is and who may read it',
      cause: error,
    })
  }
}

/** Warns about the address of the service. Accesses no path. */
export function addressWarnings({ service }: Pick<Config, 'service'>): string[] {
  const version = /\/v\d+$/.exec(service.base_url)?.[0]
  return version === undefined
    ? []
    : [`the address of the service ends in ${version}: Sluice adds /v1 itself, leave it off`]
}
