import { resolve } from 'node:path'
import { shellWord } from '../../base/text/format.ts'
import { printNote } from './print.ts'
import type { Terminal } from './terminal.ts'

/** A command to type next, and what it does. */
export type NextStep = readonly [command: string, why: string]

/**
 * Says what comes next, on standard error. Each command stands alone, to be copied. `config`: its
 * option --config, if the command is not found without.
 */
export function printNext(
  terminal: Terminal,
  steps: readonly NextStep[],
  config: string | undefined,
): void {
  const option = config === undefined ? '' : ` --config ${shellWord(resolve(config))}`
  terminal.err('next:')
  for (const [command, why] of steps) {
    terminal.err(`  ${terminal.err_styles.bold(command + option)}`)
    printNote(terminal, `      ${why}`)
  }
}

/** The step to a first report. */
export function reportStep(prompt: string): NextStep {
  return [`sluice prompts run ${prompt}`, 'in another terminal: a report now, before its time']
}
