import { SluiceError } from '../../base/run/errors.ts'
import {
  counted,
  formatAmount,
  formatBytes,
  formatCount,
  printable,
  shellWord,
} from '../../base/text/format.ts'
import { refuseNegated } from '../../base/text/ignore-patterns.ts'
import { system_clock } from '../../base/time/time.ts'
import { type ControlVerbs, passFacts } from '../../control/control-verbs.ts'
import type { UserFact } from '../../domain/fact.ts'
import { isTypePattern, max_failed_of_type } from '../../domain/file-type.ts'
import {
  nothing_reached,
  type Reached,
  reachedBy,
  requestsOf,
  type UserRequest,
} from '../../inspect/files/user-requests.ts'
import { isEndedBy, waitText } from '../../ledger/rows/waits.ts'
import { withLedgerView, withPassView } from '../../status/with-view.ts'
import { argument, defineCommand, flag, words } from '../command.ts'
import { passToDaemon } from '../daemon/beside-or-alone.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { loadFor, onPaths } from '../on-paths.ts'
import { wherePlaced } from '../place-called.ts'
import { printFitted, printNote } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const accept = defineCommand({
  options: (yargs) =>
    yargs
      .positional(
        'path',
        argument(
          "a file, directory or folder (its path or FOLDER/PATH), or a pattern; '*.gz' is a type of files",
        ),
      )
      .option(
        'removals',
        flag('also remove from the service what was deleted or replaced there, without a limit'),
      )
      .option('undo', flag('end the acceptance of a type')),
  run({ config, path, removals, undo }, terminal) {
    if (isTypePattern(path)) {
      const undoing = `sluice accept ${shellWord(path.replace(/^!/, ''))} --undo`
      refuseNegated([path], `\`${undoing}\` ends the acceptance of the type`)
    }
    if (undo && !isTypePattern(path)) {
      const message = `--undo is about a type of files, and ${printable(path)} is none`
      throw new SluiceError({ code: 'usage.invalid', message, hint: "name a type such as '*.gz'" })
    }
    return recordCommand(
      removals ? 'removals_accepted' : 'accepted',
      config,
      [undo ? `!${path}` : path],
      terminal,
    )
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
  const { config, paths: known } = await loadFor(terminal, { file: config_file })
  const asking = { terminal, paths: known, whole_names: true }
  const places: string[] = []
  for (const path of paths) places.push(await wherePlaced(path, config, asking))
  const requests = await withLedgerView(config.state_dir, (view) =>
    onPaths(
      terminal,
      (asked) => requestsOf(type, places, config, view, process.cwd(), asked),
      known,
    ),
  )
  // Counted before anything is recorded: afterwards these files are on their way.
  const now_ms = system_clock.now_ms()
  const reached = await withPassView(
    config.state_dir,
    (pass) => pass && reachedBy(requests, config, pass, now_ms),
  )
  // Without a ledger no file is known, so there is nothing to record.
  const isForNothing = (request: UserRequest, index: number) =>
    typeIn(request) !== undefined && reached?.[index]?.files === 0
  // A type of which nothing is held back is not accepted: that would hold for all later files.
  const facts = requests
    .filter((request, index) => !isForNothing(request, index))
    .flatMap((request) => request.facts)
  const to = {
    to_daemon: (control: ControlVerbs) => passFacts(control, facts),
    to_ledger: () => facts,
  }
  const is_running = reached === undefined || (await passToDaemon(config, to))
  for (const [index, request] of requests.entries()) {
    printFitted(terminal, outcomeText(type, request, reached?.[index] ?? nothing_reached))
  }
  const changes = reached?.some(
    ({ files, missing, is_emptied }) => files > 0 || missing !== 'none' || is_emptied,
  )
  if (!is_running && changes) {
    printNote(terminal, 'no daemon is running: the next `sluice run` or `sluice sync` does it')
  }
  return exit_codes.ok
}

/** The waits of files, in words. `is_tried`: what a retry ends, or what it leaves. */
function waitTexts({ waits, held_by }: Reached, is_tried: boolean): string {
  const why = held_by.length === 0 ? '' : ` (${held_by.join('; ')})`
  return waits
    .filter(({ wait }) => isEndedBy('retried', wait) === is_tried)
    .map(
      ({ wait, files }) => `${formatCount(files)} ${waitText(wait)}${wait === 'turn' ? why : ''}`,
    )
    .join(', ')
}

/** The type that the request accepts; `!*.gz` is the undo. */
function typeIn({ facts: [fact] }: UserRequest): string | undefined {
  return fact?.type === 'accepted' && isTypePattern(fact.path) ? fact.path : undefined
}

function outcomeText(type: UserFact['type'], request: UserRequest, reached: Reached): string {
  const { files, bytes, missing } = reached
  const when = reached.is_paused ? 'after the pause' : 'now'
  const named = request.where
  const opened = typeIn(request)
  const where = printable(opened?.startsWith('!') ? named.replace('!*.', '*.') : named)
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
    const rest =
      files === 0
        ? ''
        : `; ${what} ${wait} still held back: accept them again when the folder is online`
    return `${where}: the missing files count as deleted now${rest}`
  }
  if (type === 'retried') {
    const of_type = `\`sluice accept ${shellWord(where)}\` uploads files of a refused type`
    const hint = isTypePattern(named) ? of_type : '`sluice explain` says what a file waits for'
    const tried = waitTexts(reached, true)
    const left = waitTexts(reached, false)
    const rest = left === '' ? '' : `; still waiting: ${left}`
    if (files === 0) return `${where}: no file there waits for a retry${rest || `; ${hint}`}`
    return `${where}: ${what} will be tried again ${when}${tried && ` (${tried})`}${rest}`
  }
  if (opened?.startsWith('!')) {
    if (files === 0) return `${where}: the type is not accepted, so there is nothing to undo`
    return `${where}: no longer accepted; while the service has read none of ${max_failed_of_type} such files, the next pass holds the others back, and Sluice then tries one a day; files that are on their way go on`
  }
  if (opened !== undefined && files > 0)
    return `${where}: ${what} will be uploaded ${when}, and all files of the type from now on; \`sluice accept ${printable(shellWord(opened))} --undo\` ends that`
  const outcome =
    files === 0 ? `${where}: nothing is held back` : `${where}: ${what} will be uploaded ${when}`
  if (!reached.is_emptied) return outcome
  return `${outcome}. Sluice accepts now that files of its project are gone on the service.`
}
