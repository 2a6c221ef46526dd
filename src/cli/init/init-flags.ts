import { basename, resolve } from 'node:path'
import { isSluiceError, SluiceError } from '../../base/run/errors.ts'
import { baseUrlFault } from '../../config/schema/schema-deliver.ts'
import { name_field } from '../../config/schema/schema-folder.ts'
import { durationFault } from '../../config/schema/units.ts'
import {
  isStartText,
  type OldVersions,
  type StartingFolder,
  type StartText,
} from '../../config/starting-config.ts'

/**
 * The answers on the command line. The program asks for undefined ones if it has a terminal, and
 * not with `yes`.
 */
export interface InitFlags {
  'base-url': string | undefined
  'token-file': string | undefined
  'ca-file': string | undefined
  project: string | undefined
  folder: readonly string[] | undefined
  start: string | undefined
  'old-versions': OldVersions | undefined
  yes: boolean
  force: boolean
}

export type NamedPath = Pick<StartingFolder, 'name' | 'path'>

/**
 * For a run that does not ask. Error `usage.missing`: the command line lacks an answer that has no
 * default. If only the project is missing, the service is asked first: its only project is taken,
 * and the error names several.
 */
export function refuseMissing(flags: InitFlags): void {
  const missing = [
    flags['base-url'] === undefined ? '--base-url URL' : '',
    flags['token-file'] === undefined ? '--token-file FILE' : '',
    flags.project === undefined ? '--project ID' : '',
    (flags.folder ?? []).length === 0 ? '--folder NAME=PATH' : '',
    flags.yes ? '' : '--yes',
  ].filter((flag) => flag !== '')
  if (missing.length === 0 || (missing.length === 1 && flags.project === undefined)) return
  const why = flags.yes ? '--yes asks nothing' : 'this is no terminal, so init cannot ask'
  throw new SluiceError({
    code: 'usage.missing',
    message: `${why}; these options are missing: ${missing.join(' ')}`,
    hint: `give them, or run \`sluice init\` ${flags.yes ? 'without --yes ' : ''}in a terminal`,
  })
}

/** Returns the fault of the service's address, if any. */
export function addressFault(text: string): string | undefined {
  return (
    baseUrlFault(text) ??
    (/\/v\d+\/?$/.test(text) ? 'must not end in /v1: Sluice adds it itself' : undefined)
  )
}

/** Errors `usage.invalid`, before anything is asked of the service. */
export function checkFlags(flags: InitFlags): {
  folders: NamedPath[]
  start: StartText | undefined
} {
  const fault = flags['base-url'] === undefined ? undefined : addressFault(flags['base-url'])
  if (fault) throw invalid(`--base-url ${fault}`)
  const start = flags.start?.replace(/^newer_than:? ?/, '')
  if (start !== undefined && !isStartText(start))
    throw invalid(
      `--start ${durationFault(start) ?? 'takes all, from_now, or an age from 0s on, such as 90d'}`,
    )
  return { folders: (flags.folder ?? []).map(namedPath), start }
}

/** `name=path`, or a path alone, which is named after its last part. */
function namedPath(text: string): NamedPath {
  const [, named, rest] = /^([^=/]*)=(.*)$/s.exec(text) ?? [undefined, undefined, text]
  if (rest === '' || rest === undefined) throw invalid(`--folder ${text} has no path`)
  const name = named ?? nameFor(rest)
  const fault = faultOfName(name)
  if (fault) throw invalid(`--folder ${text}: the name ${fault}`)
  return { name, path: wholePath(rest) }
}

/** As the config has it: absolute, or beginning with ~/. */
export function wholePath(text: string): string {
  const path = unquoted(text)
  return /^~(\/|$)/.test(path) ? path : resolve(path)
}

/** Without quotes around it, as file managers and shells write a path with spaces. */
export function unquoted(text: string): string {
  return /^(["'])(.+)\1$/.exec(text)?.[2] ?? text
}

/** A name for a folder, made of its path: `/srv/Old Papers` -> `old-papers`. */
export function nameFor(path: string): string {
  const letters = basename(path)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._]+/g, '-')
  return letters.replaceAll(/^[._-]+|-+$/g, '').slice(0, 64) || 'folder'
}

export function faultOfName(name: string): string | undefined {
  return faultOfField(name_field, name)
}

/** Why a field of the configuration cannot have this value. */
export function faultOfField(field: typeof name_field, value: string): string | undefined {
  return field.safeParse(value).error?.issues[0]?.message
}

/** The message of the error that a check throws; undefined where it passes. */
export async function faultOf(check: () => unknown): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return error.message
  }
}

function invalid(message: string): SluiceError {
  return new SluiceError({
    code: 'usage.invalid',
    message,
    hint: 'sluice init --help shows the options',
  })
}
