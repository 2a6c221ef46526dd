import { printable } from '../../base/format.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { RunView } from '../../ledger/view-prompts.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { withPromptsView } from '../open-view.ts'
import { answerOf, runName, runNamed } from '../prompt-runs.ts'
import { type ComparedRun, differenceOf } from '../run-diff.ts'
import type { Terminal } from '../terminal.ts'

/** Version of the JSON answer: it grows when a field goes or changes its meaning, not when one is added. */
const answer_version = 1

interface Options extends GlobalOptions {
  before: string
  after: string
  json: boolean
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs
      .positional('before', { type: 'string', demandOption: true, describe: 'a run: its number, or PROMPT@TIME' })
      .positional('after', { type: 'string', demandOption: true, describe: 'another one' })
      .option('json', { type: 'boolean', default: false, describe: 'one JSON object' }),
  async run({ config: named, before, after, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const [one, other] = await withPromptsView(config.state_dir, (view) => [
      runNamed(before, view, config),
      runNamed(after, view, config),
    ])
    const difference = differenceOf(compared(one!, config), compared(other!, config))
    if (json) {
      const runs = { before: one!.run, after: other!.run }
      terminal.out(JSON.stringify({ version: answer_version, ...runs, ...difference }, null, 2))
      return exit_codes.ok
    }
    const { patch, added, removed } = difference
    if (patch === '') terminal.out('the answers are the same')
    else for (const line of patch.trimEnd().split('\n')) terminal.out(coloured(line, terminal))
    for (const name of added) terminal.out(terminal.styles.green(`+ asset ${printable(name)}`))
    for (const name of removed) terminal.out(terminal.styles.red(`- asset ${printable(name)}`))
    return exit_codes.ok
  },
}

function compared(run: RunView, config: Config): ComparedRun {
  return { name: runName(run, config), answer: answerOf(run), assets: run.planned_assets }
}

function coloured(line: string, { styles }: Terminal): string {
  const text = line.split('\t').map(printable).join('\t')
  if (/^(---|\+\+\+) /.test(line)) return styles.bold(text)
  if (line.startsWith('+')) return styles.green(text)
  return line.startsWith('-') ? styles.red(text) : text
}
