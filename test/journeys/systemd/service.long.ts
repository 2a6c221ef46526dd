import { expect } from 'vitest'
import { holdNext } from '../rig/hold.ts'
import { describeInstalled, test } from './installed.ts'

/** More than the sockets hold: half of it is received, and the rest waits here. */
const large = 'All work and no play.\n'.repeat(400_000)

describeInstalled('under systemd', () => {
  test('it is active when it is ready, under its own user, with the token from the credential; the status shows its state', async ({
    lab,
    sluice,
  }) => {
    sluice.write({ 'a.txt': 'one', 'b.txt': 'two' })
    await sluice.start()
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', SubState: 'running' })
    await sluice.untilStatus('2 ready')
    expect(sluice.readyAssets()).toBe(2)
    const { MainPID } = await lab.show('sluice', 'MainPID')
    expect(
      await lab.sh(`stat -c '%U %a' /proc/${MainPID} /var/lib/sluice /var/lib/sluice/ledger.db`),
    ).toBe('sluice 555\nsluice 700\nsluice 600\n')
    const entries = await lab.journal('sluice')
    expect(entries.find(({ text }) => text.includes('is running'))).toMatchObject({ priority: 6 })

    sluice.write({ 'c.txt': 'three', 'empty.txt': '' })
    await sluice.untilStatus(/^3 ready/)
    sluice.revokeToken()
    sluice.write({ 'd.txt': 'four' })
    await sluice.untilStatus(/^token refused: .*; 3 ready, 1 on the way$/)
    expect(await sluice.log()).not.toMatch(/pat_\w{32}/)
  })

  test('an offline service does not stop it: it is ready, and reports it; it continues when the service is back', async ({
    sluice,
  }) => {
    sluice.write({ 'a.txt': 'one' })
    sluice.service.injectFaults({ down: true })
    await sluice.start()
    await sluice.untilStatus('service unreachable, retrying; 0 ready, 1 on the way')
    sluice.service.injectFaults({ down: false })
    await sluice.untilStatus('1 ready')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
  })

  test('a refused token ends it with 77, an invalid configuration with 78, and systemd restarts neither', async ({
    lab,
    sluice,
  }) => {
    await sluice.change({ RestartSec: '100ms' })
    sluice.revokeToken()
    expect((await lab.systemctl('start', 'sluice')).code).not.toBe(0)
    expect(await sluice.state()).toMatchObject({
      ActiveState: 'failed',
      ExecMainStatus: '77',
      NRestarts: '0',
    })
    expect(await sluice.statusText()).toMatch(
      /^the service refuses the token \(systemd credential token\)/,
    )

    sluice.giveToken()
    sluice.configure({ uploads: { concurrency: 0 } })
    expect((await lab.systemctl('start', 'sluice')).code).not.toBe(0)
    expect(await sluice.state()).toMatchObject({
      ActiveState: 'failed',
      ExecMainStatus: '78',
      NRestarts: '0',
    })
    expect(await sluice.log()).toContain('concurrency')

    sluice.configure()
    await sluice.start()
  })

  test('a fault of the machine (1) is retried until it is over: another process has the ledger', async ({
    lab,
    sluice,
  }) => {
    await sluice.change({ RestartSec: '100ms' })
    sluice.write({ 'a.txt': 'one' })
    await lab.sh(
      'systemd-run --quiet --unit=other --setenv=SLUICE_TOKEN_FILE=/etc/sluice/token sluice run --config /etc/sluice/sluice.yaml',
    )
    await lab.until(
      'the other has it',
      () => sluice.readyAssets() === 1,
      () => lab.sh('journalctl --unit other --no-pager'),
    )
    expect((await lab.systemctl('start', '--no-block', 'sluice')).code).toBe(0)
    await lab.until(
      'it was tried more than once',
      async () => Number((await sluice.state()).NRestarts) > 1,
      () => sluice.tail(),
    )
    const log = await sluice.log()
    expect(log).toContain('another Sluice process is at work on /var/lib/sluice')
    expect(log).toContain('status=1/FAILURE')
    await lab.systemctl('stop', 'other')
    await sluice.untilStatus('1 ready')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', SubState: 'running' })
  })

  test('systemd restarts it after a crash, and its uploads continue', async ({ lab, sluice }) => {
    await sluice.change({ RestartSec: '100ms' })
    sluice.write({ 'a.txt': 'one' })
    const hold = holdNext(sluice.service, 'during', 'put')
    sluice.write({ 'large.txt': large })
    await sluice.start()
    await hold.reached()
    await lab.sh('systemctl kill --kill-who=main --signal=KILL sluice')
    hold.release()
    await sluice.untilStatus('2 ready')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '1' })
  })

  test('a stop during an endless upload ends in time and successfully', async ({ lab, sluice }) => {
    sluice.write({ 'large.txt': large })
    const hold = holdNext(sluice.service, 'during', 'put')
    await sluice.start()
    await hold.reached()
    const began = performance.now()
    expect((await lab.systemctl('stop', 'sluice')).code).toBe(0)
    const took_ms = performance.now() - began
    hold.release()
    expect(await sluice.state()).toMatchObject({
      ActiveState: 'inactive',
      Result: 'success',
      ExecMainStatus: '0',
    })
    // The daemon gives running uploads half a minute; systemd would kill it after a minute.
    expect(took_ms).toBeGreaterThan(25_000)
    expect(took_ms).toBeLessThan(50_000)
    console.info(`a stop with an upload in flight took ${Math.round(took_ms / 100) / 10} s`)
    await sluice.start()
    await sluice.untilStatus('1 ready')
  })
})
