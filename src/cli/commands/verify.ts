import { askingPaths } from '../../base/files/ask-paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { openSecrets } from '../../config/secrets.ts'
import { startExaminer } from '../../disk/read/examiner.ts'
import { watchRoots } from '../../disk/root/root-asker.ts'
import { type VerifySummary, verify } from '../../inspect/verify/verify.ts'
import { isWhole, type VerifyOptions } from '../../inspect/verify/verify-answer.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { openRemote } from '../../remote/open-remote.ts'
import { takeUp } from '../ask/verify-take-up.ts'
import { defineCommand, flag } from '../command.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes, exitCodeOf } from '../exit-codes.ts'
import { loadFor, slowNote } from '../on-paths.ts'
import { foldersArgument, foldersNamed } from '../place.ts'
import { printError, printJson, printLines, printNote } from '../text/print.ts'
import { showSpinner } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'
import { FoundDifferences, verifyLines } from '../text/verify-text.ts'

export const command = defineCommand({
  options: (yargs) =>
    foldersArgument(yargs)
      .option('full', flag('read the files, and compare their bytes as well'))
      .option(
        'record',
        flag(
          'without a daemon: note in the ledger what the service has lost, and what is to be read again',
        ),
      )
      .option('json', flag('one JSON object')),
  async run({ config: named, folders: texts, full, record, json }, terminal) {
    const { config, folders, paths } = await loadFor(
      terminal,
      { file: named },
      ({ config }, paths) => ({
        folders: foldersNamed(texts ?? [], config.folders, paths),
      }),
    )
    const found = new FoundDifferences()
    const summary = await compare({
      config,
      folders,
      full,
      silent: paths.silent(),
      terminal,
      onDifference: (one) => found.add(one),
    })
    const taken_up = await takeUp(found, { config, record })
    if (json) printJson(terminal, { ...summary, found: found.answer(), taken_up })
    else {
      const { on_remote_delete } = config.audit
      const lines = verifyLines(summary, found, { width: terminal.width, on_remote_delete })
      printLines(terminal, lines)
      for (const line of taken_up) printNote(terminal, line)
    }
    return exitCode(summary, terminal)
  },
})

type Wanted = Pick<VerifyOptions, 'full' | 'folders' | 'silent' | 'onDifference'> & {
  config: Config
  terminal: Terminal
}

async function compare(options: Wanted): Promise<VerifySummary> {
  const { config, terminal } = options
  const clock = system_clock
  const { secrets } = await askingPaths((paths) => openSecrets(config, undefined, paths))
  const view = openLedgerView(config.state_dir)
  const remote = await openRemote(config, () => secrets.token(), clock)
  const silence = watchRoots(config.scan.answer_ms, slowNote(terminal))
  const examiner = startExaminer({ threads: config.hashing.threads, silence })
  const signals = listenForStop()
  let compared = { files: 0, assets: 0 }
  const spinner = showSpinner(terminal, clock, () => {
    return `${counted(compared.files, 'file')} and ${counted(compared.assets, 'asset')} compared`
  })
  try {
    return await verify({
      ...options,
      view,
      remote,
      examiner,
      silence,
      clock,
      signal: signals.first,
      onProgress(progress) {
        compared = progress
      },
    })
  } finally {
    signals.end()
    await spinner.end()
    await Promise.all([examiner.close(), remote.close()])
    silence.close()
    view.close()
  }
}

/** A refused token or project decides: without it nothing else can be known. */
function exitCode(summary: VerifySummary, terminal: Terminal): ExitCode {
  const faults = summary.projects.flatMap(({ fault }) =>
    fault ? [new SluiceError({ ...fault, hint: fault.hint ?? undefined })] : [],
  )
  for (const fault of faults) printError(fault, terminal)
  if (faults.some((fault) => exitCodeOf(fault) === exit_codes.refused)) return exit_codes.refused
  return isWhole(summary) ? exit_codes.ok : exit_codes.incomplete
}
