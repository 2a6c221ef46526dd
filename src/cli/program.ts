import { mayHang } from '../base/files/mount-table.ts'
import { causeOf, codeOf, SluiceError } from '../base/run/errors.ts'
import { ifStillAlive, second_ms } from '../base/time/time.ts'
import { readEnvironment } from '../config/environment.ts'
import { commands } from './commands.ts'
import { exit_codes } from './exit-codes.ts'
import { finishLastWorks } from './last-works.ts'
import { endRelayed, followRelay, relayCommand } from './relay.ts'
import { runCli } from './run-cli.ts'
import { printError } from './text/print.ts'
import { createTerminal } from './text/terminal.ts'

/** The last handles of a command close within moments. */
const max_end_ms = 5 * second_ms

process.stdout.on('error', (error) => {
  // `sluice ls | head` closes the output early. This is no fault.
  if (codeOf(error) === 'EPIPE') process.exit()
  // The disk behind a redirection may be full.
  printError(unwritable(error), terminal)
  process.exit(exit_codes.fault)
})
// If no program reads the messages, or their disk is full, they are lost, and the work goes on.
process.stderr.on('error', () => {})

const { no_color, force_color, relayed } = readEnvironment()
if (relayed) {
  // Pipes to another process of Sluice, which may have a terminal.
  Object.assign(process.stdout, relayed.stdout)
  Object.assign(process.stderr, relayed.stderr)
}
const terminal = createTerminal({
  stdout: process.stdout,
  stderr: process.stderr,
  no_color,
  force_color,
})

// Node would print an uncaught error without removing secrets.
process.on('uncaughtException', (error) => {
  printError(error, terminal)
  process.exit(exit_codes.fault)
})

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}

function unwritable(error: Error): SluiceError {
  return new SluiceError({
    code: 'output.unwritable',
    message: `the output cannot be written: ${causeOf(error)}`,
    hint: 'check the space where it is redirected to',
    cause: error,
  })
}

const words = process.argv.slice(2)
if (relayed) followRelay()
const elsewhere = !relayed && mayHang() ? relayCommand : undefined
const exit_code = await runCli(words, terminal, commands, elsewhere)
process.exitCode = exit_code
await finishLastWorks()
// The reader of a pipe may take its time (`sluice ls | less`).
await Promise.all([flushed(process.stdout), flushed(process.stderr)])
if (relayed) await endRelayed(exit_code)
// All is closed and written. A thread inside a call that never returns (an unresponsive mount)
// keeps the process alive, and even `process.exit` would wait for it.
ifStillAlive(max_end_ms, () => process.kill(process.pid, 'SIGKILL'))
