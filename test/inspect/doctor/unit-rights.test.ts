import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { type DoctorAnswer, runDoctor } from '../../../src/inspect/doctor/run-doctor.ts'
import { makeTree } from '../../rig/tree.ts'

const is_root = process.getuid?.() === 0
if (!is_root) console.warn('skipped: the rights of a unit’s user, because only root can try them')
const is_reachable =
  is_root && mayRead('nobody', fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url)))
if (is_root && !is_reachable)
  console.warn('skipped: the same, because nobody may not read this directory')

function mayRead(user: string, file: string): boolean {
  return spawnSync('setpriv', ['--reuid', user, '--clear-groups', 'test', '-r', file]).status === 0
}

/** A configuration, folders, secrets and the unit that runs it, as `sluice install` leaves them. */
function installed(settings: string[] = ['User=nobody']) {
  const home = makeTree({
    'docs/a.txt': 'text',
    'docs/hr/pay.txt': 'text',
    'shut/b.txt': 'text',
    url: 'http://127.0.0.1:1/hook',
  })
  for (const path of ['', 'docs', 'docs/hr', 'url'])
    chmodSync(join(home, path), path === 'url' ? 0o644 : 0o755)
  chmodSync(join(home, 'shut'), 0o700)
  const file = join(home, 'sluice.yaml')
  const config = {
    service: { base_url: 'http://127.0.0.1:1', project_id: 'project_0123456789abcdefghij' },
    state_dir: join(home, 'state'),
    folders: ['docs', 'shut'].map((name) => ({ name, path: join(home, name) })),
    alerts: { deliver: [{ webhook: { url_file: join(home, 'url') } }] },
  }
  writeFileSync(file, JSON.stringify(config), { mode: 0o644 })
  const start = `ExecStart=\nExecStart=/usr/bin/node /opt/main.js run --config ${file}\n`
  const system_dir = makeTree({
    'sluice.service': `[Service]\n${settings.join('\n')}\nLoadCredential=token:${join(home, 'token')}\n`,
    'sluice.service.d/10-config.conf': `[Service]\n${start}`,
  })
  return {
    home,
    doctor: () => runDoctor({ file, env: { HOME: home }, clock: system_clock, system_dir }),
  }
}

const of = ({ checks }: DoctorAnswer, id: string) => checks.filter((check) => check.id === id)

test.runIf(is_reachable)(
  'root tries folders, configuration and secrets as the user of the unit, and names that user',
  async () => {
    const { home, doctor } = installed()
    const all_well = await doctor()
    expect(of(all_well, 'rights')).toMatchObject([
      { level: 'ok', about: 'docs', message: 'nobody may open every directory of it' },
    ])
    expect(of(all_well, 'folder')).toMatchObject([
      { level: 'ok', about: 'docs' },
      {
        level: 'fault',
        about: 'shut',
        message: expect.stringContaining('nobody may not read it'),
        hint: expect.stringContaining('u:nobody:rX'),
      },
    ])
    expect(of(all_well, 'config')).toMatchObject([{ level: 'ok' }])

    chmodSync(join(home, 'docs/hr'), 0o700)
    chmodSync(join(home, 'sluice.yaml'), 0o600)
    chmodSync(join(home, 'url'), 0o600)
    const closed = await doctor()
    expect(of(closed, 'rights')).toMatchObject([
      {
        level: 'warning',
        about: 'docs',
        message: expect.stringMatching(/nobody cannot read .*hr \(permission denied\)/),
      },
    ])
    expect(of(closed, 'config')).toContainEqual(
      expect.objectContaining({
        level: 'fault',
        message: expect.stringContaining('runs as nobody, who may not read it'),
      }),
    )
    expect(of(closed, 'secret_files')).toMatchObject([
      { level: 'fault', message: expect.stringContaining('permission denied') },
    ])
  },
)

test.runIf(is_reachable)('groups of the unit count, and its right to read every file', async () => {
  const by_group = installed(['User=nobody', 'SupplementaryGroups=12345'])
  const { chownSync } = await import('node:fs')
  chownSync(join(by_group.home, 'shut'), 0, 12_345)
  chmodSync(join(by_group.home, 'shut'), 0o750)
  expect(of(await by_group.doctor(), 'folder')).toMatchObject([
    { level: 'ok' },
    { level: 'ok', about: 'shut' },
  ])
  const by_right = installed(['User=nobody', 'AmbientCapabilities=CAP_DAC_READ_SEARCH'])
  expect(of(await by_right.doctor(), 'folder')).toMatchObject([
    { level: 'ok' },
    { level: 'ok', about: 'shut' },
  ])
})

test.runIf(is_root)(
  'a missing user is reported, and nothing counts as readable for it',
  async () => {
    const answer = await installed(['User=sluice-that-nobody-has']).doctor()
    expect(of(answer, 'rights')[0]).toMatchObject({
      message: 'root may open every directory of it',
    })
    expect(of(answer, 'user')).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('there is no such user yet'),
      }),
    )
  },
)
