import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { addToTree } from '../../rig/tree.ts'
import { capturedTerminal } from '../captured-terminal.ts'
import { has_terminals, keys, PseudoTerminal } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'
import { nothingMore } from './init-questions.ts'

const tree = { 'a.txt': 'one', 'b/c.md': 'two', '~$lock.docx': 'x' }

function flagsOf(home: Home): string[] {
  const token = ['--token-file', join(home.path, 'token')]
  return [
    'init',
    '--base-url',
    home.service.api,
    ...token,
    '--project',
    home.project_id,
    '--folder',
    'docs=docs',
  ]
}

function wizard(home: Home, options: { words?: string[]; then?: string } = {}): PseudoTerminal {
  const terminal = new PseudoTerminal(
    ['init', '--config', 'made/sluice.yaml', ...(options.words ?? [])],
    {
      cwd: home.path,
      ...options,
    },
  )
  onTestFinished(() => terminal.close())
  return terminal
}

/**
 * Runs in this process, in the folder of the user: output and files are the same, at a tenth of the
 * cost.
 */
async function here(
  home: Home,
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = capturedTerminal()
  const before = process.cwd()
  process.chdir(home.path)
  try {
    const code = await runCli(words, terminal, commands)
    return { code, out: out(), err: err() }
  } finally {
    process.chdir(before)
  }
}

function load(file: string) {
  return loadConfig({ file, env: { HOME: '/home/nobody' } })
}

test('with options alone: init, plan and sync work, and the file becomes ready', async () => {
  const home = await Home.make(tree)
  const made = await home.sluice(...flagsOf(home), '--yes', '--config', 'made.yaml')
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('sluice plan --config') })
  const file = join(home.path, 'made.yaml')
  const text = readFileSync(file, 'utf8')
  expect(made.out.trimEnd()).toBe(text.trimEnd())
  expect(text).not.toMatch(/pat_/)
  expect(statSync(file).mode & 0o777).toBe(0o644)
  const { config, warnings } = load(file)
  expect(warnings).toEqual([])
  expect(config.service).toEqual({
    base_url: home.service.api,
    project_id: home.project_id,
    token_file: join(home.path, 'token'),
  })
  expect(config.folders).toMatchObject([
    { name: 'docs', path: join(home.path, 'docs'), start: { kind: 'all' } },
  ])
  expect(made.err).toMatch(
    /docs {2}.*\n {2}2 files \(6 B\)\n {2}1 \.md, 1 \.txt\n {2}ignored 1 by ~\$\*/,
  )
  expect((await home.sluice('plan', '--config', 'made.yaml')).out).toContain(
    'would be uploaded: 2 files (6 B)',
  )
  expect(await home.sluice('sync', '--config', 'made.yaml')).toMatchObject({ code: 0 })
  expect(home.readyAssets()).toBe(2)
})

test.each([
  'new\nline',
  '- a: "b" \'c\' #d 100% {ü}',
  'e\u001b[31m=f',
  `${'long '.repeat(20)}\n\n end`,
])('the configuration has a folder called %j by that name', async (odd) => {
  const home = await Home.make(tree)
  addToTree(home.path, { [`${odd}/x.txt`]: 'x' })
  const flags = flagsOf(home).map((flag) => (flag === 'docs=docs' ? `docs=${odd}` : flag))
  expect(await here(home, ...flags, '--yes', '--config', 'made.yaml')).toMatchObject({ code: 0 })
  expect(load(join(home.path, 'made.yaml')).config.folders).toMatchObject([
    { name: 'docs', path: join(home.path, odd) },
  ])
})

test('every value in the configuration has its reason beside it', async () => {
  const home = await Home.make(tree)
  await here(home, ...flagsOf(home), '--start', '90d', '--yes', '--config', 'made.yaml')
  const lines = readFileSync(join(home.path, 'made.yaml'), 'utf8').split('\n')
  const values = lines.flatMap((line, at) =>
    /^ +[a-z_]+: ./.test(line) ? [{ line, before: lines[at - 1] }] : [],
  )
  expect(values.map(({ line }) => line.trim().split(':')[0])).toEqual([
    'base_url',
    'project_id',
    'token_file',
    'path',
    'start',
    'on_change',
  ])
  for (const { line, before } of values) expect(before, line).toMatch(/^ +(#|- name:)/)
  expect(load(join(home.path, 'made.yaml')).config.folders[0]!.start).toEqual({
    kind: 'newer_than',
    age_ms: 90 * 86_400_000,
  })
})

test('without a terminal, init never waits: it names the missing option', async () => {
  const home = await Home.make(tree)
  const bare = await here(home, 'init', '--config', 'made.yaml')
  expect(bare.code).toBe(64)
  for (const flag of ['--base-url', '--token-file', '--project', '--folder', '--yes'])
    expect(bare.err).toContain(flag)
  const unsure = await here(home, ...flagsOf(home), '--config', 'made.yaml')
  expect(unsure).toMatchObject({
    code: 64,
    err: expect.stringMatching(/options are missing: --yes$/m),
  })
  expect(existsSync(join(home.path, 'made.yaml'))).toBe(false)
})

test('without a terminal and a project it names those that the token reaches, or says what to ask for', async () => {
  const home = await Home.make(tree)
  const { projects, tokens, users } = home.service
  const lab = projects.create('Lab').project_id
  const words = flagsOf(home)
  words.splice(words.indexOf('--project'), 2)
  const named = await here(home, ...words, '--yes', '--config', 'made.yaml')
  expect(named.code).toBe(64)
  expect(named.err).toMatch(/--project is missing\n {2}the token reaches/)
  expect(named.err).toContain(`Lab (${lab})`)
  expect(named.err).toContain(`cli (${home.project_id})`)

  users.create('ada@example.org')
  home.giveToken(tokens.create('ada', { user: 'ada@example.org' }).token)
  for (const more of [[], ['--project', 'Lab']]) {
    const none = await here(home, ...words, ...more, '--yes', '--config', 'made.yaml')
    expect(none).toMatchObject({
      code: 64,
      err: expect.stringContaining('the token reaches no project: ask the admin'),
    })
    expect(none.err).toContain(
      'sluice serve member add YOUR-EMAIL --project PROJECT --role collaborator',
    )
  }
  expect(existsSync(join(home.path, 'made.yaml'))).toBe(false)
})

test.skipIf(!has_terminals)(
  'on a terminal, a token without a project can try again, and a number chooses',
  async () => {
    const home = await Home.make(tree)
    const { members, projects, tokens, users } = home.service
    const lab = projects.create('Lab').project_id
    users.create('ada@example.org')
    home.giveToken(tokens.create('ada', { user: 'ada@example.org' }).token)
    const terminal = wizard(home, {
      words: ['--base-url', home.service.api, '--token-file', 'token'],
    })
    await terminal.sees('the token reaches no project')
    await terminal.sees('What now?')
    members.add('ada@example.org', home.project_id, 'collaborator')
    members.add('ada@example.org', lab, 'collaborator')
    terminal.type(keys.enter)
    await terminal.sees('Project that the files go to:')
    await terminal.on('2. Lab', '2')
    await terminal.on('Lab', keys.enter)
    await terminal.on('Folder to watch:', keys.ctrl_c)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toContain(`Lab (${lab})`)
  },
)

test.each([
  [['--project', 'nobody'], 64, 'the token reaches no project nobody'],
  [['--base-url', 'http://assistant.example.com'], 64, 'must begin with https://'],
  [
    ['--base-url', 'https://assistant.example.com/v1'],
    64,
    'must not end in /v1: Sluice adds it itself',
  ],
  [['--folder', 'Bad Name=docs'], 64, 'the name must be'],
  [['--folder', 'docs='], 64, 'has no path'],
  [['--start', 'yesterday'], 64, '--start takes all, from_now, or an age from 0s on'],
  [['--start', '3 months'], 64, '--start must not count in months or years'],
  [['--base-url', 'assistant'], 64, 'must be an address that begins with https://'],
  [['--token-file', 'pat_unlike'], 77, 'holds a token, where the path of its file is wanted'],
  [['--token-file', 'sluice.yaml'], 77, 'holds no valid token'],
  [['--folder', 'docs=docs', '--folder', 'inner=docs/b'], 78, 'lies inside folders[0]'],
])('%s: refused, and nothing is written', async (change, code, message) => {
  const home = await Home.make(tree)
  const [flag] = change
  const words = flagsOf(home)
  words.splice(words.indexOf(flag!), words.includes(flag!) ? 2 : 0)
  const ended = await here(home, ...words, ...change, '--yes', '--config', 'made.yaml')
  expect(ended).toMatchObject({ code, err: expect.stringContaining(message) })
  expect(existsSync(join(home.path, 'made.yaml'))).toBe(false)
})

test('a refused token ends init with 77; with an offline service it writes the file and says that nothing was checked', async () => {
  const home = await Home.make(tree)
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const refused = await here(home, ...flagsOf(home), '--yes', '--config', 'made.yaml')
  expect(refused).toMatchObject({
    code: 77,
    err: expect.stringContaining('the projects cannot be read'),
  })
  expect(existsSync(join(home.path, 'made.yaml'))).toBe(false)
  const words = flagsOf(home)
  words[words.indexOf('--base-url') + 1] = 'http://127.0.0.1:9'
  const away = await here(home, ...words, '--yes', '--config', 'made.yaml')
  expect(away).toMatchObject({ code: 0, err: expect.stringContaining('is written unchecked') })
  words[words.indexOf('--project') + 1] = 'Office'
  const by_name = await here(home, ...words, '--yes', '--config', 'other.yaml')
  expect(by_name).toMatchObject({
    code: 64,
    err: expect.stringContaining('give --project an id (project_…)'),
  })
  expect(by_name.err).not.toContain('unchecked;')
  expect(existsSync(join(home.path, 'other.yaml'))).toBe(false)
})

test('a file that cannot be written is a fault of the disk, not of the configuration: exit code 1', async () => {
  const home = await Home.make(tree)
  // The directory allows this name, but not the longer one of the temporary file.
  for (const file of ['token/made.yaml', 'x'.repeat(250)]) {
    const refused = await here(home, ...flagsOf(home), '--yes', '--config', file)
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/cannot\s+be written/) })
    expect(refused.err).not.toContain('a fault of Sluice itself')
  }
})

test('plan and init count types that the service could not read before: by its list, and by the ledger', async () => {
  const gzip = (last: number) => Buffer.from([0x1f, 0x8b, 8, 0, last])
  const home = await Home.make({ 'a.gz': gzip(1), 'b.gz': gzip(2) })
  const said = 'the service has read no .gz files so far, and failed on some'
  const words = [...flagsOf(home), '--yes', '--config', 'made.yaml']
  expect((await here(home, ...words)).err).not.toContain(said)
  expect((await here(home, 'sync')).code).toBe(3)
  home.write({ 'c.gz': gzip(3) })
  expect((await here(home, 'plan')).out).toContain(`1 file: ${said}`)
  const again = await here(home, ...words, '--force')
  expect(again.err).toContain(`3 files: ${said}; to leave them out`)
  expect(again.code).toBe(0)
})

test('init replaces an existing configuration only with --force', async () => {
  const home = await Home.make(tree)
  writeFileSync(join(home.path, 'made.yaml'), '# mine\n')
  const refused = await here(home, ...flagsOf(home), '--yes', '--config', 'made.yaml')
  expect(refused).toMatchObject({ code: 64, err: expect.stringContaining('--force') })
  expect(readFileSync(join(home.path, 'made.yaml'), 'utf8')).toBe('# mine\n')
  expect(
    await here(home, ...flagsOf(home), '--yes', '--force', '--config', 'made.yaml'),
  ).toMatchObject({ code: 0 })
  expect(load(join(home.path, 'made.yaml')).config.folders).toHaveLength(1)
})

test.skipIf(!has_terminals)(
  'the wizard writes a configuration from answers typed on a terminal',
  async () => {
    const home = await Home.make(tree)
    addToTree(home.path, { 'Old Papers/': '', 'Old Papers/x.pdf': 'paper' })
    const { token } = home.service.tokens.create('typed')
    const terminal = wizard(home)
    await terminal.on('Address of the assistant', `${home.service.api}${keys.enter}`)
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', `short${keys.enter}`)
    await terminal.sees('holds no valid token')
    await terminal.on('Token:', `${token}${keys.enter}`)
    await terminal.on('Project that the files go to:', keys.enter)
    await terminal.on('Folder to watch:', `docs${keys.enter}`)
    await terminal.on('Its name', keys.enter)
    await terminal.sees('2 files (6 B)')
    await terminal.on('How much of it is uploaded?', keys.enter)
    await terminal.on('Another folder?', `y${keys.enter}`)
    await terminal.on('Folder to watch:', `docs/b${keys.enter}`)
    await terminal.on('lies inside', `${'\b'.repeat(6)}Old Papers${keys.enter}`)
    await terminal.on('Its name', keys.enter)
    await terminal.on('How much of it is uploaded?', `${keys.down}${keys.enter}`)
    await terminal.on('Another folder?', keys.enter)
    await terminal.on('What should the old version', `${keys.down}${keys.enter}`)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).not.toContain(token)
    const { config, warnings } = load(join(home.path, 'made/sluice.yaml'))
    expect(warnings).toEqual([])
    expect(config.folders).toMatchObject([
      { name: 'docs', start: { kind: 'all' }, on_change: 'remove_old', on_delete: 'keep' },
      {
        name: 'old-papers',
        path: join(home.path, 'Old Papers'),
        start: { kind: 'newer_than' },
        on_change: 'remove_old',
      },
    ])
    const kept = openSecrets(config, {})
    expect([kept.secrets.token(), kept.warnings]).toEqual([token, []])
    expect(statSync(join(home.path, 'made/token')).mode & 0o777).toBe(0o600)
  },
)

test.skipIf(!has_terminals)(
  'a refused token leaves the hidden input with the reason: another one, or the question before',
  async () => {
    const home = await Home.make(tree)
    const { token } = home.service.tokens.create('typed')
    const terminal = wizard(home, { words: ['--base-url', home.service.api] })
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', `pat_${'x'.repeat(32)}${keys.enter}`)
    await terminal.sees('does not accept')
    await terminal.on('1. another token', keys.enter)
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', `short${keys.enter}`)
    await terminal.sees('holds no valid token')
    await terminal.on('Token:', `<${keys.enter}`)
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', `${token}${keys.enter}`)
    await terminal.on('Project that the files go to:', keys.ctrl_d)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).not.toContain(token)
  },
)

test.skipIf(!has_terminals)(
  'an address is tried once, without a token: a fault is said, and Enter keeps it',
  async () => {
    const home = await Home.make(tree)
    const erased = (text: string) => '\b'.repeat(text.length)
    const seen: (string | undefined)[] = []
    const other = createServer((request, answer) => {
      seen.push(String(request.headers['x-api-key']))
      answer.end('<html>hello</html>')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const local = `http://localhost:${port}`
    const terminal = wizard(home)
    await terminal.on('Address of the assistant', `localhost:${port}${keys.enter}`)
    await terminal.sees(`write ${local}`)
    const corrected = `${erased(`localhost:${port}`)}${local}${keys.enter}`
    await terminal.on('Address of the assistant', corrected)
    await terminal.sees('not as a service with this interface')
    await terminal.on('Address of the assistant', `${erased(local)}http://[::1]:9${keys.enter}`)
    await terminal.sees('press Enter again to keep it unchecked')
    await terminal.on('Address of the assistant', keys.enter)
    await terminal.on('The token:', keys.ctrl_c)
    expect(await terminal.ended).toBe(130)
    expect(seen).toEqual(['undefined'])
  },
)

test.skipIf(!has_terminals).each([
  ['default', 200, 'next_run'],
  ['hosted', 20, 'more_turns'],
] as const)(
  'a first prompt with wrong answers, and no page (%s)',
  async (profile, max_assets, when_too_many) => {
    const home = await Home.make(tree, { profile })
    const erase_line = '\u0015'
    const given = ['--start', 'all', '--old-versions', 'keep']
    const terminal = wizard(home, { words: [...flagsOf(home).slice(1), ...given] })
    /** Gives a wrong answer, and corrects it when the question stands there again. */
    const answer = async (question: string, wrong: string, fault: string, right: string) => {
      await terminal.on(question, `${wrong}${keys.enter}`)
      await terminal.sees(fault)
      await terminal.on(question, `${erase_line}${right}${keys.enter}`)
    }
    await terminal.on('on a page', `n${keys.enter}`)
    await terminal.on('on a schedule', keys.enter)
    await answer('Name of the report:', 'My news', 'small letters', 'digest')
    const question = 'What is new: {{files}}'
    await answer(
      'Question that it answers:',
      'What of {{fils}}?',
      'did you mean {{files}}',
      question,
    )
    await answer('When:', 'someday', 'a time such as Mondays 08:00', 'weekdays 7:30')
    await terminal.on('Write this to', keys.enter)
    await terminal.sees('sluice prompts run digest --config')
    expect(await terminal.ended).toBe(0)
    const { config } = load(join(home.path, 'made/sluice.yaml'))
    expect(config.page.listen).toBe('off')
    expect(config.prompts).toMatchObject([
      {
        name: 'digest',
        prompt: question,
        schedule: { cron: '30 7 * * 1-5' },
        first_run: 'all',
        read: undefined,
        max_assets,
        when_too_many,
      },
    ])
  },
)

test.skipIf(!has_terminals)('on a terminal, --yes asks nothing', async () => {
  const home = await Home.make(tree)
  const lacking = wizard(home, { words: ['--base-url', home.service.api, '--yes'] })
  await lacking.sees('--yes asks nothing; these options are missing')
  expect(await lacking.ended).toBe(64)
  const words = flagsOf(home)
  words.splice(words.indexOf('--project'), 2)
  const whole = wizard(home, { words: [...words.slice(1), '--yes'] })
  await whole.sees('written:')
  expect(await whole.ended).toBe(0)
  expect(load(join(home.path, 'made/sluice.yaml')).config.service.project_id).toBe(home.project_id)
})

test.skipIf(!has_terminals).each(['ctrl_c', 'ctrl_d'] as const)(
  '%s: nothing is written, and the terminal is restored',
  async (key) => {
    const home = await Home.make(tree)
    const then = 'stty -a | grep -o -w -e "-\\{0,1\\}icanon" -e "-\\{0,1\\}echo";'
    const terminal = wizard(home, { words: ['--base-url', home.service.api], then })
    await terminal.on('The token:', keys.enter)
    await terminal.on('Token:', keys[key])
    await terminal.sees('stopped: nothing was written')
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toMatch(/\r\nicanon\r\necho\r\n/)
    // The cursor must be visible again (DECTCEM) if it was hidden.
    const cursor = [...terminal.shown().matchAll(/\[\?25([hl])/g)].map(([, state]) => state)
    expect(cursor.at(-1) ?? 'h').toBe('h')
    expect(readdirSync(home.path)).not.toContain('made')
  },
)
