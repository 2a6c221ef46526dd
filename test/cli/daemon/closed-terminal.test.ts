import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { test as inTurn, type TestContext } from 'vitest'
import { connectControl } from '../../../src/control/control-client.ts'
import { has_terminals, PseudoTerminal } from '../pseudo-terminal.ts'
import { Home, until, untilAnswer } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Each test waits for processes most of its time. */
const test = inTurn.skipIf(!has_terminals).concurrent
if (!has_terminals) console.warn('skipped: script(1) of util-linux is missing')

async function pidOf(home: Home): Promise<number> {
  const control = (await connectControl(join(home.path, 'state')))!
  await control.close()
  return control.presence.pid
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** `sluice run` in a terminal of its own. */
async function begin(context: TestContext, options: { before?: string } = {}) {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const terminal = new PseudoTerminal(['run'], { cwd: home.path, ...options })
  context.onTestFinished(() => terminal.close())
  await until(
    'it listens',
    () => home.hasSocket(),
    () => terminal.shown(),
  )
  await until(
    'it is at work',
    () => home.readyAssets() === 1,
    () => terminal.shown(),
  )
  const pid = await pidOf(home)
  context.onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  return { home, terminal, pid }
}

/**
 * Runs a program as the leader of a terminal of its own. A line on standard input closes the master
 * side, as a window that closes does. Then it prints how the program ended; -1 stands for SIGHUP.
 */
const terminal_of_own = `
import os, pty, select, sys
pid, master = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
while sys.stdin not in (ready := select.select([master, sys.stdin], [], [])[0]): os.read(master, 65536)
os.close(master)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
const has_python = spawnSync('python3', ['-c', 'import pty']).status === 0
if (!has_python) console.warn('skipped: how `run` ends with its terminal, without python3')

inTurn
  .skipIf(!has_python)
  .concurrent(
    '`run` ends by the signal when its terminal is closed, and the next start finds its lock free',
    async (context) => {
      const home = await Home.of(context, { 'a.txt': 'one' })
      const words = ['-c', terminal_of_own, process.execPath, program, 'run']
      const env = { PATH: process.env.PATH, HOME: home.path, TERM: 'xterm' }
      const helper = spawn('python3', words, { cwd: home.path, env })
      context.onTestFinished(() => void helper.kill('SIGKILL'))
      await until('it is at work', () => home.hasSocket() && home.readyAssets() === 1)
      helper.stdin.end('close\n')
      context.expect(await text(helper.stdout)).toBe('-1\n')
      context.expect(home.hasSocket()).toBe(false)
      home.write({ 'b.txt': 'two' })
      const { code, err } = await home.sluice('sync')
      context.expect([code, home.readyAssets()], err).toEqual([0, 2])
    },
  )

test('`run` ends when its terminal is closed, and takes its socket along', async (context) => {
  const { home, terminal, pid } = await begin(context)
  terminal.close()
  await until('it has ended', () => !isAlive(pid))
  context.expect(home.hasSocket()).toBe(false)
})

test('a SIGHUP while the terminal is open reloads', async (context) => {
  const { terminal, pid } = await begin(context)
  process.kill(pid, 'SIGHUP')
  await terminal.sees('reloaded: nothing changed')
  process.kill(pid, 'SIGTERM')
  context.expect(await terminal.ended).toBe(0)
})

test('`nohup sluice run` goes on after its terminal was closed', async (context) => {
  const { home, terminal, pid } = await begin(context, { before: 'nohup ' })
  terminal.close()
  home.write({ 'b.txt': 'two' })
  await until('it works on', () => home.readyAssets() === 2)
  process.kill(pid, 'SIGTERM')
  await until('it has ended', () => !isAlive(pid))
})

test('`serve` ends when its terminal is closed', async (context) => {
  const home = await Home.of(context)
  const words = ['serve', '--port', '0', '--data-dir', join(home.path, 'served')]
  const terminal = new PseudoTerminal(words, { cwd: home.path })
  context.onTestFinished(() => terminal.close())
  await terminal.sees('http://127.0.0.1:')
  await terminal.sees('\n')
  const api = /http:\/\/127\.0\.0\.1:\d+/.exec(terminal.shown())![0]
  terminal.close()
  // A body that is not read holds its connection, also after the service has ended.
  const isServing = () =>
    fetch(`${api}/v1/openapi.yaml`)
      .then((answer) => answer.arrayBuffer())
      .then(
        () => true,
        () => false,
      )
  await untilAnswer('it has ended', isServing, (is_serving) => !is_serving)
})
