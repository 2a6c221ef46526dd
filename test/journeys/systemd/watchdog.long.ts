import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { describeInstalled, test } from './installed.ts'
import { unitEnvironment, watchdog_s, watchPuts } from './quick-watchdog.ts'
import { SlowLine } from './slow-line.ts'

const hanging_daemon = fileURLToPath(new URL('hanging-daemon.mjs', import.meta.url))

describeInstalled('the watchdog', () => {
  test('one worker hangs while the event loop and all other workers run: it is named in the log, and the daemon is restarted', async ({
    lab,
    sluice,
  }) => {
    lab.copyIn(hanging_daemon, '/usr/local/lib/hanging-daemon.mjs')
    const ExecStart = `\nExecStart=${process.execPath} /usr/local/lib/hanging-daemon.mjs`
    await sluice.change({
      ExecStart,
      Environment: `SLUICE_CONFIG=/etc/sluice/sluice.yaml ${unitEnvironment(lab, {})}`,
      WatchdogSec: watchdog_s,
      RestartSec: '100ms',
    })
    sluice.write({ 'a.txt': 'one' })
    await sluice.start()
    // The worker hangs, and the others continue: new files are still sent.
    await lab.until(
      'the first is in',
      () => sluice.readyAssets() === 1,
      () => sluice.tail(),
    )
    sluice.write({ 'b.txt': 'two' })
    await lab.until(
      'the second is in',
      () => sluice.readyAssets() === 2,
      () => sluice.tail(),
    )
    expect((await sluice.state()).NRestarts).toBe('0')

    await lab.until(
      'it is restarted',
      async () => (await sluice.state()).NRestarts === '1',
      () => sluice.tail(),
    )
    await sluice.untilStatus('2 ready')
    const entries = await lab.journal('sluice')
    const texts = entries.map(({ text }) => text)
    const stuck = texts.findIndex((text) =>
      text.includes('no heartbeat of the ledger: claimToFollow for'),
    )
    expect(entries[stuck]).toMatchObject({ priority: 3 })
    expect(texts.some((text) => text.includes('no heartbeat of follower for'))).toBe(true)
    expect(texts[stuck]).toMatch(/ since=\d{4}-/)
    // The event loop ran until the watchdog killed the process.
    expect(texts.slice(stuck).some((text) => text.includes('the event loop lives'))).toBe(true)
    expect(texts.some((text) => text.includes('Watchdog timeout'))).toBe(true)
    // It does not happen again.
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '1' })
  })

  // The sockets of a slow line drain within seconds, so one piece and the answer may take this
  // long.
  test('an upload that is silent for longer than the watchdog and the permitted silence together continues while its bytes move', async ({
    lab,
    sluice,
  }) => {
    const line = new SlowLine(sluice.service)
    await line.listen()
    onTestFinished(() => line.close())
    const Environment = unitEnvironment(lab, { request_timeout_ms: 4_000, stall_timeout_ms: 3_000 })
    const silence_s = 9
    sluice.configure({ service: { base_url: line.api } })
    await sluice.change({ Environment, WatchdogSec: watchdog_s, RestartSec: '100ms' })
    sluice.write({ 'large.txt': 'All work and no play.\n'.repeat(3_300_000) })
    const puts = watchPuts(sluice.service)
    // Earlier lines are from the daemon of the previous test.
    const said_before = (await sluice.log()).length
    await sluice.start()
    await lab.until(
      'it is sent',
      async () => (await sluice.log()).includes('sent: docs/large.txt'),
      () => sluice.tail(),
    )
    const quiet_ms = (await puts.ended) - (await puts.began)
    console.info(
      `one upload, quiet for ${Math.round(quiet_ms / 100) / 10} s, with a watchdog of ${watchdog_s} s`,
    )
    expect(puts.count).toBe(1)
    expect(quiet_ms).toBeGreaterThan(1.2 * (silence_s + watchdog_s) * 1_000)
    expect(line.passed_bytes).toBeGreaterThan(72_000_000)
    expect((await sluice.log()).slice(said_before)).not.toContain('no heartbeat of')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
  })
})
