import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { direct_paths } from '../../../src/base/files/paths.ts'
import { system_clock } from '../../../src/base/time/time.ts'
import { examineConfig } from '../../../src/config/resolve/usable.ts'
import { check_groups } from '../../../src/inspect/doctor/check.ts'
import { checkConfig } from '../../../src/inspect/doctor/check-config.ts'
import { type DoctorAnswer, runDoctor } from '../../../src/inspect/doctor/run-doctor.ts'
import { Home } from '../../cli/sluice.ts'
import { makeTree } from '../../rig/tree.ts'

async function doctor(home: Home): Promise<DoctorAnswer & { code: number | null }> {
  const { code, out, err } = await home.inProcess('doctor', '--json')
  expect(err).toBe('')
  return { ...(JSON.parse(out) as DoctorAnswer), code }
}

const of = ({ checks }: DoctorAnswer, id: string) => checks.filter((check) => check.id === id)

describe('sluice doctor', () => {
  test('before the first run, and beside a daemon that has sent a file', async () => {
    const home = await Home.make({ 'a.txt': 'hello' })
    chmodSync(join(home.path, 'docs'), 0o755)
    const before = await doctor(home)
    expect(before).toMatchObject({
      code: 0,
      faults: 0,
      config_file: join(home.path, 'sluice.yaml'),
    })
    expect(of(before, 'project')).toMatchObject([{ level: 'ok', about: home.project_id }])
    expect(of(before, 'api_host')).toMatchObject([
      { level: 'ok', about: new URL(home.service.api).host },
    ])
    expect(of(before, 'clock')).toMatchObject([{ level: 'ok' }])
    expect(of(before, 'blob_host')).toMatchObject([
      { message: expect.stringContaining('not known before the first upload') },
    ])
    expect(of(before, 'ledger')).toMatchObject([
      { message: expect.stringContaining('does not exist yet') },
    ])

    expect((await home.sluice('sync')).code).toBe(0)
    const daemon = await home.run()
    const after = await doctor(home)
    expect(after).toMatchObject({ code: 0, faults: 0 })
    expect(of(after, 'blob_host')).toMatchObject([
      { level: 'ok', about: new URL(home.service.blob).host, message: 'reachable' },
    ])
    expect(of(after, 'ledger')).toMatchObject([
      { level: 'ok', message: expect.stringContaining('it is in order') },
    ])
    daemon.child.kill('SIGTERM')
    await daemon.ended

    const { out, code } = await home.inProcess('doctor', '--all')
    expect(code).toBe(0)
    expect(out).toMatch(/^Configuration\n {2}ok {6}config: .*: in order\n/)
    expect((await home.inProcess('doctor')).out).toMatch(
      /(all in order: \d+ checks|\d+ checks fine) \(`sluice doctor --all` lists every check\)\n$/,
    )
    const secrets = [readFileSync(join(home.path, 'token'), 'utf8').trim(), '?sig=', '/objects/']
    for (const secret of secrets) expect(out + JSON.stringify(after)).not.toContain(secret)
  })

  test('a refused token, one without the project, and none: exit code 77', async () => {
    const home = await Home.make()
    home.giveToken('pat_00000000000000000000000000000000')
    expect(await doctor(home)).toMatchObject({ code: 77 })
    home.giveToken()
    home.configure({ service: { project_id: 'project_00000000000000000000' } })
    const answer = await doctor(home)
    expect(answer.code).toBe(77)
    expect(of(answer, 'project')).toMatchObject([
      { level: 'fault', hint: expect.stringContaining('check the project id') },
    ])
    home.configure({ service: { token_file: join(home.path, 'missing') } })
    const without = await doctor(home)
    expect(without.code).toBe(77)
    expect(of(without, 'token')).toMatchObject([{ level: 'fault' }])
    expect(of(without, 'project')).toMatchObject([
      { level: 'warning', message: 'not asked: there is no token' },
    ])
  })

  test('a configuration with faults: reports all of them and checks the rest', async () => {
    const home = await Home.make({ 'a.txt': 'hello' })
    home.configure({
      folder: {},
      folders: [{ name: 'Wrong Name', path: 'relative' }],
      uploads: { concurrency: -1 },
    })
    const answer = await doctor(home)
    expect(answer.code).toBe(78)
    expect(of(answer, 'config').map(({ message }) => message.replace(/^line [\d:]+ /, ''))).toEqual(
      [
        expect.stringContaining('folders[1].name'),
        expect.stringContaining('folders[1].path'),
        expect.stringContaining('uploads.concurrency'),
      ],
    )
    expect(of(answer, 'folder')).toMatchObject([{ about: 'docs' }])
    expect(of(answer, 'project')).toMatchObject([{ level: 'ok' }])

    // Doctor reports skipped checks, and does not ask for a file that is already named.
    home.configure({ service: { token_file: join(home.path, 'docs/a.txt') } })
    const inside = await doctor(home)
    expect(of(inside, 'config')).toMatchObject([
      { message: expect.stringContaining('service.token_file') },
    ])
    expect(of(inside, 'token')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('not tried: the part') },
    ])
    expect(of(inside, 'api_host')).toMatchObject([{ level: 'ok' }])
    home.configure({ service: { project_id: 'office' } })
    const unnamed = await doctor(home)
    expect(of(unnamed, 'api_host')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('not asked: its configuration') },
    ])

    writeFileSync(join(home.path, 'sluice.yaml'), 'folders: [')
    expect(await doctor(home)).toMatchObject({ code: 78 })
    writeFileSync(join(home.path, 'sluice.yaml'), 'service: { base_url: 3 }')
    const bare = await doctor(home)
    expect(of(bare, 'config').length).toBe(3)
    expect(of(bare, 'node')).toMatchObject([{ level: 'ok' }])
  })

  test('no configuration, and one that others may write', () => {
    const root = makeTree({ 'sluice.yaml': 'state_dir: /nowhere' })
    const read = (file: string) =>
      checkConfig(examineConfig({ file, env: {}, paths: direct_paths }), [])
    expect(read(join(root, 'missing.yaml'))).toMatchObject([
      { level: 'fault', message: expect.stringContaining('there is no') },
    ])
    expect(read(root)).toMatchObject([
      { level: 'fault', message: expect.stringContaining(`cannot read ${root}: `) },
    ])
    // stat(2) fails with ELOOP, as it does with EACCES in a closed directory.
    symlinkSync('loop.yaml', join(root, 'loop.yaml'))
    expect(read(join(root, 'loop.yaml'))[0]).toMatchObject({ level: 'fault' })
    writeFileSync(join(root, 'empty.yaml'), '')
    expect(read(join(root, 'empty.yaml'))[0]).toMatchObject({
      level: 'fault',
      message: 'the file is empty: sluice init writes one',
    })
    chmodSync(join(root, 'sluice.yaml'), 0o666)
    expect(read(join(root, 'sluice.yaml')).at(-1)).toMatchObject({
      level: 'fault',
      hint: expect.stringContaining('chmod go-w'),
    })
  })

  test('an offline service is a fault, and the projects are not asked', async () => {
    const home = await Home.make()
    home.configure({ service: { base_url: 'http://127.0.0.1:9' } })
    const answer = await doctor(home)
    expect(answer.code).toBe(1)
    expect(of(answer, 'api_host')).toMatchObject([
      { level: 'fault', message: expect.stringContaining('nothing listens there') },
    ])
    expect(of(answer, 'project')).toMatchObject([{ level: 'warning' }])
  })

  test('a wrong address: doctor and ask name it, and no other cause', async () => {
    const home = await Home.make()
    const page = createServer((request, response) => {
      response.writeHead(request.method === 'GET' ? 404 : 403, { 'content-type': 'text/html' })
      response.end('<!DOCTYPE html><p>Not found</p>')
    })
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void page.close())
    home.configure({
      service: { base_url: `http://127.0.0.1:${(page.address() as AddressInfo).port}` },
    })
    expect(of(await doctor(home), 'api_host').at(-1)).toMatchObject({
      level: 'fault',
      message: 'a web page in place of the service answered 404 when asked for the list of assets',
      hint: expect.stringMatching(/^check service\.base_url: another program answers there/),
    })
    expect((await home.inProcess('ask', 'what is new?')).err).toMatch(
      /a web page in place of the service answered 403.*\n.*check service\.base_url first/,
    )
    // Nothing listens there any more.
    page.close()
    page.closeAllConnections()
    expect((await home.inProcess('ask', 'what is new?')).err).toMatch(
      /nothing listens there\n.*check service\.base_url, and whether the service runs/,
    )
    home.configure({ service: { base_url: 'http://192.0.2.1:8080' } })
    const other = await doctor(home)
    expect(other.checks.filter(({ level }) => level === 'fault').map(({ id }) => id)).toEqual([
      'config',
    ])
    expect(of(other, 'token')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('not tried: the part') },
    ])
  })
})

describe('an address at which no call of this interface is', () => {
  test.for(['/api', '/v1'])('base_url with the path %s', async (path) => {
    const home = await Home.make({ 'a.txt': 'hello' })
    home.configure({ service: { base_url: `${home.service.api}${path}` } })
    expect(of(await doctor(home), 'api_host').at(-1)).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('answered 404'),
      hint: 'check service.base_url: a service answers there that has nothing at this path',
    })
    expect((await home.inProcess('ask', 'what is new?')).err).toMatch(
      /the question was not asked: the service answered 404.*\n.*check service\.base_url first/,
    )
  })

  const answers = [
    { status: 501, type: 'text/html', body: '<!DOCTYPE HTML><p>Unsupported method</p>' },
    { status: 404, type: 'application/json', body: '{"detail":"Not Found"}' },
    { status: 404, type: 'text/plain', body: '404 page not found' },
    { status: 405, type: 'text/plain', body: '' },
  ]
  test.for(answers)('a server that answers $status $type $body', async ({ status, type, body }) => {
    const home = await Home.make()
    const server = createServer((request, response) => {
      const is_html = type === 'text/html'
      response.writeHead(is_html && request.method === 'GET' ? 404 : status, {
        'content-type': type,
      })
      response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    home.configure({
      service: { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    })
    expect(of(await doctor(home), 'api_host').at(-1)).toMatchObject({
      level: 'fault',
      message: expect.stringMatching(/ in place of the service answered 40/),
      hint: expect.stringMatching(/^check service\.base_url: another program answers there/),
    })
    const { err } = await home.inProcess('ask', 'what is new?')
    expect(err).toMatch(/the question was not asked: .* in place of the service answered/)
    expect(err).toMatch(/check service\.base_url first \(`sluice doctor`\): another program/)
    expect(err).not.toContain('removed on the service')
  })
})

test('docs/operating.md has a line for every check, and no other line', () => {
  const docs = readFileSync(
    fileURLToPath(new URL('../../../docs/operating.md', import.meta.url)),
    'utf8',
  )
  const section = docs.split(/^## Doctor$/m)[1]!.split(/^## /m)[0]!
  const listed = [...section.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, id]) => id)
  expect(listed).toEqual(Object.values(check_groups).flat())
})

test('finds the unit that runs a configuration, and compares them', async () => {
  const { findUnit } = await import('../../../src/inspect/doctor/find-unit.ts')
  const { checkUnit } = await import('../../../src/inspect/doctor/find-unit.ts')
  const { toolsFor } = await import('./doctor-rig.ts')
  const system = makeTree({
    'sluice@.service': '[Service]\nLoadCredential=token:/etc/sluice/%i.token\n',
    'sluice@work.service.d/10-config.conf':
      '[Service]\nExecStart=\nExecStart=/usr/bin/node /opt/main.js run --config /etc/sluice/work.yaml\nReadOnlyPaths=-/nowhere/docs\n',
  })
  mkdirSync(join(system, 'multi-user.target.wants'))
  const found = findUnit('/etc/sluice/work.yaml', system)
  expect(found).toMatchObject({ name: 'sluice@work.service', token_file: '/etc/sluice/work.token' })
  expect(findUnit('/etc/sluice/other.yaml', system)).toBe(undefined)
  expect(checkUnit(toolsFor().config, found)).toMatchObject([{ level: 'ok' }])
  const moved = toolsFor({ folder: { path: '/elsewhere/docs' } }).config
  expect(checkUnit(moved, found)).toMatchObject([
    { level: 'warning', message: expect.stringContaining('sluice install') },
  ])
  expect(checkUnit(moved, undefined)).toEqual([])
})

test('a state directory named by this shell is said to be perhaps another one than that of the unit', async () => {
  const file = join(makeTree({}), 'sluice.yaml')
  const service = { base_url: 'http://127.0.0.1:1', project_id: 'project_0123456789abcdefghij' }
  writeFileSync(
    file,
    JSON.stringify({ service, folders: [{ name: 'docs', path: makeTree({}) }] }),
    { mode: 0o600 },
  )
  const system_dir = makeTree({
    'sluice.service': '[Service]\n',
    'sluice.service.d/10-config.conf': `[Service]\nExecStart=\nExecStart=/usr/bin/node main.js run --config ${file}\n`,
  })
  const said = async (system: string, variables: NodeJS.ProcessEnv) => {
    const env = { HOME: makeTree({}), ...variables }
    const answer = await runDoctor({ file, env, clock: system_clock, system_dir: system })
    return of(answer, 'state_dir').filter(({ message }) => message.includes('SLUICE_STATE_DIR'))
  }
  const SLUICE_STATE_DIR = join(makeTree({}), 'state')
  expect(await said(system_dir, { SLUICE_STATE_DIR })).toMatchObject([
    {
      level: 'warning',
      about: SLUICE_STATE_DIR,
      message: expect.stringContaining('sluice.service has no such variable'),
      hint: 'env -u SLUICE_STATE_DIR sluice doctor',
    },
  ])
  expect(await said(system_dir, {})).toEqual([])
  expect(await said(makeTree({}), { SLUICE_STATE_DIR })).toEqual([])
})

test('of a local service on this machine, doctor says which programs read scans', async () => {
  const of_base = async (base_url: string) => {
    const file = join(makeTree({}), 'sluice.yaml')
    const service = { base_url, project_id: 'project_0123456789abcdefghij' }
    const folders = [{ name: 'docs', path: makeTree({}) }]
    writeFileSync(file, JSON.stringify({ service, folders }), { mode: 0o600 })
    const describeScans = async () => 'reads scans: tesseract 5.3.0 with eng; pdftoppm'
    const env = { HOME: makeTree({}) }
    return of(await runDoctor({ file, env, clock: system_clock, describeScans }), 'scans')
  }
  const message = 'reads scans: tesseract 5.3.0 with eng; pdftoppm'
  expect(await of_base('http://127.0.0.1:1')).toMatchObject([{ level: 'ok', message }])
  expect(await of_base('https://192.0.2.1')).toEqual([])
})
