import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openingAdvice } from '../../../src/cli/commands/install.ts'
import { commands } from '../../../src/cli/commands.ts'
import { createBuilder } from '../../../src/cli/install/lay-down.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { makeStore } from '../../rig/tree.ts'
import { capturedTerminal } from '../captured-terminal.ts'

const token = `pat_${'a1B2'.repeat(8)}`
const drop_in = 'etc/systemd/system/sluice.service.d/10-config.conf'

/** A machine in a directory, with a configuration and its token. */
function machine(config: object = {}) {
  const home = makeStore()
  const root = join(home, 'machine')
  const file = join(home, 'mine.yaml')
  mkdirSync(join(home, 'docs'))
  const service = {
    base_url: 'https://assistant.example.com',
    project_id: 'project_0123456789abcdefghij',
    token_file: join(home, 'token'),
  }
  writeFileSync(join(home, 'token'), token)
  writeFileSync(
    file,
    JSON.stringify({ service, folders: [{ name: 'docs', path: join(home, 'docs') }], ...config }),
  )
  const sluice = async (...words: string[]) => {
    const { terminal, out, err } = capturedTerminal()
    const code = await runCli([...words, '--prefix', root], terminal, commands)
    return { code, out: out(), err: err() }
  }
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  return { home, root, file, sluice, text, has: (path: string) => existsSync(join(root, path)) }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('installs unit, configuration, token and drop-in, and reports each; a second run changes nothing', async () => {
  const { sluice, file, root, home, text } = machine()
  const first = await sluice('install', '--config', file)
  expect([first.code, first.err]).toEqual([0, ''])
  for (const path of [
    'etc/systemd/system/sluice.service',
    'etc/sluice/sluice.yaml',
    'etc/sluice/token',
    drop_in,
  ]) {
    expect(first.out).toMatch(new RegExp(`^write +${join(root, path)}`, 'm'))
  }
  expect(first.out).toMatch(/\nnext:\n(.*\n)* {2}systemctl enable --now sluice.service\n/)
  expect(first.out).not.toContain(token)
  expect(text('etc/sluice/token')).toBe(`${token}\n`)
  expect(text(drop_in)).toContain(`ReadOnlyPaths=-${home}/docs\n`)
  expect([
    modeOf(join(root, 'etc/sluice/token')),
    modeOf(join(root, 'etc/sluice/sluice.yaml')),
  ]).toEqual(['600', '644'])

  const second = await sluice('install', '--config', file)
  expect(second.out).not.toMatch(
    /^(write|change|run|not run) .*(service|yaml|token|daemon-reload)/m,
  )
})

test('a dry run prints the same and changes nothing', async () => {
  const { sluice, file, root } = machine()
  const { out } = await sluice('install', '--config', file, '--dry-run')
  expect(out).toContain(`write    ${join(root, drop_in)}`)
  expect(existsSync(root)).toBe(false)
})

test.each([
  ['a masked unit', 'is masked', 1],
  ['a token that cannot be read', 'cannot read the token file', 77],
  ['a wrong configuration', 'there is no such field', 78],
])('a dry run shows its plan before it refuses %s', async (what, message, expected) => {
  const { sluice, file, root, home } = machine(what === 'a wrong configuration' ? { odd: 1 } : {})
  if (what === 'a masked unit') {
    mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
    symlinkSync('/dev/null', join(root, 'etc/systemd/system/sluice.service'))
  }
  if (what === 'a token that cannot be read') rmSync(join(home, 'token'))
  const words = ['--config', file, '--token-file', join(home, 'token')]
  const { code, out, err } = await sluice('install', ...words, '--dry-run')
  expect([code, err]).toEqual([expected, expect.stringContaining(message)])
  expect(out).toContain('nothing is done yet; this would be:')
  expect(out).toContain(`write    ${join(root, 'etc/systemd/system/sluice@.service')}`)
  if (expected !== 78) expect(out).toContain(`write    ${join(root, drop_in)}`)
  expect(existsSync(join(root, 'etc/sluice'))).toBe(false)
})

test('keeps an edited configuration and token, and writes the drop-in for that configuration', async () => {
  const { sluice, file, root, home, text } = machine()
  await sluice('install', '--config', file)
  const there = join(root, 'etc/sluice/sluice.yaml')
  const edited = readFileSync(there, 'utf8').replace(`${home}/docs`, '/srv/moved')
  writeFileSync(there, edited)
  writeFileSync(join(home, 'token'), `pat_${'0'.repeat(32)}`)
  const { out } = await sluice('install', '--config', file)
  expect(readFileSync(there, 'utf8')).toBe(edited)
  expect(text('etc/sluice/token')).toBe(`${token}\n`)
  expect(text(drop_in)).toContain('ReadOnlyPaths=-/srv/moved\n')
  expect(out).toMatch(/^change .*10-config\.conf/m)
  await sluice('install', '--token-file', join(home, 'token'))
  expect(text('etc/sluice/token')).toBe(`pat_${'0'.repeat(32)}\n`)
})

test('variables of the shell reach neither the check nor the files: the service does not see them', async (context) => {
  context.onTestFinished(() => void vi.unstubAllEnvs())
  const { sluice, file, text, has, home } = machine()
  vi.stubEnv('SLUICE_BASE_URL', 'not an address')
  vi.stubEnv('SLUICE_STATE_DIR', join(home, 'docs'))
  vi.stubEnv('SLUICE_LOG_LEVEL', 'loud')
  expect(await sluice('install', '--config', file)).toMatchObject({ code: 0, err: '' })
  expect(text(drop_in)).not.toContain(join(home, 'docs/'))
  expect(text('etc/sluice/sluice.yaml')).toBe(readFileSync(file, 'utf8'))

  vi.stubEnv('SLUICE_BASE_URL', 'https://assistant.example.com')
  vi.stubEnv('SLUICE_PROJECT_ID', 'project_0123456789abcdefghij')
  const bare = machine({ service: { token_file: join(home, 'token') } })
  const { code, err } = await bare.sluice('install', '--config', bare.file)
  expect([code, err]).toEqual([
    78,
    expect.stringMatching(/service\.base_url(.*\n)+.*service\.project_id/),
  ])
  expect([has('etc/sluice/sluice.yaml'), bare.has('etc/sluice/sluice.yaml')]).toEqual([true, false])
})

test('an instance has its own configuration, token and drop-in', async () => {
  const { sluice, file, has, text } = machine()
  expect((await sluice('install', '--config', file, '--instance', 'legal')).out).toContain(
    'sluice@legal.service',
  )
  expect(text('etc/systemd/system/sluice@legal.service.d/10-config.conf')).toContain(
    '--config /etc/sluice/legal.yaml',
  )
  expect(['etc/sluice/legal.token', 'etc/sluice/sluice.yaml'].map(has)).toEqual([true, false])
  const bare = await sluice('install', '--instance', 'hr')
  expect(bare.out).toContain('next:\n  write /etc/sluice/hr.yaml, and run `sluice install` again')
  expect(has('etc/sluice/hr.yaml')).toBe(false)
  const odd = await sluice('install', '--instance', '../x')
  expect([odd.code, odd.err]).toEqual([
    64,
    expect.stringContaining('../x cannot be the name of an instance'),
  ])
  // The configuration /etc/sluice/sluice.yaml belongs to another instance.
  const same = await sluice('install', '--config', file, '--instance', 'sluice')
  expect([same.code, same.err]).toEqual([
    64,
    expect.stringContaining('sluice.service has its configuration'),
  ])
})

test('refuses paths that begin with the home of the calling user', async () => {
  const { sluice, file, root } = machine({ folders: [{ name: 'docs', path: '~/docs' }] })
  const { code, err } = await sluice('install', '--config', file)
  expect([code, err]).toEqual([
    78,
    expect.stringMatching(/names ~\/docs: "~" is another home to the service/),
  ])
  expect(existsSync(root)).toBe(false)
})

test('refuses a file that holds no token, and does not show its content', async () => {
  const { sluice, file, home } = machine()
  writeFileSync(join(home, 'token'), 'hunter2')
  const { code, out, err } = await sluice('install', '--config', file)
  expect([code, err]).toEqual([
    77,
    expect.stringContaining(
      'holds no valid token: expected 36 characters, "pat_" and 32 more, got 7',
    ),
  ])
  expect(out + err).not.toContain('hunter2')
})

test('reports an error of the machine with its path, not as a fault of Sluice', async () => {
  const { sluice, file, root } = machine()
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'etc'), 'in the way')
  const { code, err } = await sluice('install', '--config', file)
  expect([code, err]).toEqual([1, expect.stringContaining(`${join(root, 'etc/')}`)])
  expect(err).toContain('repair this and run the same command again')
  expect(err).not.toContain('a fault of Sluice itself')
})

test('the error names the path if the machine refuses to change a mode', () => {
  const { root } = machine()
  mkdirSync(root)
  // The kernel refuses this even to root.
  symlinkSync('/proc/self/maps', join(root, 'token'))
  symlinkSync('/proc/self/fd', join(root, 'sluice'))
  const { terminal } = capturedTerminal()
  const builder = createBuilder({ prefix: root, is_dry: false, terminal })
  const refused = (path: string) =>
    expect.objectContaining({
      code: 'install.file',
      message: expect.stringContaining(join(root, path)),
    })
  expect(() => builder.close('/token', 0o400)).toThrow(refused('token'))
  expect(() => builder.open('/sluice')).toThrow(refused('sluice'))
})

test('uninstall keeps configuration, token and state unless --purge is given, and removes shared files with the last instance', async () => {
  const { sluice, file, has, root } = machine()
  await sluice('install', '--config', file)
  await sluice('install', '--config', file, '--instance', 'legal')
  mkdirSync(join(root, 'var/lib/sluice'), { recursive: true })
  const first = await sluice('uninstall')
  expect(first.out).toContain('kept     what sluice@legal.service uses, too')
  expect(first.out).toContain(
    'left     /etc/sluice/sluice.yaml, /etc/sluice/token, /var/lib/sluice  (--purge removes them)',
  )
  expect([drop_in, 'etc/systemd/system/sluice.service', 'etc/sluice/token'].map(has)).toEqual([
    false,
    true,
    true,
  ])
  await sluice('uninstall', '--instance', 'legal', '--purge')
  expect(
    ['etc/systemd/system/sluice.service', 'etc/sluice/legal.token', 'var/lib/sluice'].map(has),
  ).toEqual([false, false, true])
  await sluice('uninstall', '--purge')
  expect(['etc/sluice', 'var/lib/sluice'].map(has)).toEqual([false, false])
})

test('a configuration that holds the address of a webhook stays closed to others, even if a package installed it', async () => {
  const alerts = { deliver: [{ webhook: { url: 'https://chat.example.com/hooks/s3cret' } }] }
  const { sluice, file, root } = machine({ alerts })
  const { out } = await sluice('install', '--config', file)
  expect(modeOf(join(root, 'etc/sluice/sluice.yaml'))).toBe('640')
  expect(out).toContain('chgrp sluice /etc/sluice/sluice.yaml')
})

test('the advice opens a closed parent directory, or the folder itself, for the service', () => {
  expect(openingAdvice({ path: '/home/ada/papers', parent: '/home/ada' })).toMatch(
    /^setfacl -m u:sluice:x \/home\/ada {4}#/,
  )
  expect(openingAdvice({ path: '/srv/papers', parent: undefined })).toMatch(
    /^setfacl -R -m .* \/srv\/papers {4}#/,
  )
})

test('uninstall says so if nothing is installed', async () => {
  const { sluice, file } = machine()
  expect((await sluice('uninstall')).out).toBe('nothing is installed\n')
  await sluice('install', '--config', file)
  expect((await sluice('uninstall', '--instance', 'typo')).out).toBe(
    'nothing is installed as sluice@typo.service\n',
  )
  await sluice('uninstall', '--purge')
  expect((await sluice('uninstall', '--purge')).out).toBe('nothing is installed\n')
})

test('uninstall stops a unit before it removes it, with or without its drop-in, and leaves a masked unit', async () => {
  const { sluice, file, root, has } = machine()
  await sluice('install', '--config', file)
  rmSync(join(root, dirname(drop_in)), { recursive: true })
  expect((await sluice('uninstall')).out).toMatch(
    /^not run {2}systemctl disable --now sluice\.service\nremove /,
  )
  const unit = join(root, 'etc/systemd/system/sluice.service')
  symlinkSync('/dev/null', unit)
  const { out } = await sluice('uninstall')
  expect(out).toContain('not run  systemctl stop sluice.service\n')
  expect(out).toContain(`kept     ${unit}  (masked)\n`)
  expect(lstatSync(unit).isSymbolicLink()).toBe(true)
  expect(has('etc/systemd/system/sluice@.service')).toBe(false)
})

test('uninstall keeps the shared files for an enabled instance without a drop-in', async () => {
  const { sluice, file, root, has } = machine()
  await sluice('install', '--config', file)
  mkdirSync(join(root, 'etc/systemd/system/multi-user.target.wants'))
  symlinkSync(
    '../sluice@.service',
    join(root, 'etc/systemd/system/multi-user.target.wants/sluice@legal.service'),
  )
  expect((await sluice('uninstall')).out).toContain('kept     what sluice@legal.service uses, too')
  expect(has('etc/systemd/system/sluice@.service')).toBe(true)
})

test('uninstall --purge names the files that it leaves', async () => {
  const secret_file = '/run/credentials/sluice.service/hook'
  const alerts = {
    deliver: [{ webhook: { url: 'https://chat.example.com/hooks/s3cret', secret_file } }],
  }
  const { sluice, file, root } = machine({ alerts, state_dir: '/data/sluice' })
  await sluice('install', '--config', file)
  mkdirSync(join(root, 'data/sluice'), { recursive: true })
  writeFileSync(join(root, 'etc/sluice/hook'), 'whsec_x')
  await sluice('uninstall')
  const { out } = await sluice('uninstall', '--purge')
  expect(out).toContain('left     /etc/sluice/hook, /data/sluice  (yours to remove)')
  expect([
    existsSync(join(root, 'etc/sluice/hook')),
    existsSync(join(root, 'data/sluice')),
  ]).toEqual([true, true])
})

test('uninstall --purge removes the state of a dynamic user, and names the files that an administrator added beside the unit', async () => {
  const { sluice, file, root, has } = machine()
  await sluice('install', '--config', file)
  mkdirSync(join(root, 'var/lib/private/sluice'), { recursive: true })
  symlinkSync('private/sluice', join(root, 'var/lib/sluice'))
  const own = '/etc/systemd/system/sluice.service.d/20-dynamic-user.conf'
  writeFileSync(join(root, own), '[Service]')
  const { out } = await sluice('uninstall', '--purge')
  expect(out).toContain(`left     ${own}  (yours to remove)\n`)
  expect([own, 'var/lib/private/sluice', 'var/lib/sluice'].map(has)).toEqual([true, false, false])
})

test('install does not replace a masked unit; the unit of another instance stays masked', async () => {
  const { sluice, file, root, has } = machine()
  const unit = join(root, 'etc/systemd/system/sluice.service')
  mkdirSync(dirname(unit), { recursive: true })
  symlinkSync('/dev/null', unit)
  const { code, err } = await sluice('install', '--config', file)
  expect(code).toBe(1)
  expect(err).toContain('/etc/systemd/system/sluice.service is masked')
  expect(err).toContain('systemctl unmask sluice.service')
  expect(has('etc/sluice')).toBe(false)
  const other = await sluice('install', '--config', file, '--instance', 'legal')
  expect([other.code, other.out]).toEqual([
    0,
    expect.stringContaining(`kept     ${unit}  (masked)\n`),
  ])
  expect(lstatSync(unit).isSymbolicLink()).toBe(true)
  symlinkSync('/dev/null', join(root, 'etc/systemd/system/sluice@law.service'))
  expect((await sluice('install', '--config', file, '--instance', 'law')).err).toContain(
    'sluice@law.service is masked',
  )
})
