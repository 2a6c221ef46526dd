import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSystemdNotify } from '../../src/base/net/systemd-notify.ts'
import type { SluiceError } from '../../src/base/run/errors.ts'
import { makeTree } from '../rig/tree.ts'

/** The tests in test/journeys/systemd/ show how a real service manager reads the messages. */

test('without a service manager notify does nothing', async () => {
  const notify = openSystemdNotify({ environment: { WATCHDOG_USEC: '5000000' }, on_error: raise })
  expect(notify).toMatchObject({ is_heard: false, watchdog_ms: undefined })
  await Promise.all([
    notify.ready('ready'),
    notify.status('7 ready'),
    notify.watchdog(),
    notify.stopping('bye'),
  ])
  await notify.close()
})

test('an unreachable manager is reported once and never thrown', async () => {
  const faults: SluiceError[] = []
  const environment = { NOTIFY_SOCKET: join(makeTree(), 'nobody'), WATCHDOG_USEC: '5000000' }
  const notify = openSystemdNotify({ environment, on_error: (error) => faults.push(error) })
  expect(notify).toMatchObject({ is_heard: true, watchdog_ms: 5_000 })
  await notify.ready('ready')
  await notify.status('7 ready')
  expect(faults.map(({ code }) => code)).toEqual(['systemd.not_sent'])
})

test.each([undefined, '0', '-1', 'often'])(
  'WATCHDOG_USEC=%s turns no watchdog on',
  (WATCHDOG_USEC) => {
    const environment = { NOTIFY_SOCKET: '/nobody', WATCHDOG_USEC }
    expect(openSystemdNotify({ environment, on_error: raise }).watchdog_ms).toBeUndefined()
  },
)

function raise(error: Error): never {
  throw error
}
