import { counted, formatAmount, formatBytes, printable } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { ControlClient } from '../../control/control-client.ts'
import type { PersonFact } from '../../domain/fact.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import type { DisappearanceWait } from '../../ledger/views/view-pass.ts'
import { argument, defineCommand, flag, words } from '../command.ts'
import { passToDaemon } from '../daemon/beside-or-alone.ts'
import { withPassView } from '../daemon/views.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { type Place, placeOf } from '../place.ts'
import { printFitted, printNote } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const accept = defineCommand({
  options: (yargs) =>
    yargs
      .positional('path', argument('a file, a directory or a whole folder, by where it is or as FOLDER/PATH'))
      .option('removals', flag('what was deleted or replaced there may be removed on the service, however much it is')),
  run({ config, path, removals }, terminal) {
    return recordCommand(removals ? 'removals_accepted' : 'accepted', config, [path], terminal)
  },
})

export const retry = defineCommand({
  options: (yargs) =>
    yargs.positional(
      'paths',
      words('files or directories, by where they are or as FOLDER/PATH; without any, everything'),
    ),
  run: ({ config, paths }, terminal) => recordCommand('retried', config, paths ?? [], terminal),
})

/**
 * Records a command of the user about some paths, through the daemon if one is running, and prints
 * how many files it concerns. Errors: `usage.path` before anything is recorded, `ledger.locked` if
 * a process that cannot be asked holds the ledger. Without paths it is about every file.
 */
async function recordCommand(
  type: PersonFact['type'],
  config_file: string | undefined,
  paths: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { config } = loadConfig({ file: config_file })
  const words: PersonFact[] = placesOf(paths, config).map((place) => ({ type, ...place }))
  // Counted before anything is recorded: afterwards these files are on their way.
  const reached = await findReached(words, config.state_dir)
  // Without a ledger no file is known, so there is nothing to record.
  const is_running = reached === undefined || (await record(words, config))
  for (const [index, word] of words.entries()) printFitted(terminal, outcomeText(word, reached?.[index] ?? nothing))
  if (!is_running) {
    printNote(terminal, 'no daemon is running: the next `sluice run` or `sluice sync` does it')
  }
  return exit_codes.ok
}

function placesOf(paths: readonly string[], { folders }: Config): Place[] {
  if (paths.length === 0) return folders.map(({ name }) => ({ folder: name, path: '' }))
  return paths.map((path) => placeOf(path, folders, process.cwd()))
}

interface Reached extends Amount {
  /**
   * `none`, except for `accept` of a whole folder that waits for the user about missing files. Then
   * the command is about these alone.
   */
  missing: DisappearanceWait
}

const nothing: Reached = { files: 0, bytes: 0, missing: 'none' }

function findReached(words: readonly PersonFact[], state_dir: string): Promise<Reached[] | undefined> {
  return withPassView(
    state_dir,
    (pass) =>
      pass &&
      words.map((word) => {
        const is_whole = word.type === 'accepted' && word.path === ''
        return { ...pass.reachedBy(word), missing: is_whole ? pass.disappearanceIn(word.folder) : 'none' }
      }),
  )
}

/** Records the facts, through a daemon if one is running. Returns true if a daemon took them. */
function record(words: readonly PersonFact[], config: Config): Promise<boolean> {
  return passToDaemon(config, {
    async to_daemon(control) {
      for (const { type, folder, path } of words) {
        await verbs[type](control, { folder, path })
      }
    },
    to_ledger: () => words,
  })
}

const verbs: Record<PersonFact['type'], (control: ControlClient, place: Place) => Promise<void>> = {
  accepted: (control, place) => control.accept(place),
  retried: (control, place) => control.retry(place),
  removals_accepted: (control, place) => control.acceptRemovals(place),
}

function outcomeText({ type, folder, path }: PersonFact, { files, bytes, missing }: Reached): string {
  const where = printable(path === '' ? folder : `${folder}/${path}`)
  const what = formatAmount({ files, bytes })
  if (type === 'removals_accepted') {
    if (files === 0) return `${where}: nothing there waits to be removed on the service`
    return `${where}: ${counted(files, 'version')} (${formatBytes(bytes)}) may be removed on the service now`
  }
  if (missing === 'unchecked') {
    return `${where}: its missing files were not checked since Sluice was upgraded; accept them again after \`sluice sync\`, or once the daemon has scanned the folder`
  }
  if (missing === 'waits') {
    const wait = files === 1 ? 'is' : 'are'
    const rest = files === 0 ? '' : `; ${what} ${wait} still held back: accept them again when the folder is online`
    return `${where}: the missing files count as deleted now${rest}`
  }
  const emptied = path === '' ? '; if its project looked emptied on the service, that is confirmed now' : ''
  if (files === 0)
    return `${where}: ${type === 'accepted' ? `nothing is held back there${emptied}` : 'no file there is refused, blocked or deferred'}`
  return `${where}: ${what} ${type === 'accepted' ? 'will be sent now' : 'will be tried again now'}`
}
