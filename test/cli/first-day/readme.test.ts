import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../src/cli/free-port.ts'
import { makeTree } from '../../rig/tree.ts'
import { has_terminals, keys, PseudoTerminal } from '../pseudo-terminal.ts'

if (!has_terminals) console.warn('skipped: the six commands, because there is no script(1) here')

/** The commands of the first block after this heading of the README, without their comments. */
function commandsOf(heading: string): string[] {
  const section = readFileSync('README.md', 'utf8').split(`## ${heading}\n`)[1]!
  const block = section.split('```sh\n')[1]!.split('```')[0]!
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
}

/** What a test may type: nothing that changes this machine. */
const harmless = /^sluice (serve --port|init --base-url|run$|prompts run) ?/

const commands = commandsOf('Six commands to the first report')
const { scripts, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
  bin: Record<string, string>
}

test('from npm ci to the first report are six commands of at most 100 characters', () => {
  expect(commands).toHaveLength(6)
  for (const command of commands) expect(command.length, command).toBeLessThanOrEqual(100)
  // The first two are for npm; the rest needs what they make.
  expect(commands.slice(0, 2)).toEqual(['npm run demo', 'npm install -g .'])
  expect(scripts.demo).toBe(`node ${bin.sluice} demo`)
})

test('the program is installed for everybody without a guess at the name of its package', () => {
  const [install = ''] = commandsOf('As a service')
  expect(install).toContain('./$(npm pack --silent)')
})

test.skipIf(!has_terminals)(
  'a newcomer types them, answers with Enter, and reads the first report and the page',
  async () => {
    const home = makeTree({
      'My Papers/quay.txt': 'The crane of the east quay is out of service until the spring.',
    })
    const port = String(await freePort())
    const begin = (command: string) => {
      expect(command).toMatch(harmless)
      const line = command.replaceAll('8080', port)
      const terminal = new PseudoTerminal(line, { cwd: home, columns: 120 })
      onTestFinished(() => terminal.close())
      return { terminal, line }
    }
    const [serve = '', init = '', run = '', report = ''] = commands.slice(2)

    const service = begin(serve)
    await service.terminal.sees('The local service runs until Ctrl-C')
    await service.terminal.sees(`http://127.0.0.1:${port}`)
    await service.terminal.sees('answers  quoted passages')
    // What it says next is the next command of the README.
    await service.terminal.sees(init.replaceAll('8080', port))

    const { terminal } = begin(init)
    await terminal.on('Project that the files go to:', keys.enter)
    await terminal.on('Folder to watch:', `~/My Papers${keys.enter}`)
    for (const question of [
      'Its name',
      'How much of it is uploaded?',
      'Another folder?',
      'What should the old version',
      'on a page',
      'on a schedule',
      'Name of the report:',
      'Question that it answers:',
      'When:',
      'Write this to',
    ])
      await terminal.on(question, keys.enter)
    await terminal.sees(run)
    await terminal.sees(report)
    expect(await terminal.ended).toBe(0)

    const daemon = begin(run)
    await daemon.terminal.sees('/link/')
    await daemon.terminal.sees(report)
    const [link = ''] = /http:\S+\/link\/\S+/.exec(daemon.terminal.shown())!
    expect(await (await fetch(link)).text()).toContain('It works once')

    const written = begin(report)
    await written.terminal.sees('written')
    await written.terminal.sees('sluice prompts show news')
    expect(await written.terminal.ended).toBe(0)
    const path = /report: (\S+)/.exec(written.terminal.shown())![1]!
    expect(path.startsWith(join(home, '.local/state/sluice/reports/news-'))).toBe(true)
    expect(readFileSync(path, 'utf8')).toContain('> The crane of the east quay')

    const second = begin(serve)
    await second.terminal.sees('runs already')
    expect(await second.terminal.ended).toBe(78)

    for (const { terminal } of [daemon, service]) terminal.type(keys.ctrl_c)
    await daemon.terminal.sees('INFO: stopped')
    await Promise.all([daemon.terminal.ended, service.terminal.ended])

    // The configuration is there now, so the next step is no other one.
    const again = begin(serve)
    await again.terminal.sees(run)
    expect(again.terminal.shown()).not.toContain('sluice init')
    again.terminal.type(keys.ctrl_c)
    await again.terminal.ended
  },
)
