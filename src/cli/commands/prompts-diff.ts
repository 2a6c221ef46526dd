import { createTwoFilesPatch } from 'diff'
import { printable } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { RunView } from '../../ledger/views/view-prompts.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { printJson } from '../text/print.ts'
import { answerOf, runName, runNamed } from '../text/prompt-runs.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('before', argument('a run: its number, or PROMPT@TIME'))
      .positional('after', argument('another one'))
      .option('json', flag('one JSON object')),
  async run({ config: named, before, after, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const [one, other] = await withPromptsView(config.state_dir, (view) => [
      runNamed(before, view, config),
      runNamed(after, view, config),
    ])
    const difference = differenceOf(compared(one!, config), compared(other!, config))
    if (json) {
      const runs = { before: one!.run, after: other!.run }
      printJson(terminal, { ...runs, ...difference })
      return exit_codes.ok
    }
    const { patch, added, removed } = difference
    if (patch === '') terminal.out('the answers are the same')
    else for (const line of patch.trimEnd().split('\n')) terminal.out(coloured(line, terminal))
    for (const name of added) terminal.out(terminal.styles.green(`+ asset ${printable(name)}`))
    for (const name of removed) terminal.out(terminal.styles.red(`- asset ${printable(name)}`))
    return exit_codes.ok
  },
})

function compared(run: RunView, config: Config): ComparedRun {
  return { name: runName(run, config), answer: answerOf(run), assets: run.planned_assets }
}

function coloured(line: string, { styles }: Terminal): string {
  const text = line.split('\t').map(printable).join('\t')
  if (/^(---|\+\+\+) /.test(line)) return styles.bold(text)
  if (line.startsWith('+')) return styles.green(text)
  return line.startsWith('-') ? styles.red(text) : text
}

/** The parts of a run that are compared. */
export interface ComparedRun {
  /** The name for people, such as `weekly-digest@2026-11-23T08:00+01:00`. */
  name: string
  answer: string
  assets: readonly { asset_id: string; name: string }[]
}

export interface RunDifference {
  /** Unified, three lines around each change; empty where the answers are the same. */
  patch: string
  /** Names of assets that only the second run has (`added`) or only the first (`removed`). */
  added: string[]
  removed: string[]
}

export function differenceOf(before: ComparedRun, after: ComparedRun): RunDifference {
  const same = before.answer === after.answer
  const patch = same ? '' : createTwoFilesPatch(before.name, after.name, ended(before.answer), ended(after.answer))
  return {
    // The package begins with a line of `=`, which no reader of unified diffs needs.
    patch: patch.replace(/^=+\n/, ''),
    added: onlyIn(after, before),
    removed: onlyIn(before, after),
  }
}

/** Adds a line break at the end, because its absence is no difference. */
function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function onlyIn(one: ComparedRun, other: ComparedRun): string[] {
  const known = new Set(other.assets.map(({ asset_id }) => asset_id))
  return one.assets.filter(({ asset_id }) => !known.has(asset_id)).map(({ name }) => name)
}
