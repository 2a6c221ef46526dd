import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { has_terminals, keys, PseudoTerminal } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'

if (!has_terminals)
  console.warn('skipped: status --watch on a terminal, because there is no script(1) here')

/** The process that watches in this directory. */
function watcherIn(directory: string): number {
  const found = readdirSync('/proc').filter((name) => {
    try {
      const words = readFileSync(join('/proc', name, 'cmdline'), 'utf8').split('\0')
      return words.includes('--watch') && readlinkSync(join('/proc', name, 'cwd')) === directory
    } catch {
      return false
    }
  })
  return Number(found[0])
}

test.skipIf(!has_terminals).each([
  ['Ctrl-C', undefined],
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
] as const)('status --watch ends by %s, and gives back the screen', async (_, signal) => {
  const home = await Home.make({ 'a.txt': 'one', 'b.txt': 'two' })
  const terminal = new PseudoTerminal(['status', '--watch', '--config', 'sluice.yaml'], {
    cwd: home.path,
    columns: 60,
    rows: 3,
    // biome-ignore lint/suspicious/noThenProperty: a line of the shell
    then: 'echo BACK;',
  })
  onTestFinished(() => terminal.close())
  await terminal.sees('\u001b[?1049h')
  await terminal.sees('no folder was scanned yet')
  await terminal.sees('sluice status')
  if (signal === undefined) terminal.type(keys.ctrl_c)
  else process.kill(watcherIn(home.path), signal)
  await terminal.sees('\u001b[?1049l')
  // The shell of the test gets Ctrl-C, too.
  if (signal !== undefined) await terminal.sees('BACK')
  const code = await terminal.ended
  if (signal !== undefined) expect(code).toBe(3)
  // No row of a frame ends in a line break that scrolls the window of three rows.
  const [, frame = ''] = terminal.shown().split('\u001b[H')
  expect(frame.split('\u001b[?7h')[0]!.split('\n')).toHaveLength(3)
})
