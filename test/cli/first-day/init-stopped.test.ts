import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { addToTree } from '../../rig/tree.ts'
import { has_terminals, keys } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'
import { nothingMore, questions, stopAt, wizard } from './init-questions.ts'

const tree = { 'a.txt': 'one', 'b/c.md': 'two' }

test.skipIf(!has_terminals)(
  'Ctrl-C stops the wizard at the first question, during the token, and at the last question',
  async () => {
    const home = await Home.make(tree)
    const all = questions(home)
    for (const at of [0, 2, all.length - 1]) await stopAt(home, all, at)
  },
)

test.skipIf(!has_terminals)('Ctrl-C stops the wizard while it waits for the service', async () => {
  const home = await Home.make(tree)
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const asked = new Promise<void>((resolve) => {
    silent.on('connection', (socket) => {
      onTestFinished(() => void socket.destroy())
      resolve()
    })
  })
  const { port } = silent.address() as { port: number }
  const token = ['--token-file', join(home.path, 'token')]
  const terminal = wizard(home, ['--base-url', `http://127.0.0.1:${port}`, ...token])
  await asked
  terminal.type(keys.ctrl_c)
  await terminal.sees('stopped: nothing was written')
  // The shell above receives Ctrl-C as well, and ends with the usual code of shells.
  expect(await terminal.ended).toBe(130)
  expect(readdirSync(home.path)).not.toContain('made')
})

test.skipIf(!has_terminals)(
  'a wrong answer is explained, and the question asked again',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, { 'Altes Büro ☂/x.txt': 'x', 'home docs/y.txt': 'y' })
    chmodSync(join(home.path, 'token'), 0o644)
    const erased = (text: string) => '\b'.repeat(text.length)
    const terminal = wizard(home)
    await terminal.on('Address of the assistant', `ftp://x${keys.enter}`)
    await terminal.on('https://', `${erased('ftp://x')}${home.service.api}${keys.enter}`)
    await terminal.on('The token:', `${keys.down}${keys.enter}`)
    await terminal.on('File that holds the token:', keys.enter)
    await terminal.on('not a file', `docs${keys.enter}`)
    // Do not wait for "cannot read": the first fault is drawn again while the answer is typed.
    await terminal.on('/docs: not a file', `${erased('docs')}token${keys.enter}`)
    await terminal.sees('open to group or others')
    await terminal.on('Project that the files go to:', keys.enter)
    await terminal.on('Folder to watch:', `docs/a.txt${keys.enter}`)
    await terminal.on('is a file', `${erased('docs/a.txt')}Altes Büro ☂${keys.enter}`)
    await terminal.on('Its name', keys.enter)
    await terminal.sees('1 file (1 B)')
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', `y${keys.enter}`)
    await terminal.on('Folder to watch:', `"~/home docs"${keys.enter}`)
    await terminal.on('Its name', `${keys.enter}`)
    await terminal.sees('1 file (1 B)')
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', keys.enter)
    await terminal.on('What should the old version', keys.enter)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    const { config } = loadConfig({
      file: join(home.path, 'made/sluice.yaml'),
      env: { HOME: home.path },
    })
    expect(config.folders.map(({ name, path }) => [name, path])).toEqual([
      ['altes-buro', join(home.path, 'Altes Büro ☂')],
      ['home-docs', join(home.path, 'home docs')],
    ])
  },
)

test.skipIf(!has_terminals)(
  'the wizard asks before it replaces a configuration, and leaves it as it is',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, { 'made/sluice.yaml': '# mine\n' })
    const terminal = wizard(home)
    await terminal.on('Write over it at the end?', keys.enter)
    await terminal.sees('was left as it is')
    expect(await terminal.ended).toBe(64)
    expect(readFileSync(join(home.path, 'made/sluice.yaml'), 'utf8')).toBe('# mine\n')
  },
)
