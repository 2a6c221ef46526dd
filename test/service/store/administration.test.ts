import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import { sluice } from '../command-line.ts'
import { start, temporaryFolder, until } from '../fixture.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

test('A-18 projects and tokens are made, listed and revoked by commands, beside a running service', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  const project_id = (await sluice('serve', 'project', 'create', 'second', ...dir)).out.trim()
  expect((await sluice('serve', 'project', 'list', ...dir)).out).toMatch(
    new RegExp(`${project_id} .* second`),
  )
  const created = await sluice(
    'serve',
    'token',
    'create',
    'laptop',
    '--projects',
    project_id,
    ...dir,
  )
  const token = created.out.trim()
  expect([created.code, token]).toEqual([0, expect.stringMatching(/^pat_[A-Za-z0-9]{32}$/)])
  expect((await client.as({ token, project_id }).get('/v1/assets')).status).toBe(200)
  expect((await client.as({ token }).get('/v1/assets')).status).toBe(404)
  const listed = (await sluice('serve', 'token', 'list', ...dir)).out
  expect(listed).toMatch(new RegExp(`laptop .* ${project_id}`))
  expect(listed).not.toContain(token)
  expect((await sluice('serve', 'token', 'revoke', 'laptop', ...dir)).code).toBe(0)
  expect((await client.as({ token, project_id }).get('/v1/assets')).status).toBe(401)
  expect((await sluice('serve', 'token', 'revoke', 'laptop', ...dir)).code).toBe(78)
})

test('D-05 users are made, listed and removed by commands, beside a running service', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  const email = 'ada@example.org'
  const user_id = (
    await sluice('serve', 'user', 'create', email, '--name', 'Ada', ...dir)
  ).out.trim()
  const as_reader = ['--project', client.project_id, '--role', 'reader']
  expect((await sluice('serve', 'member', 'add', email, ...as_reader, ...dir)).code).toBe(0)
  const { out } = await sluice('serve', 'token', 'create', 'of ada', '--user', email, ...dir)
  const ada = client.as({ token: out.trim() })
  const members = (await ada.get(`/v1/projects/${client.project_id}/members`)).body.data
  expect(members).toMatchObject([
    { user_id, email, name: 'Ada', role: 'reader', join_method: 'added' },
  ])
  expect((await sluice('serve', 'user', 'list', ...dir)).out).toMatch(
    new RegExp(`${email} .* Ada .*${client.project_id.slice(0, 10)}`),
  )
  const listed = async () => (await sluice('serve', 'token', 'list', ...dir)).out
  expect(await listed()).toMatch(
    new RegExp(`of ada .*ada@example\\.org .*${client.project_id}$`, 'm'),
  )
  expect(await listed()).toMatch(/tests 0 .* every$/m)
  expect(
    (await sluice('serve', 'member', 'remove', email, '--project', client.project_id, ...dir)).code,
  ).toBe(0)
  expect(await listed()).toMatch(/of ada .*ada@example\.org .*none$/m)
  const idle = await sluice('serve', 'token', 'create', 'idle', '--user', email, ...dir)
  expect(idle.err).toContain(`It reaches nothing yet: ${email} is a member of no project.`)
  expect((await ada.get('/v1/assets')).body.code).toBe('publicapi.tenancy.project.not_found')
  expect((await sluice('serve', 'user', 'create', email.toUpperCase(), ...dir)).code).toBe(78)
  expect((await sluice('serve', 'user', 'remove', email, ...dir)).code).toBe(0)
  expect((await ada.get('/v1/assets')).status).toBe(401)
  expect((await sluice('serve', 'user', 'remove', email, ...dir)).err).toContain(
    'the user ada@example.org does not exist',
  )
})

test('D-05 a user who is removed and returns with the same address is a member of nothing', async () => {
  const client = await start()
  const [email, { users, members, tokens }] = ['ada@example.org', client.service]
  users.create(email)
  const invited = { email, role: 'owner' }
  const { url } = (await client.post(`/v1/projects/${client.project_id}/invitations`, invited)).body
  const other = client.service.projects.create('other').project_id
  members.add(email, other, 'owner')
  users.remove(email.toUpperCase())
  users.create(email)
  const again = client.as({ token: tokens.create('of ada', { user: email }).token })
  expect((await again.get('/v1/projects')).body.data).toEqual([])
  expect((await fetch(url)).status, 'her invitation is gone, too').toBe(404)
})

test('D-05 the only owner of a project cannot be removed before the project has another one', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  const { users, tokens } = client.service
  const email = 'ada@example.org'
  users.create(email)
  const ada = client.as({ token: tokens.create('of ada', { user: email }).token })
  const { project_id } = (await ada.post('/v1/projects', { name: 'mine' })).body
  for (const { name, user } of tokens.list()) if (user === undefined) tokens.revoke(name)
  const refused = await sluice('serve', 'user', 'remove', email, ...dir)
  expect([refused.code, refused.err]).toEqual([
    78,
    expect.stringContaining(`the only owner of the project ${project_id}`),
  ])
  expect((await ada.get('/v1/projects')).status, 'she stays').toBe(200)

  const of_mine = ['--project', project_id, ...dir]
  for (const words of [['remove'], ['add', '--role', 'reader']]) {
    const kept = await sluice('serve', 'member', words[0]!, email, ...words.slice(1), ...of_mine)
    expect([kept.code, kept.err]).toEqual([78, expect.stringContaining('--role owner')])
  }
  expect(refused.err).toContain(`or \`sluice serve project remove ${project_id}\``)

  users.create('bob@example.org')
  expect(
    (await sluice('serve', 'member', 'add', 'bob@example.org', '--role', 'owner', ...of_mine)).code,
  ).toBe(0)
  expect((await sluice('serve', 'user', 'remove', email, ...dir)).code).toBe(0)
  expect((await sluice('serve', 'user', 'remove', 'bob@example.org', ...dir)).code).toBe(78)
  await sluice('serve', 'token', 'create', 'n', '--projects', project_id, ...dir)
  expect((await sluice('serve', 'user', 'remove', 'bob@example.org', ...dir)).code).toBe(0)
})

test('D-05 a person who must accept first is no owner yet, and without the project nothing needs one', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  const { users, tokens } = client.service
  const [email, eve] = ['ada@example.org', 'eve@example.org']
  users.create(email)
  const ada = client.as({ token: tokens.create('of ada', { user: email }).token })
  const { project_id } = (await ada.post('/v1/projects', { name: 'mine' })).body
  for (const { name, user } of tokens.list()) if (user === undefined) tokens.revoke(name)
  const owner = ['--project', 'mine', '--role', 'owner', ...dir]
  const { out } = await sluice('serve', 'member', 'add', eve, ...owner)
  const remove = () => sluice('serve', 'user', 'remove', email, ...dir)
  expect(await remove()).toMatchObject({
    code: 78,
    err: expect.stringContaining('must accept first'),
  })
  await fetch(out.trim(), { method: 'POST' })
  expect((await remove()).code).toBe(0)
  expect(await sluice('serve', 'user', 'remove', eve, ...dir)).toMatchObject({ code: 78 })
  expect((await sluice('serve', 'project', 'remove', project_id, '--yes', ...dir)).code).toBe(0)
  expect((await sluice('serve', 'user', 'remove', eve, ...dir)).code).toBe(0)
})

test('A-06 organisations hold workspaces, and workspaces projects: by commands, beside a running service', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  expect(
    (await sluice('serve', 'workspace', 'create', 'finance', '--organisation', 'acme', ...dir))
      .code,
  ).toBe(0)
  expect((await sluice('serve', 'workspace', 'create', 'finance', ...dir)).code).toBe(0)
  const place = ['--workspace', 'finance', '--organisation', 'acme']
  const project_id = (
    await sluice('serve', 'project', 'create', 'invoices', ...place, ...dir)
  ).out.trim()
  expect(client.service.projects.list()).toMatchObject([
    { organisation: 'default', workspace: 'default' },
    { project_id, name: 'invoices', organisation: 'acme', workspace: 'finance' },
  ])
  expect((await client.as({ project_id }).get('/v1/assets')).status).toBe(200)
  const lines = (await sluice('serve', 'workspace', 'list', ...dir)).out
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  expect(
    lines.slice(1, -1).map(([organisation, name, , projects]) => [organisation, name, projects]),
  ).toEqual([
    ['acme', 'finance', '1'],
    ['default', 'default', '1'],
    ['default', 'finance', '0'],
  ])
  expect((await sluice('serve', 'project', 'list', ...dir)).out).toMatch(/acme +finance +invoices/)
  const twice = await sluice(
    'serve',
    'workspace',
    'create',
    'finance',
    '--organisation',
    'acme',
    ...dir,
  )
  expect([twice.code, twice.err]).toEqual([78, expect.stringContaining('already')])
})

test('A-06 a project made through the interface belongs to the workspace of the oldest project within reach', async () => {
  const client = await start()
  client.service.workspaces.create('finance')
  const { project_id } = client.service.projects.create('invoices', { workspace: 'finance' })
  client.service.users.create('ada@example.org')
  client.service.members.add('ada@example.org', project_id, 'reader')
  const ada = client.as({
    token: client.service.tokens.create('of ada', { user: 'ada@example.org' }).token,
  })
  await ada.post('/v1/projects', { name: 'more' })
  expect(client.service.projects.list().map(({ workspace }) => workspace)).toEqual([
    'default',
    'finance',
    'finance',
  ])
})

test('A-04 a token that another process revokes is refused at the next request', async () => {
  const client = await start()
  const { data_dir, tokens, users } = client.service
  users.create('ada@example.org')
  const theirs = ['first', 'second'].map(
    (name) => tokens.create(name, { user: 'ada@example.org' }).token,
  )
  const [first, second] = theirs.map((token) => client.as({ token })) as [
    typeof client,
    typeof client,
  ]
  // The service has cached both by now.
  expect([
    (await first.get('/v1/projects')).status,
    (await second.get('/v1/projects')).status,
  ]).toEqual([200, 200])
  const beside = (...words: string[]) =>
    execFileSync(process.execPath, [program, 'serve', ...words, '--data-dir', data_dir])
  beside('token', 'revoke', 'first')
  expect([
    (await first.get('/v1/projects')).status,
    (await second.get('/v1/projects')).status,
  ]).toEqual([401, 200])
  beside('user', 'remove', 'ada@example.org')
  expect((await second.get('/v1/projects')).status).toBe(401)
})

test('A-18 the secret is shown once, and no file of the service holds it', async () => {
  const client = await start()
  await client.upload('text')
  await client.service.close()
  const { data_dir } = client.service
  const files = readdirSync(data_dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bytes = Buffer.concat(
    files.map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )
  expect(bytes.includes(client.token)).toBe(false)
  expect(bytes.includes(client.token.slice(4))).toBe(false)
  // The search works: the files hold names.
  expect(bytes.includes(client.project_id)).toBe(true)
})

test.each([
  [['token', 'create', ''], 'cannot be the name'],
  [
    ['token', 'create', 'x', '--projects', 'project_00000000000000000000'],
    'the project project_00000000000000000000 does not exist',
  ],
  [
    ['token', 'create', 'x', '--projects', ''],
    'the token x would reach no project\n  name projects; without --projects it reaches all',
  ],
  [['token', 'create', 'x', '--projects', ' ,'], 'the token x would reach no project'],
  [['member', 'list', '--project', 'project_1'], 'the project project_1 does not exist'],
  [['project', 'create', 'a\nb'], 'cannot be the name'],
  [['project', 'create', 'x', '--workspace', 'lost'], 'the workspace lost does not exist'],
  [['project', 'create', 'x', '--organisation', 'lost'], 'in the organisation lost does not exist'],
  [['workspace', 'create', 'default'], 'already'],
  [['workspace', 'create', 'x', '--organisation', ''], 'name of an organisation'],
  [['user', 'create', 'ada'], 'is not an e-mail address'],
  [
    ['token', 'create', 'x', '--user', 'ada@example.org'],
    'the user ada@example.org does not exist',
  ],
])('a wrong argument is refused with a hint: %j', async (words, message) => {
  const dir = ['--data-dir', temporaryFolder()]
  await sluice('serve', 'user', 'create', 'bob@example.org', ...dir)
  const { code, err } = await sluice('serve', ...words, ...dir)
  expect([code, err]).toEqual([78, expect.stringContaining(message)])
})

test('a token name can be used once', async () => {
  const client = await start()
  client.service.tokens.create('laptop')
  expect(() => client.service.tokens.create('laptop')).toThrow(/already/)
})

test('only one service works on a data folder', async () => {
  const client = await start()
  await expect(start({ data_dir: client.service.data_dir })).rejects.toMatchObject({
    code: 'config.service',
  })
  await client.service.close()
  await start({ data_dir: client.service.data_dir })
})

test.each([
  [{ listen: '0.0.0.0' }, /this machine only/],
  [{ listen: 'localhost' }, /is not an IP address/],
  [{ public_url: 'http://sluice.example.org' }, /public_url = http:/],
  [{ public_url: 'https://sluice.example.org/' }, /public_url = https:/],
  [{ public_blob_url: 'sluice.example.org' }, /public_blob_url = sluice/],
  [
    { public_url: 'https://a.example/api', public_blob_url: 'https://A.example:443/blobs' },
    /one origin for the API and the blob store/,
  ],
  [{ listen: '192.168.1.4' }, /this machine only/],
  [{ port: -1 }, /port = -1: it must be a whole number from 0 to 65535/],
  [{ ingest: { delay_ms: Number.NaN } }, /ingest.delay_ms: it must be a whole number from 0 on/],
  [{ injected_faults: { latency_ms: -5 } }, /latency_ms = -5/],
])('an invalid option is refused: %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message)
})

test('the service listens on IPv6 too', async () => {
  const client = await start({ listen: '::1' })
  expect(client.service.api).toMatch(/^http:\/\/\[::1\]:\d+$/)
  await client.upload('text')
})

test('a port in use is an error, and nothing is left running', async () => {
  const client = await start()
  const port = Number(new URL(client.service.api).port)
  const data_dir = temporaryFolder()
  await expect(start({ data_dir, port })).rejects.toMatchObject({
    code: 'http.listen',
    message: `cannot listen on 127.0.0.1, port ${port}: another program uses it`,
    detail: 'EADDRINUSE',
  })
  await start({ data_dir })
})

test('a second start on the same data says that the service runs, where, and as which process', async () => {
  const data_dir = temporaryFolder()
  const { service } = await start({ data_dir })
  await expect(start({ data_dir })).rejects.toMatchObject({
    code: 'config.service',
    message: expect.stringMatching(
      new RegExp(`runs already at ${service.api}: sluice serve \\(process ${process.pid} on `),
    ),
  })
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
  expect(line).toEqual({
    api: expect.stringMatching(/^http:\/\/127/),
    blob: expect.stringMatching(/^http:\/\/127/),
  })
  const { token } = await sluice('serve', 'token', 'create', 't', '--data-dir', data_dir).then(
    ({ out }) => ({
      token: out.trim(),
    }),
  )
  const project_id = (
    await sluice('serve', 'project', 'create', 'p', '--data-dir', data_dir)
  ).out.trim()
  const headers = { 'x-api-key': token, 'x-project-id': project_id }
  const statuses = [
    await fetch(`${line.api}/v1/assets`, { headers }),
    await fetch(`${line.api}/v1/assets`, { headers }),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([200, 500])
  process.emit('SIGTERM')
  expect(await ended).toBe(0)
  await expect(fetch(line.api)).rejects.toThrow()
  expect(written.err).toMatch(/^The local service (reads|does not read) scans: .*\n$/)
})

test.each([
  ['assets.lost=500', 'the call assets.lost does not exist'],
  ['put=200', 'a status from 400 to 599'],
  ['put=500:often=3', 'a rule is every, times or retry'],
  ['put=500:every=0', 'every must be a whole number, 1 or more'],
])('--fail %s is refused', async (rule, message) => {
  const { code, err } = await sluice('serve', '--fail', rule, '--data-dir', temporaryFolder())
  expect([code, err]).toEqual([64, expect.stringContaining(message)])
})

test.each([
  ['--port', 'eighty', 'cannot use port: it must be a whole number from 0 to 65535'],
  ['--ingest-delay', '5s', 'cannot use ingest.delay_ms: it must be a whole number from 0 on'],
  ['--port', '99999', 'port = 99999: it must be a whole number from 0 to 65535'],
  ['--blob-port', '65536', 'blob_port = 65536: it must be a whole number from 0 to 65535'],
  ['--ingest-delay', '1.5', 'ingest.delay_ms = 1.5: it must be a whole number from 0 on'],
])('%s %s is a wrong command line', async (option, value, message) => {
  const { code, err } = await sluice('serve', option, value, '--data-dir', temporaryFolder())
  expect([code, err]).toEqual([64, expect.stringContaining(message)])
})

test('a subcommand of serve shows and takes its own options only', async () => {
  const { out } = await sluice('serve', 'token', 'create', '--help')
  expect(out).toMatch(/--data-dir[\s\S]*--projects/)
  expect(out).not.toMatch(/--port|--latency/)
  const wrong = await sluice(
    'serve',
    'token',
    'create',
    'x',
    '--port',
    '1',
    '--data-dir',
    temporaryFolder(),
  )
  expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining('Unknown argument: port')])
  const nowhere = join(temporaryFolder(), 'none')
  const none = await sluice('serve', 'member', 'list', '--data-dir', nowhere)
  expect([none.code, none.err]).toEqual([
    78,
    expect.stringContaining(`there is no local service in ${nowhere}`),
  ])
  expect(existsSync(nowhere)).toBe(false)
})

test.each([
  [['usr', 'list'], 'did you mean user?'],
  [['member', 'ad', 'ada@example.org'], 'did you mean add?'],
  [['token', 'create'], 'write sluice serve token create <name>'],
  [['member', 'add', 'ada@example.org', '--role', 'owner'], 'Missing required argument: project'],
  [
    ['member', 'add', 'ada@example.org'],
    '  add --project PROJECT --role ROLE; sluice serve member add --help',
  ],
  [
    ['member', 'add', 'ada@example.org', '--project', 'x', '--role', 'king'],
    'sluice: --role cannot be king\n  the values are owner, collaborator, reader\n',
  ],
  [
    ['member', 'add', 'ada@example.org', '--project', 'x', '--role', 'Ownr'],
    'sluice: --role cannot be Ownr\n  did you mean owner?\n',
  ],
])('a slip on the command line gets a line that helps: %j', async (words, help) => {
  const { code, err } = await sluice('serve', ...words)
  expect([code, err]).toEqual([64, expect.stringContaining(help)])
})

test('an invitation by command begins with the address of the service, which is known from its first start on', async () => {
  const data_dir = temporaryFolder()
  const dir = ['--data-dir', data_dir]
  const project_id = (await sluice('serve', 'project', 'create', 'office', ...dir)).out.trim()
  const add = () =>
    sluice(
      'serve',
      'member',
      'add',
      'ada@example.org',
      '--project',
      project_id,
      '--role',
      'owner',
      ...dir,
    )
  const early = await add()
  expect([early.code, early.err]).toEqual([
    78,
    expect.stringContaining('sluice serve user create ada@example.org'),
  ])
  const { service } = await start({ data_dir })
  const invited = await add()
  expect([invited.code, invited.out]).toEqual([
    0,
    expect.stringMatching(`^${service.api}/invitations/[\\w-]{43}\n$`),
  ])
  const listed = async (...of: string[]) =>
    (await sluice('serve', 'member', 'list', ...of, ...dir)).out
  const other = (await sluice('serve', 'project', 'create', 'lab', ...dir)).out.trim()
  expect(await listed('--project', project_id)).toBe(await listed())
  expect(await listed('--project', other)).not.toContain('ada')
  expect(await listed()).toMatch(new RegExp(`${project_id} .* owner +not yet +ada@example.org`))
  const uninvited = await sluice(
    'serve',
    'member',
    'remove',
    'ada@example.org',
    '--project',
    project_id,
    ...dir,
  )
  expect([uninvited.code, uninvited.err]).toEqual([
    0,
    `ada@example.org is no longer invited to ${project_id}; the link works no more\n`,
  ])
  expect(await listed()).not.toContain('ada')
  expect((await fetch(invited.out.trim())).status).toBe(404)
  const unknown = await sluice(
    'serve',
    'member',
    'remove',
    'ada@example.org',
    '--project',
    project_id,
    ...dir,
  )
  expect([unknown.code, unknown.err]).toEqual([
    78,
    expect.stringContaining('sluice serve member list'),
  ])
})

test('docs/service.md names every option of serve and no other', async () => {
  const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')
  const { out } = await sluice('serve', '--help')
  const optionsIn = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g))
  const shared = ['--config', '--help']
  const offered = [...optionsIn(out)].filter((option) => !shared.includes(option)).sort()
  const table = page.slice(page.indexOf('| Option of `serve`'), page.indexOf('### Failures'))
  expect([...optionsIn(table)].sort()).toEqual(offered)
})
