import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { causeOf, SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { configFiles, configFromObject } from '../../config/load.ts'
import {
  old_versions,
  type StartingConfig,
  type StartingPrompt,
  startingText,
  startingValue,
} from '../../config/starting-config.ts'
import { defineCommand, flag, text, texts } from '../command.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { askConnection, type Connection, freeTokenFile } from '../init/init-connection.ts'
import { type Dialog, initStopped, openDialog } from '../init/init-dialog.ts'
import { askPage, askPrompt } from '../init/init-first-report.ts'
import { checkFlags, type InitFlags, refuseMissing } from '../init/init-flags.ts'
import { askFolders, askOldVersions, sayFirstSync } from '../init/init-folders.ts'
import { requireAnswer } from '../on-paths.ts'
import { type NextStep, printNext, reportStep } from '../text/next-steps.ts'
import { printNote, printTitled } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/** Everybody may read it: it names the file of the token, and holds none. */
const config_mode = 0o644

const how_to_answer =
  '< and Enter go back to the previous question; Tab completes paths; Ctrl-C stops. Nothing is written before the last answer.'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('base-url', text('the address of the service'))
      .option('token-file', text('the file that holds the token'))
      .option(
        'ca-file',
        text(
          'certificates (PEM) of an authority to be trusted besides the usual ones: of a company, for instance',
        ),
      )
      .option('project', text('the id or the name of the project'))
      .option('folder', texts('NAME=PATH of a folder to watch; more than once for several'))
      .option(
        'start',
        text('of what is there already: all, from_now, or what changed in a time such as 90d'),
      )
      .option('old-versions', {
        choices: old_versions,
        requiresArg: true,
        describe:
          'the old version of a file that changes: keep (it answers, too) or remove_old (once the new one is ready)',
      })
      .option('yes', flag('ask nothing: what no option says has its default'))
      .option('force', flag('write over a configuration that is there')),
  async run({ config: named, ...flags }, terminal) {
    const file = targetFile(named)
    const can_ask = !flags.yes && process.stdin.isTTY === true && terminal.is_interactive
    if (!can_ask) refuseMissing(flags)
    const { folders: given, start } = checkFlags(flags)
    const signals = listenForStop()
    const hung_up = new AbortController()
    signals.onHangup(() => hung_up.abort())
    const stopped = AbortSignal.any([signals.first, hung_up.signal])
    const streams = { input: process.stdin, output: process.stderr }
    const dialog = can_ask ? openDialog(streams, stopped, terminal.err_styles) : undefined
    const new_token_file = freeTokenFile(join(dirname(file), 'token'))
    const tools = { flags, dialog, terminal, clock: system_clock, new_token_file, stopped }
    const answer = async () => {
      await refuseExisting(file, flags, dialog)
      const connection = await askConnection(tools)
      const config = { ...connection, token_file: connection.token.file }
      const folder_tools = { ...tools, config, start, unread_types: connection.unread_types }
      const folders = await askFolders(given, folder_tools)
      await sayFirstSync(folders, folder_tools)
      const old_versions = await askOldVersions(dialog, flags['old-versions'])
      const page = dialog && (await askPage(dialog))
      const prompt = dialog && (await askPrompt(dialog))
      const starting: StartingConfig = { ...config, folders, old_versions, page, prompt }
      configFromObject(startingValue(starting))
      const text = startingText(starting)
      terminal.out(text.trimEnd())
      const is_right = flags.yes || (await dialog?.confirm(`Write this to ${file}?`, true)) === true
      return { connection, prompt, text, is_right }
    }
    try {
      if (dialog) printNote(terminal, how_to_answer)
      const { connection, prompt, text, is_right } = await (dialog
        ? dialog.repeat(answer)
        : answer())
      if (!is_right) throw initStopped()
      write(file, text, connection.token)
      sayWritten(file, terminal)
      if (connection.token.typed !== undefined)
        sayWritten(`${connection.token.file} (the token, for you alone)`, terminal)
      sayNext(file, prompt, terminal)
      return exit_codes.ok
    } finally {
      dialog?.close()
      signals.end()
    }
  },
})

function targetFile(named: string | undefined): string {
  const environment = readEnvironment()
  return resolve(
    named ?? environment.config_file ?? join(environment.config_home, 'sluice', 'sluice.yaml'),
  )
}

/** Refuses an existing file without --force or a yes. Errors `usage.exists`, `init.unwritable`. */
async function refuseExisting(
  file: string,
  { force }: InitFlags,
  dialog: Dialog | undefined,
): Promise<void> {
  await requireAnswer(file)
  const there = statOf(file)
  if (there === undefined) return
  if (
    there.isFile() &&
    (force || (await dialog?.confirm(`${file} is there already. Write over it at the end?`, false)))
  )
    return
  throw new SluiceError({
    code: 'usage.exists',
    message: `${file} is there already, and was left as it is`,
    hint: there.isFile()
      ? '--force writes over it; --config FILE names another one'
      : '--config FILE names another one',
  })
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw unwritable(file, error)
  }
}

/** Writes the token before the configuration that names it. Error `init.unwritable`. */
function write(file: string, text: string, token: Connection['token']): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if (token.typed !== undefined) writeFileAtomic(token.file, `${token.typed}\n`, 0o600)
    try {
      writeFileAtomic(file, text, config_mode)
    } catch (error) {
      if (token.typed !== undefined) rmSync(token.file, { force: true })
      throw error
    }
  } catch (error) {
    throw unwritable(file, error)
  }
}

/**
 * A full disk or a missing right is a fault of the machine (exit code 1), not of the configuration.
 */
function unwritable(file: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'init.unwritable',
    message: `${file} cannot be written: ${causeOf(cause)}`,
    hint: 'check the space on the disk, and who may write there; --config FILE names another file',
    cause,
  })
}

function sayNext(file: string, prompt: StartingPrompt | undefined, terminal: Terminal): void {
  const is_found =
    configFiles(readEnvironment()).find((candidate) => existsSync(candidate)) === file
  const steps: NextStep[] = [
    ['sluice plan', 'shows which files would be uploaded, which not and why; uploads nothing'],
    ['sluice run', 'uploads them, and watches the folders until Ctrl-C'],
  ]
  if (prompt !== undefined) steps.push(reportStep(prompt.name))
  printNext(terminal, steps, is_found ? undefined : file)
}

function sayWritten(what: string, terminal: Terminal): void {
  printTitled(terminal, 'written:', terminal.err_styles.green, what)
}
