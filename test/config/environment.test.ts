import { spawnSync } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { environmentWith, readEnvironment } from '../../src/config/environment.ts'

test('a proxy variable in lower case comes first, as in curl', () => {
  const env = {
    https_proxy: 'http://small',
    HTTPS_PROXY: 'http://large',
    HTTP_PROXY: 'http://only',
    no_proxy: '',
  }
  expect(readEnvironment(env).proxy).toEqual({
    https_proxy: 'http://small',
    http_proxy: 'http://only',
    no_proxy: undefined,
  })
})

test.each([{}, { PATH: '' }])(
  'without PATH, programs are looked for where execvp does: %j',
  (env) => expect(readEnvironment(env).for_commands.PATH).toBe('/bin:/usr/bin'),
)

test('NO_COLOR counts with any value, as no-color.org says', () => {
  expect(readEnvironment({ NO_COLOR: '1' }).no_color).toBe(true)
  expect(readEnvironment({ NO_COLOR: '' }).no_color).toBe(false)
})

test.each([
  [{}, false],
  [{ FORCE_COLOR: '' }, false],
  [{ FORCE_COLOR: '0' }, false],
  [{ FORCE_COLOR: '1' }, true],
])('%j forces colours: %s', (env, forced) => expect(readEnvironment(env).force_color).toBe(forced))

test('journald reads the log only if JOURNAL_STREAM names standard error', () => {
  const { dev, ino } = fstatSync(2, { bigint: true })
  expect(readEnvironment({ JOURNAL_STREAM: `${dev}:${ino}` }).journal).toBe(true)
  expect(readEnvironment({ JOURNAL_STREAM: `${dev}:${ino + 1n}` }).journal).toBe(false)
  expect(readEnvironment({}).journal).toBe(false)
})

test('the watchdog counts only if it is meant for this process', () => {
  const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '5000000' }
  expect(readEnvironment({ ...env, WATCHDOG_PID: String(process.pid) }).notify).toEqual(env)
  expect(readEnvironment({ ...env, WATCHDOG_PID: '1' }).notify.WATCHDOG_USEC).toBeUndefined()
})

test('without an argument it reads the environment of the process', () => {
  const built = fileURLToPath(new URL('../../dist/config/environment.js', import.meta.url))
  const code = `import { readEnvironment } from ${JSON.stringify(built)}; console.log(readEnvironment().config_file)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, SLUICE_CONFIG: '/from/outside' },
  })
  expect(stdout).toBe('/from/outside\n')
})

test('a command with its own configuration takes no service, token, proxy or unit from the environment', () => {
  const own = { PATH: '/bin', HOME: '/home/ada', NO_COLOR: '1' }
  const others = {
    SLUICE_TOKEN: 'pat_secret',
    SLUICE_CONFIG: '/etc/sluice/sluice.yaml',
    HTTPS_PROXY: 'http://proxy',
    no_proxy: 'a',
    CREDENTIALS_DIRECTORY: '/run/credentials/sluice.service',
    STATE_DIRECTORY: '/var/lib/sluice',
    NOTIFY_SOCKET: '/run/notify',
    WATCHDOG_PID: '1',
  }
  expect(environmentWith('/tmp/demo.yaml', { ...own, ...others })).toEqual({
    ...own,
    SLUICE_CONFIG: '/tmp/demo.yaml',
  })
})
