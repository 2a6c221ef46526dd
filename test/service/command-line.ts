import { commands } from '../../src/cli/commands.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { capturedTerminal } from '../cli/captured-terminal.ts'

/** Runs one command line in this process. */
export async function sluice(
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = capturedTerminal()
  return { code: await runCli(words, terminal, commands), out: out(), err: err() }
}
