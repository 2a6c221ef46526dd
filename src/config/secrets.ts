import { join, resolve } from 'node:path'
import { askingPaths, isNoAnswer } from '../base/files/ask-paths.ts'
import { direct_paths, type Paths } from '../base/files/paths.ts'
import { codeOf, SluiceError } from '../base/run/errors.ts'
import { token_pattern } from '../base/text/scrub.ts'
import type { Config } from './config.ts'
import { type Environment, readEnvironment } from './environment.ts'

export interface Secrets {
  /** The token, for headers of calls to the API host only. */
  token(): string
  /** Origin of the token, for messages: `file /etc/sluice/token (service.token_file)`. */
  readonly source: string
  /**
   * Reads the token again; true if it has changed. Errors of `openSecrets`, or of a file that does
   * not answer; the old token stays then.
   */
  reload(): Promise<boolean>
}

/** A file with a token and a line end is far smaller. */
const max_token_file_bytes = 4_096

/**
 * Finds the token. The first source that is set counts: SLUICE_TOKEN_FILE, the systemd credential
 * `token`, service.token_file, SLUICE_TOKEN. Errors: `account.token_missing`,
 * `account.token_unreadable`, `account.token_malformed`, `path.no_answer`. Absent `paths`: the file
 * is read in this thread. `reload` never does so.
 */
export function openSecrets(
  config: Pick<Config, 'service'>,
  env?: NodeJS.ProcessEnv,
  paths: Paths = direct_paths,
): { secrets: Secrets; warnings: string[] } {
  const find = (from: Paths) => findToken(config.service.token_file, readEnvironment(env), from)
  let found = find(paths)
  const secrets: Secrets = {
    token: () => found.token,
    get source() {
      return found.source
    },
    async reload() {
      const before = found.token
      found = await askingPaths(find)
      return found.token !== before
    },
  }
  return { secrets, warnings: found.warnings }
}

/** Wraps a token that is in no file or variable yet, such as one typed in `init`. */
export function secretsOf(token: string): Secrets {
  const source = 'this answer'
  checkShape(token, source)
  return { token: () => token, source, reload: async () => false }
}

function findToken(token_file: string | undefined, environment: Environment, paths: Paths) {
  if (environment.token_file !== undefined)
    return fromFile(resolve(environment.token_file), 'SLUICE_TOKEN_FILE', paths)
  if (environment.credentials_directory !== undefined) {
    const credential = fromCredential(join(environment.credentials_directory, 'token'), paths)
    if (credential) return credential
  }
  if (token_file !== undefined) return fromFile(token_file, 'service.token_file', paths)
  if (environment.token !== undefined) {
    checkShape(environment.token, 'the variable SLUICE_TOKEN')
    return { token: environment.token, source: 'environment SLUICE_TOKEN', warnings: [] }
  }
  throw new SluiceError({
    code: 'account.token_missing',
    message: 'there is no token to show to the service',
    hint: 'put it into a file (chmod 600) and name that as service.token_file, or set SLUICE_TOKEN_FILE or SLUICE_TOKEN',
  })
}

function fromFile(file: string, named_by: string, paths: Paths) {
  const { text, mode } = readToken(file, named_by, paths)
  checkShape(text, `token file ${file}`)
  const is_open = (mode & 0o077) !== 0
  const warnings = is_open
    ? [`the token file ${file} is open to group or others: chmod 600 ${file}`]
    : []
  return { token: text, source: `file ${file} (${named_by})`, warnings }
}

/**
 * The token among the systemd credentials; undefined if they include none. systemd protects their
 * directory, so its modes need no warning.
 */
function fromCredential(file: string, paths: Paths) {
  try {
    const { text } = readToken(file, 'CREDENTIALS_DIRECTORY', paths)
    checkShape(text, `token file ${file}`)
    return { token: text, source: 'systemd credential token', warnings: [] }
  } catch (error) {
    if (error instanceof SluiceError && codeOf(error.cause) === 'ENOENT') return undefined
    throw error
  }
}

function readToken(file: string, named_by: string, paths: Paths): { text: string; mode: number } {
  try {
    const { kind, mode, bytes } = paths.read(file, max_token_file_bytes)
    if (kind !== 'file') throw Object.assign(new Error('not a file'), { code: 'not a file' })
    return { text: Buffer.from(bytes).toString('latin1').trim(), mode }
  } catch (error) {
    if (isNoAnswer(error)) throw error
    throw new SluiceError({
      code: 'account.token_unreadable',
      message: `cannot read the token file ${file}: ${codeOf(error)}`,
      hint: `${named_by} names it: check that it is there and who may read it`,
      cause: error,
    })
  }
}

/** The message shows no content: a password may stand in the wrong file. */
function checkShape(token: string, where: string): void {
  if (token_pattern.test(token)) return
  throw new SluiceError({
    code: 'account.token_malformed',
    message: `${where} holds no valid token: expected 36 characters, "pat_" and 32 more, got ${token.length === 0 ? 'an empty text' : token.length}`,
    hint: 'the 32 are printable ones without spaces; the file holds nothing but the token',
  })
}
