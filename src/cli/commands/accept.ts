import { counted, formatAmount, formatBytes, printable } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { ControlClient } from '../../control/control-client.ts'
import type { UserFact } from '../../domain/fact.ts'
import { isTypePattern } from '../../domain/file-type.ts'
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
      .positional(
        'path',
        argument("a file, a directory or a whole folder, by where it is or as FOLDER/PATH; '*.gz': a type of files"),
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
  type: UserFact['type'],
  config_file: string | undefined,
  paths: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { config } = loadConfig({ file: config_file })
  const requests: UserFact[] = placesOf(type, paths, config).map((place) => ({ type, ...place }))
  // Counted before anything is recorded: afterwards these files are on their way.
  const reached = await findReached(requests, config)
  // Without a ledger no file is known, so there is nothing to record.
  const is_running = reached === undefined || (await record(requests, config))
  for (const [index, request] of requests.entries()) {
    printFitted(terminal, outcomeText(request, reached?.[index] ?? nothing))
  }
  if (!is_running) {
    printNote(terminal, 'no daemon is running: the next `sluice run` or `sluice sync` does it')
  }
  return exit_codes.ok
}

function placesOf(type: UserFact['type'], paths: readonly string[], { folders }: Config): Place[] {
  if (paths.length === 0) return folders.map(({ name }) => ({ folder: name, path: '' }))
  return paths.flatMap((path) => {
    // A pattern such as `*.gz` is about all folders.
    if (type === 'accepted' && isTypePattern(path)) return folders.map(({ name }) => ({ folder: name, path }))
    return [placeOf(path, folders, process.cwd())]
  })
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

function findReached(requests: readonly UserFact[], { state_dir, folders }: Config): Promise<Reached[] | undefined> {
  return withPassView(state_dir, (pass) => {
    if (!pass) return undefined
    const is_paused = pass.pause(system_clock.now_ms()) !== undefined
    return requests.map((request) => {
      const reached = { ...nothing, ...pass.reachedBy(request), is_paused }
      if (request.type !== 'accepted' || request.path !== '') return reached
      const { project_id } = folders.find(({ name }) => name === request.folder)!
      return { ...reached, missing: pass.disappearanceIn(request.folder), is_emptied: pass.seemsEmptied(project_id) }
    })
  })
}

/** Records the facts, through a daemon if one is running. Returns true if a daemon took them. */
function record(requests: readonly UserFact[], config: Config): Promise<boolean> {
  return passToDaemon(config, {
    async to_daemon(control) {
      for (const { type, folder, path } of requests) {
        await verbs[type](control, { folder, path })
      }
    },
    to_ledger: () => requests,
  })
}

const verbs: Record<UserFact['type'], (control: ControlClient, place: Place) => Promise<void>> = {
  accepted: (control, place) => control.accept(place),
  retried: (control, place) => control.retry(place),
  removals_accepted: (control, place) => control.acceptRemovals(place),
}

function outcomeText({ type, folder, path }: UserFact, reached: Reached): string {
  const { files, bytes, missing } = reached
  const when = reached.is_paused ? 'after the pause' : 'now'
  const where = printable(path === '' ? folder : `${folder}/${path}`)
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
    if (files === 0) return `${where}: no file there is refused, blocked or deferred`
    return `${where}: ${what} will be tried again ${when}`
  }
  const outcome = files === 0 ? `${where}: nothing is held back` : `${where}: ${what} will be uploaded ${when}`
  if (!reached.is_emptied) return outcome
  return `${outcome}. Sluice accepts now that files of its project are gone on the service.`
}
