import { SluiceError } from '../../base/run/errors.ts'
import { counted, formatAmount, formatBytes, formatCount, printable } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { ControlClient } from '../../control/control-client.ts'
import type { UserFact } from '../../domain/fact.ts'
import { file_reasons, type SkipReason } from '../../domain/file-reasons.ts'
import { isTypePattern, refusedTypeIn } from '../../domain/file-type.ts'
import { filesNamedBy, knownFiles, nothingMatches } from '../../inspect/files/known-files.ts'
import { type Place, placeOf } from '../../inspect/files/place.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { FileView } from '../../ledger/views/view-files.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import type { DisappearanceWait } from '../../ledger/views/view-pass.ts'
import { withLedgerView, withPassView } from '../../status/with-view.ts'
import { argument, defineCommand, flag, words } from '../command.ts'
import { passToDaemon } from '../daemon/beside-or-alone.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { printFitted, printNote } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const accept = defineCommand({
  options: (yargs) =>
    yargs
      .positional(
        'path',
        argument("a file, a directory or a folder, by place or as FOLDER/PATH, or a pattern; '*.gz': a type of files"),
      )
      .option('removals', flag('also remove from the service what was deleted or replaced there, without a limit')),
  run({ config, path, removals }, terminal) {
    return recordCommand(removals ? 'removals_accepted' : 'accepted', config, [path], terminal)
  },
})

export const retry = defineCommand({
  options: (yargs) =>
    yargs.positional(
      'paths',
      words(
        "files or directories, by where they are or as FOLDER/PATH, or patterns such as '*.gz'; without any, everything",
      ),
    ),
  run: ({ config, paths }, terminal) => recordCommand('retried', config, paths ?? [], terminal),
})

/**
 * Records a command of the user about some paths, through the daemon if one is running, and prints
 * how many files it concerns. Errors: `usage.path` before anything is recorded, `ledger.locked` if
 * a process that cannot be asked holds the ledger. Without paths it is about every file.
 */
async function recordCommand(
  type: UserFact['type'],
  config_file: string | undefined,
  paths: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { config } = loadConfig({ file: config_file })
  const requests = await withLedgerView(config.state_dir, (view) => requestsOf(type, paths, config, view))
  // Counted before anything is recorded: afterwards these files are on their way.
  const reached = await findReached(requests, config)
  // Without a ledger no file is known, so there is nothing to record.
  const is_running = reached === undefined || (await record(requests, config))
  for (const [index, request] of requests.entries()) {
    printFitted(terminal, outcomeText(type, request.where, reached?.[index] ?? nothing))
  }
  const changes = reached?.some(({ files, missing, is_emptied }) => files > 0 || missing !== 'none' || is_emptied)
  if (!is_running && changes) {
    printNote(terminal, 'no daemon is running: the next `sluice run` or `sluice sync` does it')
  }
  return exit_codes.ok
}

interface Request {
  /** A path as FOLDER/PATH, or a pattern of the user. */
  where: string
  /** One for each file that a pattern names. */
  facts: readonly UserFact[]
}

/** The daemon takes the files of a pattern one by one: so many take five seconds. */
const max_pattern_files = 2_000

function requestsOf(
  type: UserFact['type'],
  paths: readonly string[],
  { folders }: Config,
  view: LedgerView | undefined,
): Request[] {
  const at = ({ folder, path }: Place): Request => {
    return { where: path === '' ? folder : `${folder}/${path}`, facts: [{ type, folder, path }] }
  }
  const inAll = (path: string) => folders.map(({ name }) => at({ folder: name, path }))
  if (paths.length === 0) return inAll('')
  return paths.flatMap((text) => {
    if (type === 'accepted' && isTypePattern(text)) return inAll(text)
    if (type === 'removals_accepted') return at(placeOf(text, folders, process.cwd()))
    const named = filesNamedBy(text, folders, view, process.cwd())
    if (!view || named.every(({ matches }) => !matches)) return named.map(at)
    return { where: text, facts: factsOf(type, text, knownFiles(view, named, [])) }
  })
}

/** One fact for each file that waits for this command of the user. */
function factsOf(type: UserFact['type'], pattern: string, pages: Iterable<FileView[]>): UserFact[] {
  let matched = 0
  const facts: UserFact[] = []
  for (const page of pages) {
    matched += page.length
    const waiting = page.filter((file) => waitsForAccept(file) === (type === 'accepted') && isStopped(file))
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
  return refusedTypeIn(reason) !== undefined || file_reasons[reason as SkipReason]?.can_be_accepted === true
}

interface Reached extends Amount {
  /**
   * `none`, except for `accept` of a whole folder that waits for the user about missing files. Then
   * the command is about these alone.
   */
  missing: DisappearanceWait
  /** True for `accept` of a whole folder whose project seems emptied on the service. */
  is_emptied: boolean
  is_paused: boolean
}

const nothing: Reached = { files: 0, bytes: 0, missing: 'none', is_emptied: false, is_paused: false }

function findReached(requests: readonly Request[], { state_dir, folders }: Config): Promise<Reached[] | undefined> {
  return withPassView(state_dir, (pass) => {
    if (!pass) return undefined
    const is_paused = pass.pause(system_clock.now_ms()) !== undefined
    return requests.map(({ facts }) => {
      const reached = { ...nothing, is_paused }
      for (const fact of facts) {
        const { files, bytes } = pass.reachedBy(fact)
        reached.files += files
        reached.bytes += bytes
        if (fact.type !== 'accepted' || fact.path !== '') continue
        reached.missing = pass.disappearanceIn(fact.folder)
        reached.is_emptied = pass.seemsEmptied(folders.find(({ name }) => name === fact.folder)!.project_id)
      }
      return reached
    })
  })
}

/** Records the facts, through a daemon if one is running. Returns true if a daemon took them. */
function record(requests: readonly Request[], config: Config): Promise<boolean> {
  const facts = requests.flatMap((request) => request.facts)
  return passToDaemon(config, {
    async to_daemon(control) {
      for (const { type, folder, path } of facts) {
        await verbs[type](control, { folder, path })
      }
    },
    to_ledger: () => facts,
  })
}

const verbs: Record<UserFact['type'], (control: ControlClient, place: Place) => Promise<void>> = {
  accepted: (control, place) => control.accept(place),
  retried: (control, place) => control.retry(place),
  removals_accepted: (control, place) => control.acceptRemovals(place),
}

function outcomeText(type: UserFact['type'], named: string, reached: Reached): string {
  const { files, bytes, missing } = reached
  const when = reached.is_paused ? 'after the pause' : 'now'
  const where = printable(named)
  const what = formatAmount({ files, bytes })
  if (type === 'removals_accepted') {
    if (files === 0) return `${where}: nothing there waits to be removed on the service`
    return `${where}: ${counted(files, 'version')} (${formatBytes(bytes)}) may be removed on the service ${when}`
  }
  if (missing === 'unchecked') {
    return `${where}: its missing files were not checked since Sluice was upgraded; accept them again after \`sluice sync\`, or once the daemon has scanned the folder`
  }
  if (missing === 'waits') {
    const wait = files === 1 ? 'is' : 'are'
    const rest = files === 0 ? '' : `; ${what} ${wait} still held back: accept them again when the folder is online`
    return `${where}: the missing files count as deleted now${rest}`
  }
  if (type === 'retried') {
    const of_type = `\`sluice accept '${where}'\` uploads files of a refused type`
    const hint = isTypePattern(named) ? of_type : '`sluice explain` says what a file waits for'
    if (files === 0) return `${where}: no file there waits for a retry; ${hint}`
    return `${where}: ${what} will be tried again ${when}`
  }
  const outcome = files === 0 ? `${where}: nothing is held back` : `${where}: ${what} will be uploaded ${when}`
  if (!reached.is_emptied) return outcome
  return `${outcome}. Sluice accepts now that files of its project are gone on the service.`
}
