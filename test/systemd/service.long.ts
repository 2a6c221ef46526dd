import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holdNext } from '../journey/hold.ts'
import { Installed } from './installed.ts'
import { bootLab, type Lab, no_lab } from './lab.ts'

/** Longer than what sockets hold: half of it is in, and the rest waits here. */
const large = 'All work and no play.\n'.repeat(400_000)

describe.skipIf(no_lab)('under systemd', () => {
  let lab: Lab
  let sluice: Installed
  beforeAll(async () => {
    lab = await bootLab()
    sluice = await Installed.in(lab)
  })
  beforeEach(() => sluice.begin())
  afterAll(async () => {
    await lab?.close()
    await sluice?.close()
  })

  async function start(): Promise<void> {
    const { code, err } = await lab.systemctl('start', 'sluice')
    expect(code, err + (await sluice.tail())).toBe(0)
  }

  test('it is active when it is ready, as its own user, with the token from the credential; the status says how it goes', async () => {
    sluice.write({ 'a.txt': 'one', 'b.txt': 'two' })
    await start()
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', SubState: 'running' })
    await sluice.untilStatus('2 ready')
    expect(sluice.readyAssets()).toBe(2)
    const { MainPID } = await lab.show('sluice', 'MainPID')
    expect(await lab.sh(`stat -c '%U %a' /proc/${MainPID} /var/lib/sluice /var/lib/sluice/ledger.db`)).toBe(
      'sluice 555\nsluice 700\nsluice 600\n',
    )
    const entries = await lab.journal('sluice')
    expect(entries.find(({ text }) => text.includes('is running'))).toMatchObject({ priority: 6 })

    sluice.write({ 'c.txt': 'three', 'empty.txt': '' })
    await sluice.untilStatus(/^3 ready/)
    sluice.revokeToken()
    sluice.write({ 'd.txt': 'four' })
    await sluice.untilStatus(/^token refused: .*; 3 ready, 1 on the way$/)
    expect(await sluice.log()).not.toMatch(/pat_\w{32}/)
  })

  test('a reload takes up another configuration without a restart, and refuses a faulty one', async () => {
    sluice.write({ 'a.txt': 'one' })
    await lab.sh('mkdir -p /srv/more && echo two > /srv/more/b.txt')
    await start()
    await sluice.untilStatus('1 ready')
    const before = await lab.show('sluice', 'MainPID')
    const docs = { name: 'docs', path: '/srv/docs', settle_ms: '50ms' }
    const more = { name: 'more', path: '/srv/more', settle_ms: '50ms' }
    sluice.configure({ folders: [docs, more] })
    expect((await lab.systemctl('reload', 'sluice')).code).toBe(0)
    await sluice.untilStatus('2 ready')

    sluice.configure({ folders: [docs, { ...more, path: '/srv/docs/inside', surprise: true }] })
    await lab.systemctl('reload', 'sluice')
    await lab.until(
      'it is refused',
      async () => (await sluice.log()).includes('not reloaded'),
      () => sluice.tail(),
    )
    await lab.sh('echo three > /srv/more/c.txt')
    await sluice.untilStatus('3 ready')
    expect(await lab.show('sluice', 'MainPID')).toEqual(before)
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
    const refused = (await lab.journal('sluice')).filter(({ priority }) => priority === 3)
    expect(refused.some(({ text }) => text.includes('surprise'))).toBe(true)
  })

  test('a new token is taken up by a restart', async () => {
    sluice.write({ 'a.txt': 'one' })
    await start()
    await sluice.untilStatus('1 ready')
    sluice.revokeToken()
    sluice.giveToken()
    expect((await lab.systemctl('restart', 'sluice')).code).toBe(0)
    sluice.write({ 'b.txt': 'two' })
    await sluice.untilStatus('2 ready')
  })

  test('a service that is down is no fault: ready, and told; it goes on when the service is back', async () => {
    sluice.write({ 'a.txt': 'one' })
    sluice.service.setBadDays({ down: true })
    await start()
    await sluice.untilStatus('service unreachable, trying; 0 ready, 1 on the way')
    sluice.service.setBadDays({ down: false })
    await sluice.untilStatus('1 ready')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
  })

  test('a refused token ends it with 77, a wrong configuration with 78, and neither is tried again', async () => {
    await sluice.change({ RestartSec: '100ms' })
    sluice.revokeToken()
    expect((await lab.systemctl('start', 'sluice')).code).not.toBe(0)
    expect(await sluice.state()).toMatchObject({ ActiveState: 'failed', ExecMainStatus: '77', NRestarts: '0' })
    expect(await sluice.statusText()).toMatch(/^the service refuses the token \(systemd credential token\)/)

    sluice.giveToken()
    sluice.configure({ uploads: { concurrency: 0 } })
    expect((await lab.systemctl('start', 'sluice')).code).not.toBe(0)
    expect(await sluice.state()).toMatchObject({ ActiveState: 'failed', ExecMainStatus: '78', NRestarts: '0' })
    expect(await sluice.log()).toContain('concurrency')

    sluice.configure()
    await start()
  })

  test('a crash is mended by a restart, and what was begun goes on', async () => {
    await sluice.change({ RestartSec: '100ms' })
    sluice.write({ 'a.txt': 'one' })
    const hold = holdNext(sluice.service, 'during', 'put')
    sluice.write({ 'large.txt': large })
    await start()
    await hold.reached()
    await lab.sh('systemctl kill --kill-who=main --signal=KILL sluice')
    hold.release()
    await sluice.untilStatus('2 ready')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '1' })
  })

  test('a stop with an upload that does not end is over within its time, as a success', async () => {
    sluice.write({ 'large.txt': large })
    const hold = holdNext(sluice.service, 'during', 'put')
    await start()
    await hold.reached()
    const began = performance.now()
    expect((await lab.systemctl('stop', 'sluice')).code).toBe(0)
    const took_ms = performance.now() - began
    hold.release()
    expect(await sluice.state()).toMatchObject({ ActiveState: 'inactive', Result: 'success', ExecMainStatus: '0' })
    // Half a minute for what is in flight; systemd would have killed it after a minute.
    expect(took_ms).toBeGreaterThan(25_000)
    expect(took_ms).toBeLessThan(50_000)
    console.info(`a stop with an upload in flight took ${Math.round(took_ms / 100) / 10} s`)
    await start()
    await sluice.untilStatus('1 ready')
  })
})
