import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ListedCommand } from '../../src/cli/command.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { FakeClock } from '../fake-clock.ts'
import { start, temporaryFolder, until } from './fixture.ts'

const commands: ListedCommand[] = [
  {
    usage: 'serve',
    describe: 'run the local service',
    load: () => import('../../src/cli/commands/serve.ts'),
    subcommands: [
      {
        usage: 'token',
        describe: 'tokens of the local service',
        subcommands: [
          { usage: 'create <name>', describe: '', load: () => import('../../src/cli/commands/serve-token-create.ts') },
          { usage: 'list', describe: '', load: () => import('../../src/cli/commands/serve-token-list.ts') },
          { usage: 'revoke <name>', describe: '', load: () => import('../../src/cli/commands/serve-token-revoke.ts') },
        ],
      },
      {
        usage: 'project',
        describe: 'projects of the local service',
        subcommands: [
          {
            usage: 'create <name>',
            describe: '',
            load: () => import('../../src/cli/commands/serve-project-create.ts'),
          },
          { usage: 'list', describe: '', load: () => import('../../src/cli/commands/serve-project-list.ts') },
        ],
      },
    ],
  },
]

async function sluice(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    write(text: string) {
      written[name] += text
    },
  })
  const terminal = createTerminal({ stdout: stream('out'), stderr: stream('err'), no_color: true })
  return { code: await runCli(words, terminal, commands), ...written }
}

test('A-18 projects and tokens are made, listed and revoked by commands, beside a running service', async () => {
  const clock = new FakeClock()
  const client = await start({ clock })
  const { data_dir } = client.service
  const dir = ['--data-dir', data_dir]
  const project_id = (await sluice('serve', 'project', 'create', 'second', ...dir)).out.trim()
  expect((await sluice('serve', 'project', 'list', ...dir)).out).toMatch(new RegExp(`${project_id} .* second`))
  const created = await sluice('serve', 'token', 'create', 'laptop', '--projects', project_id, ...dir)
  const token = created.out.trim()
  expect([created.code, token]).toEqual([0, expect.stringMatching(/^pat_[A-Za-z0-9]{32}$/)])
  expect((await client.as({ token, project_id }).get('/v1/assets')).status).toBe(200)
  expect((await client.as({ token }).get('/v1/assets')).status).toBe(404)
  const listed = (await sluice('serve', 'token', 'list', ...dir)).out
  expect(listed).toMatch(new RegExp(`laptop .* ${project_id}`))
  expect(listed).not.toContain(token)
  expect((await sluice('serve', 'token', 'revoke', 'laptop', ...dir)).code).toBe(0)
  await clock.advance(1_000)
  expect((await client.as({ token, project_id }).get('/v1/assets')).status).toBe(401)
  expect((await sluice('serve', 'token', 'revoke', 'laptop', ...dir)).code).toBe(78)
})

test('A-18 the secret is shown once: no file of the service holds it', async () => {
  const client = await start()
  await client.upload('text')
  await client.service.close()
  const { data_dir } = client.service
  const files = readdirSync(data_dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))))
  expect(bytes.includes(client.token)).toBe(false)
  expect(bytes.includes(client.token.slice(4))).toBe(false)
  // What is looked for could be found: names are there.
  expect(bytes.includes(client.project_id)).toBe(true)
})

test.each([
  [['token', 'create', ''], 'cannot be the name'],
  [['token', 'create', 'x', '--projects', 'project_00000000000000000000'], 'there is no project'],
  [['project', 'create', 'a\nb'], 'cannot be the name'],
])('a wrong word is refused with a hint: %j', async (words, message) => {
  const { code, err } = await sluice('serve', ...words, '--data-dir', temporaryFolder())
  expect([code, err]).toEqual([78, expect.stringContaining(message)])
})

test('a token name is taken once', async () => {
  const client = await start()
  client.service.tokens.create('laptop')
  expect(() => client.service.tokens.create('laptop')).toThrow(/already/)
})

test('only one service works on a data folder', async () => {
  const client = await start()
  await expect(start({ data_dir: client.service.data_dir })).rejects.toMatchObject({ code: 'config.service' })
  await client.service.close()
  await start({ data_dir: client.service.data_dir })
})

test.each([
  [{ listen: '0.0.0.0' }, /this machine only/],
  [{ listen: 'localhost' }, /this machine only/],
  [{ listen: '192.168.1.4' }, /this machine only/],
  [{ port: -1 }, /port = -1/],
  [{ ingest: { delay_ms: Number.NaN } }, /ingest.delay_ms = NaN/],
  [{ bad_days: { latency_ms: -5 } }, /latency_ms = -5/],
])('an option that cannot work is refused: %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message)
})

test('it listens on IPv6 too', async () => {
  const client = await start({ listen: '::1' })
  expect(client.service.api).toMatch(/^http:\/\/\[::1\]:\d+$/)
  await client.upload('text')
})

test('a port that is taken is an error, and nothing is left running', async () => {
  const client = await start()
  const port = Number(new URL(client.service.api).port)
  const data_dir = temporaryFolder()
  await expect(start({ data_dir, port })).rejects.toMatchObject({ code: 'http.listen' })
  await start({ data_dir })
})

test('serve prints one line of JSON when it is ready, and stops on a signal', async () => {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    write(text: string) {
      written[name] += text
    },
  })
  const terminal = createTerminal({ stdout: stream('out'), stderr: stream('err'), no_color: true })
  const data_dir = temporaryFolder()
  const words = [
    'serve',
    '--data-dir',
    data_dir,
    '--profile',
    'hosted',
    '--latency',
    '1',
    '--fail',
    'assets.list=500:every=2',
  ]
  const ended = runCli(words, terminal, commands)
  await until(() => written.out.includes('\n'))
  const line = JSON.parse(written.out)
  expect(line).toEqual({ api: expect.stringMatching(/^http:\/\/127/), blob: expect.stringMatching(/^http:\/\/127/) })
  const { token } = await sluice('serve', 'token', 'create', 't', '--data-dir', data_dir).then(({ out }) => ({
    token: out.trim(),
  }))
  const project_id = (await sluice('serve', 'project', 'create', 'p', '--data-dir', data_dir)).out.trim()
  const headers = { 'x-api-key': token, 'x-project-id': project_id }
  const statuses = [
    await fetch(`${line.api}/v1/assets`, { headers }),
    await fetch(`${line.api}/v1/assets`, { headers }),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([200, 500])
  process.emit('SIGTERM')
  expect(await ended).toBe(0)
  await expect(fetch(line.api)).rejects.toThrow()
  expect(written.err).toBe('')
})

test.each([
  ['assets.lost=500', 'there is no call assets.lost'],
  ['put=200', 'a status from 400 to 599'],
  ['put=500:often=3', 'a rule is every, times or retry'],
  ['put=500:every=0', 'a whole number from 1 on'],
])('--fail %s is refused', async (rule, message) => {
  const { code, err } = await sluice('serve', '--fail', rule, '--data-dir', temporaryFolder())
  expect([code, err]).toEqual([64, expect.stringContaining(message)])
})

test('docs/service.md names every option of serve and no other', async () => {
  const page = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8')
  const { out } = await sluice('serve', '--help')
  const optionsIn = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g))
  const shared = ['--config', '--help']
  const offered = [...optionsIn(out)].filter((option) => !shared.includes(option)).sort()
  const table = page.slice(page.indexOf('| Option of `serve`'), page.indexOf('### Failures'))
  expect([...optionsIn(table)].sort()).toEqual(offered)
})
