import { printable } from '../../base/text/format.ts'
import { differenceOf } from '../../prompts/show/compare-runs.ts'
import { runNamed } from '../../prompts/show/find-run.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { printJson } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('before', argument('a run: its number, or PROMPT@TIME'))
      .positional('after', argument('another one'))
      .option('json', flag('one JSON object')),
  async run({ config: named, before, after, json }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const [one, other] = await withPromptsView(config.state_dir, (view) => [
      runNamed(before, view, config),
      runNamed(after, view, config),
    ])
    const difference = differenceOf(one!, other!, config)
    if (json) {
      printJson(terminal, { before: one!.run, after: other!.run, ...difference })
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

function coloured(line: string, { styles }: Terminal): string {
  const text = line.split('\t').map(printable).join('\t')
  if (/^(---|\+\+\+) /.test(line)) return styles.bold(text)
  if (line.startsWith('+')) return styles.green(text)
  return line.startsWith('-') ? styles.red(text) : text
}
