import { direct_paths } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { formatCount } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import type { UserFact } from '../../domain/fact.ts'
import { file_reasons, type SkipReason } from '../../domain/file-reasons.ts'
import { isTypePattern, refusedTypeIn } from '../../domain/file-type.ts'
import { holdsUploads } from '../../domain/trouble.ts'
import { contentThing, fileThing } from '../../ledger/refused-facts.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { FileView } from '../../ledger/views/view-files.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import type { DisappearanceWait, PassView, WaitingFiles } from '../../ledger/views/view-pass.ts'
import { filesNamedBy, isThere, knownFiles, nothingMatches } from './known-files.ts'
import { type Place, placeOf } from './place.ts'

/** A request of a user about some files, with one fact for each place. */
export interface UserRequest {
  /** A path as FOLDER/PATH, or a pattern of the user. */
  where: string
  /** One for each file that a pattern names. */
  facts: readonly UserFact[]
}

/** The daemon takes the files of a pattern one by one: so many take five seconds. */
const max_pattern_files = 2_000

/**
 * The requests about these paths and patterns; without any, about every file. Errors `usage.path`:
 * one is in no folder or of no file, or a pattern matches none or too many.
 */
export function requestsOf(
  type: UserFact['type'],
  texts: readonly string[],
  { folders }: Pick<Config, 'folders'>,
  view: LedgerView | undefined,
  cwd: string,
  paths = direct_paths,
): UserRequest[] {
  const at = ({ folder, path }: Place): UserRequest => {
    return { where: path === '' ? folder : `${folder}/${path}`, facts: [{ type, folder, path }] }
  }
  const inAll = (path: string) => folders.map(({ name }) => at({ folder: name, path }))
  if (texts.length === 0) return inAll('')
  return texts.flatMap((text) => {
    if (type === 'accepted' && isTypePattern(text)) return inAll(text)
    if (type === 'removals_accepted') return at(placeOf(text, folders, cwd, paths))
    const named = filesNamedBy(text, folders, view, cwd, paths)
    if (named.some((place) => place.path !== '' && !isThere(place, folders, view, paths)))
      throw nothingMatches(text)
    if (named.every(({ matches }) => !matches)) return named.map(at)
    if (!view) throw nothingMatches(text)
    return { where: text, facts: factsOf(type, text, knownFiles(view, named, [])) }
  })
}

/** One fact for each file that waits for this command of the user. */
function factsOf(type: UserFact['type'], pattern: string, pages: Iterable<FileView[]>): UserFact[] {
  let matched = 0
  const facts: UserFact[] = []
  for (const page of pages) {
    matched += page.length
    const waiting = page.filter(
      (file) => waitsForAccept(file) === (type === 'accepted') && isStopped(file),
    )
    facts.push(...waiting.map(({ folder, path }) => ({ type, folder, path })))
    if (facts.length > max_pattern_files) {
      const message = `${pattern} matches more than ${formatCount(max_pattern_files)} files that are not ready`
      const hint = 'narrow the pattern, or name a directory, which has no limit: FOLDER/DIRECTORY'
      throw new SluiceError({ code: 'usage.path', message, hint })
    }
  }
  if (matched === 0) throw nothingMatches(pattern)
  return facts
}

/** Files that the settings skip are stopped only if `accept` uploads them all the same. */
function isStopped(file: FileView): boolean {
  return file.reason !== undefined && (file.stage !== 'skipped' || waitsForAccept(file))
}

function waitsForAccept({ reason = '' }: FileView): boolean {
  return (
    refusedTypeIn(reason) !== undefined ||
    file_reasons[reason as SkipReason]?.can_be_accepted === true
  )
}

/** The effect of a request. */
export interface Reached extends Amount {
  /**
   * `none`, except for `accept` of a whole folder that waits for the user about missing files. Then
   * the command is about these alone.
   */
  missing: DisappearanceWait
  /** True for `accept` of a whole folder whose project seems emptied on the service. */
  is_emptied: boolean
  is_paused: boolean
  /** The waits of the files; empty for a pattern. */
  waits: readonly WaitingFiles[]
  /** Open problems that hold up the uploads there, in words; empty for a pattern. */
  held_by: string[]
}

export const nothing_reached: Reached = {
  files: 0,
  bytes: 0,
  missing: 'none',
  is_emptied: false,
  is_paused: false,
  waits: [],
  held_by: [],
}

/** Counts what each request would change. */
export function reachedBy(
  requests: readonly UserRequest[],
  { folders }: Pick<Config, 'folders'>,
  pass: PassView,
  now_ms: number,
): Reached[] {
  const is_paused = pass.pause(now_ms) !== undefined
  const troubles = pass.troubles()
  const projectOf = (folder: string) => folders.find(({ name }) => name === folder)!.project_id
  return requests.map(({ facts }) => {
    const reached: Reached = { ...nothing_reached, is_paused }
    const [first] = facts
    if (first && facts.length === 1) {
      reached.waits = pass.waitsAt(first, now_ms)
      const things = [fileThing(first), contentThing(pass.contentAt(first) ?? 0)]
      reached.held_by = troubles
        .filter(({ stored_about }) => holdsUploads(stored_about, projectOf(first.folder), things))
        .map(({ message }) => message)
    }
    for (const fact of facts) {
      const { files, bytes } = pass.reachedBy(fact, now_ms)
      reached.files += files
      reached.bytes += bytes
      if (fact.type !== 'accepted' || fact.path !== '') continue
      reached.missing = pass.disappearanceIn(fact.folder)
      reached.is_emptied = pass.seemsEmptied(projectOf(fact.folder))
    }
    return reached
  })
}
