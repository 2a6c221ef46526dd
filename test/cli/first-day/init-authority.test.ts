import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { test_certificate, test_key } from '../../remote/test-certificate.ts'
import { has_terminals, keys, PseudoTerminal } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'
import { nothingMore } from './init-questions.ts'

/** The service behind a certificate of an unknown authority, as with a company's proxy. */
async function untrusted(home: Home): Promise<{ address: string; ca_file: string }> {
  const server = createServer({ key: test_key, cert: test_certificate }, (asked, answer) => {
    const { method = 'GET', headers, url = '/' } = asked
    const passed_on = request(new URL(url, home.service.api), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers)
      answered.pipe(answer)
    })
    asked.pipe(passed_on)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const ca_file = join(home.path, 'company.pem')
  writeFileSync(ca_file, test_certificate)
  return { address: `https://localhost:${(server.address() as AddressInfo).port}`, ca_file }
}

async function setUp() {
  const home = await Home.make({ 'a.txt': 'one' })
  const { address, ca_file } = await untrusted(home)
  const token = ['--token-file', join(home.path, 'token')]
  const words = [
    'init',
    '--base-url',
    address,
    ...token,
    '--folder',
    'docs=docs',
    '--yes',
    '--config',
    'made.yaml',
  ]
  const made = () =>
    loadConfig({ file: join(home.path, 'made.yaml'), env: { HOME: home.path } }).config.service
  return { home, address, ca_file, words, made }
}

test('--ca-file: init reads the projects, and the written configuration works', async () => {
  const { home, address, ca_file, words, made } = await setUp()
  const without_ca = await home.sluice(...words, '--project', 'cli')
  expect(without_ca).toMatchObject({ code: 64, err: expect.stringContaining('--ca-file FILE') })
  const unusable = await home.sluice(...words, '--project', 'cli', '--ca-file', 'docs/a.txt')
  expect(unusable).toMatchObject({
    code: 78,
    err: expect.stringContaining('docs/a.txt cannot be used'),
  })
  expect(await home.sluice(...words, '--project', 'cli', '--ca-file', 'company.pem')).toMatchObject(
    { code: 0 },
  )
  expect(made()).toMatchObject({ base_url: address, project_id: home.project_id, ca_file })
  expect(await home.sluice('sync', '--config', 'made.yaml')).toMatchObject({ code: 0 })
  expect(home.readyAssets()).toBe(1)
})

test.skipIf(!has_terminals)(
  'the wizard asks for the authority only if the connection is not trusted',
  async () => {
    const { home, ca_file, words, made } = await setUp()
    const start = ['--start', 'all', '--old-versions', 'keep']
    const asking = words.filter((word) => word !== '--yes')
    const terminal = new PseudoTerminal([...asking, ...start], { cwd: home.path })
    onTestFinished(() => terminal.close())
    await terminal.sees('no trusted connection')
    await terminal.on('trust an authority of the company too', keys.enter)
    await terminal.on('(PEM):', `docs/a.txt${keys.enter}`)
    await terminal.on('cannot be used', `${'\b'.repeat(10)}company.pem${keys.enter}`)
    await terminal.on('Project that the files go to:', keys.enter)
    await nothingMore(terminal)
    await terminal.on('Write this to', keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(made()).toMatchObject({ project_id: home.project_id, ca_file })
  },
)
