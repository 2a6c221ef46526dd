import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { ControlClient } from '../../control/control-client.ts'
import { openPromptsView, type RunView } from '../../ledger/views/view-prompts.ts'
import { runNamed, targetsOf } from '../../prompts/show/find-run.ts'
import { deliveryText } from '../../prompts/show/run-texts.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { argument, defineCommand } from '../command.ts'
import { besideOrAlone } from '../daemon/beside-or-alone.ts'
import { withLedger } from '../daemon/open.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { printNote } from '../text/print.ts'
import { awaitRun } from '../text/prompt-runs.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs.positional('run', argument('a run: its number, or PROMPT@TIME')).option('target', {
      type: 'string',
      describe: 'the name of one delivery; without it, all that were given up or wait',
    }),
  async run({ config: named, run: text, target }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const run = await withPromptsView(config.state_dir, (view) => runNamed(text, view, config))
    const targets = targetsOf(run, target, config)
    if (targets.length === 0) {
      for (const delivery of run.deliveries) terminal.out(deliveryText(delivery, config))
      printNote(terminal, `nothing of run ${run.run} is left to deliver`)
      return exit_codes.ok
    }
    return besideOrAlone(config.state_dir, {
      beside: (control) => askDaemon(run, targets, { config, terminal, control }),
      async alone() {
        const fact = { type: 'delivery_wanted_again', run: run.run, targets } as const
        await withLedger(config, (ledger) => ledger.record([fact]))
        printNote(terminal, 'no daemon is running: `sluice run` delivers it')
        return exit_codes.ok
      },
    })
  },
})

/** Lets the daemon deliver. Waits until each was tried, for half a minute at most. */
async function askDaemon(
  { run }: RunView,
  targets: readonly string[],
  { config, terminal, control }: { config: Config; terminal: Terminal; control: ControlClient },
): Promise<ExitCode> {
  await control.deliverAgain({ run, targets })
  if (control.presence.mode === 'once') {
    printNote(terminal, 'a single pass is running, which delivers nothing: `sluice run` does')
    return exit_codes.ok
  }
  const signals = listenForStop()
  const view = openPromptsView(config.state_dir)
  try {
    const check = () => control.ping()
    const tried =
      (await awaitRun({ view, run, clock: system_clock, signal: signals.first, check })) ??
      view.run(run)!
    const asked = tried.deliveries.filter((delivery) => targets.includes(delivery.target))
    for (const delivery of asked) terminal.out(deliveryText(delivery, config))
    return asked.every(({ state }) => state === 'done') ? exit_codes.ok : exit_codes.incomplete
  } finally {
    view.close()
    signals.end()
  }
}
