import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { addToTree } from '../../rig/tree.ts'
import { has_terminals, keys } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'
import { nothingMore, wizard } from './init-questions.ts'

const tree = { 'a.txt': 'one', 'b/c.md': 'two' }
const back = `<${keys.enter}`
const tab = '\t'

function load(home: Home) {
  return loadConfig({ file: join(home.path, 'made/sluice.yaml'), env: { HOME: home.path } }).config
}

function withConnection(home: Home) {
  return wizard(home, [
    '--base-url',
    home.service.api,
    '--token-file',
    'token',
    '--project',
    home.project_id,
  ])
}

test.skipIf(!has_terminals)(
  '< returns to the question before, with its earlier answer as the default',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, { 'papers/x.pdf': 'paper' })
    const { token } = home.service.tokens.create('typed')
    const terminal = wizard(home)
    await terminal.sees('< and Enter go back to the previous question')
    await terminal.on('Address of the assistant', back)
    await terminal.on('this is the first question', `\b${home.service.api}${keys.enter}`)
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', back)
    await terminal.on('The token:', back)
    await terminal.on(`(${home.service.api})`, keys.enter)
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', `${token}${keys.enter}`)
    await terminal.on('Project that the files go to:', back)
    await terminal.on('Enter keeps the one that you typed before', keys.enter)
    await terminal.on('Project that the files go to:', keys.enter)
    await terminal.on('Folder to watch:', `docs${keys.enter}`)
    await terminal.on('Its name', `office${keys.enter}`)
    await terminal.on('How much of it is uploaded?', `${keys.down}${keys.enter}`)
    await terminal.on('Another folder?', back)
    await terminal.on('How much of it is uploaded?', back)
    await terminal.on('Its name', back)
    // Another path takes the later answers away: a name belongs to its folder.
    await terminal.on('(docs)', `papers${keys.enter}`)
    await terminal.on('(papers)', back)
    await terminal.on('(papers)', keys.enter)
    await terminal.on('Its name', keys.enter)
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', back)
    await terminal.on('How much of it is uploaded?', `${keys.down}${keys.enter}`)
    await terminal.on('Another folder?', keys.enter)
    await terminal.on('What should the old version', `${keys.down}${keys.enter}`)
    await nothingMore(terminal)
    await terminal.on('Write this to', back)
    await terminal.on('on a schedule', back)
    await terminal.on('on a page', back)
    await terminal.on('What should the old version', keys.enter)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).not.toContain(token)
    expect(load(home).folders).toMatchObject([
      {
        name: 'papers',
        path: join(home.path, 'papers'),
        start: { kind: 'newer_than' },
        on_change: 'remove_old',
      },
    ])
  },
)

test.skipIf(!has_terminals)(
  'what lay between two questions is done once, however often the user steps back',
  async () => {
    const home = await Home.make(tree)
    const terminal = withConnection(home)
    await terminal.on('Folder to watch:', `docs${keys.enter}`)
    await terminal.on('Its name', keys.enter)
    for (let round = 0; round < 3; round++) {
      await terminal.on('How much of it is uploaded?', keys.enter)
      await terminal.on('Another folder?', back)
    }
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', keys.enter)
    for (let round = 0; round < 2; round++) {
      await terminal.on('What should the old version', keys.enter)
      await terminal.on('on a page', back)
    }
    await terminal.on('What should the old version', keys.ctrl_c)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown().match(/1 \.md, 1 \.txt/g)).toHaveLength(1)
    expect(terminal.shown().match(/first sync:/g)).toHaveLength(1)
  },
)

test.skipIf(!has_terminals)(
  'Tab completes directories at the question for a folder, those with spaces and of ~ too',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, {
      'Old Papers/2024 (paid)/x.txt': 'x',
      'Old Papers/note.txt': 'x',
      '.hidden/y.txt': 'y',
    })
    mkdirSync(join(home.path, 'Old Papers/2\u001b[31m'))
    const terminal = withConnection(home)
    await terminal.on('Folder to watch:', `Ol${tab}`)
    await terminal.on('d Papers/', tab)
    await terminal.on('2024 (paid)/', keys.enter)
    await terminal.on('Its name', keys.enter)
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', `y${keys.enter}`)
    await terminal.on('Folder to watch:', `~/.hi${tab}`)
    await terminal.on('dden/', keys.enter)
    await terminal.on('Its name', keys.enter)
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', `y${keys.enter}`)
    // Two Tabs list what there is to choose from, without files and hidden directories.
    await terminal.on('Folder to watch:', `${tab}${tab}`)
    await terminal.sees('Old Papers/')
    await terminal.on('docs/', `doc${tab}`)
    await terminal.on('docs/', keys.enter)
    await terminal.on('Its name', keys.enter)
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', keys.enter)
    await terminal.on('What should the old version', keys.enter)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(load(home).folders.map(({ path }) => path)).toEqual([
      join(home.path, 'Old Papers/2024 (paid)'),
      join(home.path, '.hidden'),
      join(home.path, 'docs'),
    ])
  },
)

test.skipIf(!has_terminals)(
  'Tab completes files and directories at the question for a file',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, {
      'secrets of Ada/token': home.service.tokens.create('kept').token,
      'secrets of Ada/.x': 'x',
    })
    const terminal = wizard(home, ['--base-url', home.service.api])
    await terminal.on('The token:', `${keys.down}${keys.enter}`)
    await terminal.on('File that holds the token:', `secr${tab}`)
    await terminal.on('ets of Ada/', `t${tab}`)
    await terminal.on('oken', keys.enter)
    await terminal.on('Project that the files go to:', back)
    await terminal.on('(secrets of Ada/token)', `${tab}${tab}`)
    for (const name of ['docs/', 'secrets of Ada/', 'sluice.yaml']) await terminal.sees(name)
    await terminal.on('token', keys.ctrl_c)
    expect(await terminal.ended).toBe(130)
  },
)

test.skipIf(!has_terminals)(
  'a path that cannot be read is said at once, and another one is taken',
  async () => {
    const home = await Home.make(tree)
    symlinkSync('loop', join(home.path, 'loop'))
    const terminal = withConnection(home)
    await terminal.on('Folder to watch:', `loop${keys.enter}`)
    await terminal.on('too many symbolic links encountered', '')
    await terminal.on('allow this user to read it', `${'\b'.repeat(4)}docs${keys.enter}`)
    await terminal.on('Its name', keys.enter)
    await terminal.sees('2 files (6 B)')
    await terminal.on('How much of it is uploaded?', keys.ctrl_c)
    expect(await terminal.ended).toBe(130)
  },
)

test.skipIf(!has_terminals)(
  'a missing path is said at once, asked again, and kept by Enter',
  async () => {
    const home = await Home.make(tree)
    const terminal = withConnection(home)
    await terminal.on('Folder to watch:', `docs/a.txt${keys.enter}`)
    await terminal.on(
      'is a file, not a folder; type the path of another folder',
      `${'\b'.repeat(10)}share${keys.enter}`,
    )
    await terminal.on('press Enter again to keep this path', `d${keys.enter}`)
    await terminal.on('shared does not exist', `\b${keys.enter}`)
    await terminal.on('share does not exist', keys.enter)
    await terminal.on('Its name', keys.enter)
    await terminal.sees('it counts as offline until it is there')
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', keys.enter)
    await terminal.sees('first sync: not known yet')
    await terminal.on('What should the old version', keys.enter)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(load(home).folders).toMatchObject([{ name: 'share', path: join(home.path, 'share') }])
  },
)
