import { join, resolve } from 'node:path'
import { askingPaths, isNoAnswer } from '../base/files/ask-paths.ts'
import { direct_paths, type Paths } from '../base/files/paths.ts'
import { causeOf, codeOf, isSluiceError, SluiceError } from '../base/run/errors.ts'
import { decodeText, EncodingFault } from '../base/text/decode-text.ts'
import { token_pattern } from '../base/text/scrub.ts'
import type { Config } from './config.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { tokenFault } from './token-fault.ts'

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
  const checked = tokenIn(token, source)
  return { token: () => checked, source, reload: async () => false }
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
    const token = tokenIn(environment.token, 'the variable SLUICE_TOKEN')
    return { token, source: 'environment SLUICE_TOKEN', warnings: [] }
  }
  throw new SluiceError({
    code: 'account.token_missing',
    message: 'there is no token to show to the service',
    hint: 'put it into a file (chmod 600) and name that as service.token_file, or set SLUICE_TOKEN_FILE or SLUICE_TOKEN',
  })
}

function fromFile(file: string, named_by: string, paths: Paths) {
  const { token, mode } = readToken(file, named_by, paths)
  const is_open = (mode & 0o077) !== 0
  const warnings = is_open
    ? [`the token file ${file} is open to group or others: chmod 600 ${file}`]
    : []
  return { token, source: `file ${file} (${named_by})`, warnings }
}

/**
 * The token among the systemd credentials; undefined if they include none. systemd protects their
 * directory, so its modes need no warning.
 */
function fromCredential(file: string, paths: Paths) {
  try {
    const { token } = readToken(file, 'CREDENTIALS_DIRECTORY', paths)
    return { token, source: 'systemd credential token', warnings: [] }
  } catch (error) {
    if (isSluiceError(error) && codeOf(error.cause) === 'ENOENT') return undefined
    throw error
  }
}

function readToken(file: string, named_by: string, paths: Paths): { token: string; mode: number } {
  try {
    const { kind, mode, bytes } = paths.read(file, max_token_file_bytes)
    if (kind !== 'file') throw new Error('not a file')
    return { token: tokenIn(decodeText(bytes), `token file ${file}`), mode }
  } catch (error) {
    if (isNoAnswer(error) || isSluiceError(error, 'account.token_malformed')) throw error
    if (error instanceof EncodingFault) throw malformed(`token file ${file}`, error.message)
    if (codeOf(error) === 'ENOENT' && /(^|\/)pat_/.test(file)) throw tokenForPath(named_by)
    throw new SluiceError({
      code: 'account.token_unreadable',
      message: `cannot read the token file ${file}: ${causeOf(error)}`,
      hint: `${named_by} names it: check that it is there and who may read it`,
      cause: error,
    })
  }
}

/** Shows nothing of the path: it may be the token. */
function tokenForPath(named_by: string): SluiceError {
  return new SluiceError({
    code: 'account.token_unreadable',
    message: `${named_by} holds a token, where the path of its file is wanted`,
    hint: `put the token into a file (chmod 600), and give the path of that as ${named_by}`,
  })
}

function tokenIn(text: string, where: string): string {
  const token = text.trim()
  if (!token_pattern.test(token)) throw malformed(where, tokenFault(text))
  return token
}

/** The message shows no content: a password may stand in the wrong file. */
function malformed(where: string, why: string): SluiceError {
  return new SluiceError({
    code: 'account.token_malformed',
    message: `${where} holds no valid token: ${why}`,
    hint: 'the 32 are printable ones without spaces; the file holds nothing but the token',
  })
}
