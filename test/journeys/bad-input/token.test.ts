import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore } from '../../rig/tree.ts'
import { SluiceHome } from './sluice-home.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ data_dir: makeStore() })
})

afterAll(() => service.close())

describe.concurrent('a token that cannot be used', () => {
  test('no token, or an invalid one: exit code 77, and the content of the file is never shown', async () => {
    const home = new SluiceHome({ 'a.txt': 'a' })
    home.use(service)
    rmSync(home.at('token'))
    const missing = await sync(home)
    expect(missing).toMatchObject({ code: 77, out: '' })
    expect(missing.err).toMatch(/cannot read the token file .*: no such file or directory\n {2}\S/)

    const password = 'correct-horse-battery-staple'
    const wrong = [
      password,
      '',
      randomBytes(8_000),
      `pat_${'a'.repeat(31)}`,
      `pat_${'a'.repeat(33)}`,
      'pat_\u0000',
    ]
    for (const bytes of wrong) {
      writeFileSync(home.at('token'), bytes)
      const { code, out, err } = await sync(home)
      expect([code, out], err).toEqual([77, ''])
      expect(err).toMatch(
        /holds no valid token: (expected 36 characters, "pat_" and 32 more, got (\d+|an empty text)|line 1 holds .*|.* saved as Latin-1 .*)\n {2}the 32 are printable ones without spaces/,
      )
      expect(err).not.toContain(password)
    }
    rmSync(home.at('token'))
    mkdirSync(home.at('token'))
    expect(await home.inProcess(['run', '--config', home.at('sluice.yaml')])).toMatchObject({
      code: 77,
      err: expect.stringContaining('not a file'),
    })
    rmSync(home.at('token'), { recursive: true })
    execFileSync('mkfifo', [home.at('token')])
    expect(await sync(home)).toMatchObject({ code: 77, err: expect.stringContaining('not a file') })
  })

  test('a revoked token: exit code 77, no file changes its state; with a new token all files become ready', async () => {
    const home = new SluiceHome({ 'a.txt': 'a revoked token', 'b.txt': 'the same' })
    const project_id = home.use(service)
    service.tokens.revoke(home.path)
    const refused = await sync(home)
    expect(refused.code, refused.err).toBe(77)
    expect(refused.err).toMatch(/the service does not accept Sluice's token/)
    expect(refused.err).toContain('renew the token')
    await expectNothingBlamed(home)
    home.giveToken(service.tokens.create('renewed').token)
    await expectAllReady(home, project_id)
  })

  test('no permission for the project, or a wrong project id: exit code 77, no file changes its state', async () => {
    const home = new SluiceHome({ 'a.txt': 'no right', 'b.txt': 'the same' })
    const project_id = home.use(service)
    const elsewhere = service.projects.create('elsewhere').project_id
    home.giveToken(service.tokens.create('elsewhere only', { project_ids: [elsewhere] }).token)
    const refused = await sync(home)
    expect(refused.code, refused.err).toBe(77)
    expect(refused.err).toContain(
      'check project_id in the configuration, and that the token may use it',
    )
    await expectNothingBlamed(home)

    home.giveToken(service.tokens.create('again').token)
    const base_url = service.api
    home.configure({ service: { base_url, project_id: 'project_00000000000000000000' } })
    expect((await sync(home)).code).toBe(77)
    await expectNothingBlamed(home)
    home.configure({ service: { base_url, project_id } })
    await expectAllReady(home, project_id)
  })
})

const sync = (home: SluiceHome) => home.inProcess(['sync', '--config', home.at('sluice.yaml')])

async function expectNothingBlamed(home: SluiceHome): Promise<void> {
  expect(Object.keys(home.stages()).sort()).toEqual(['a.txt', 'b.txt'])
  for (const stage of Object.values(home.stages())) expect(['wanted', 'reserving']).toContain(stage)
}

async function expectAllReady(home: SluiceHome, project_id: string): Promise<void> {
  const { code, err } = await sync(home)
  expect(code, err).toBe(0)
  expect(home.stages()).toEqual({ 'a.txt': 'ready', 'b.txt': 'ready' })
  const assets = service.assets(project_id)
  expect(assets.map(({ status, bare }) => ({ status, bare }))).toEqual([
    { status: 'ready', bare: false },
    { status: 'ready', bare: false },
  ])
}
