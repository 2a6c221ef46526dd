import { printable } from '../../base/text/format.ts'
import { type Clock, promptTimeText, second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { isFinal, stateText } from '../../domain/run.ts'
import type { DeliveryView, PromptsView, RunView } from '../../ledger/views/view-prompts.ts'
import { zoneOf } from '../../prompts/show/find-run.ts'
import { coverageText, whyText } from '../../prompts/show/run-answers.ts'
import { deliveryText } from '../../prompts/show/run-texts.ts'
import { printFitted } from './print.ts'
import type { Terminal } from './terminal.ts'

/**
 * Prints a run without its report. `report`: the text that follows, which may have its coverage.
 */
export function printRun(run: RunView, config: Config, terminal: Terminal, report = ''): void {
  const why = whyText(run)
  const because = why === undefined ? '' : `: ${why}`
  const time = promptTimeText(run.due_ms, zoneOf(run.prompt, config))
  const title = `${printable(run.prompt)}, ${time}`
  printFitted(
    terminal,
    `${title}  run ${run.run}, ${stateText(run.state, run.empty)}${because}`,
    title,
  )
  const coverage = coverageText(run, config)
  if (coverage !== undefined && !report.includes(coverage)) printFitted(terminal, coverage)
  for (const note of run.notes) printFitted(terminal, `note: ${note}`)
  if (run.report_path !== undefined) terminal.out(`report: ${printable(run.report_path)}`)
  for (const delivery of run.deliveries) {
    printFitted(terminal, deliveryText(delivery, config))
    for (const line of outputLines(delivery)) terminal.out(terminal.styles.dim(line))
  }
}

/** The last lines of the output of its command. */
function outputLines({ output }: Pick<DeliveryView, 'output'>): string[] {
  return output === undefined || output === ''
    ? []
    : output.split('\n').map((line) => `  | ${printable(line)}`)
}

/** How long to wait for the first try of each delivery. The report is there in any case. */
const max_delivery_wait_ms = 30 * second_ms
const poll_ms = 200

/**
 * Waits until a run is final and, if it is written, every delivery was tried or half a minute has
 * passed. Undefined after an abort. `check` is called now and then and throws if no process works
 * on the run any more. `onDeferral` gets each new reason to try an open run again later.
 */
export async function awaitRun(options: {
  view: PromptsView
  run: number
  clock: Clock
  signal: AbortSignal
  check: () => Promise<unknown>
  onDeferral?: (why: string) => void
}): Promise<RunView | undefined> {
  const { view, run: number, clock, signal, check, onDeferral } = options
  let written_since_ms: number | undefined
  let told: string | undefined
  for (let polls = 1; !signal.aborted; polls++) {
    const run = view.run(number)
    const why = run?.error?.message
    if (why !== undefined && why !== told && !isFinal(run!.state)) onDeferral?.(why)
    told = why ?? told
    if (run && isFinal(run.state)) {
      written_since_ms ??= clock.monotonic_ms()
      const untried = run.deliveries.some(
        ({ state, attempts }) => state === 'wanted' && attempts === 0,
      )
      if (!untried || clock.monotonic_ms() - written_since_ms > max_delivery_wait_ms) return run
    }
    if (polls % 20 === 0) await check()
    await clock.sleep(poll_ms, signal)
  }
  return undefined
}
