import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, onTestFinished } from 'vitest'
import { connectControl } from '../../../src/control/control-client.ts'
import { startService } from '../../rig/local-service.ts'
import { makeTree } from '../../rig/tree.ts'
import { describeInstalled, test } from './installed.ts'
import { unitEnvironment, watchdog_s, watchPuts } from './quick-watchdog.ts'
import { SlowLine } from './slow-line.ts'

/** Just below the default maximum size of a file. */
const large_bytes = 4_000_000_000
/** Thirty megabytes a second: the upload takes more than two minutes. */
const fast_tick_ms = 2
/** The service stores what it receives. */
const no_room = roomIn(tmpdir()) < 1.5 * large_bytes
if (no_room) console.warn(`the upload of 4 GB is skipped: there is no room for it in ${tmpdir()}`)

function roomIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

describeInstalled('the watchdog', () => {
  test.skipIf(no_room)(
    'an upload of 4 GB that records no fact for minutes is not killed',
    async ({ lab, sluice }) => {
      const service = await startService({ data_dir: makeTree() })
      onTestFinished(() => service.close())
      const line = new SlowLine(service, fast_tick_ms)
      await line.listen()
      onTestFinished(() => line.close())
      const Environment = unitEnvironment(lab, {
        request_timeout_ms: 8_000,
        stall_timeout_ms: 3_000,
      })
      const silence_s = 17
      const { project_id } = service.projects.create('films')
      sluice.giveToken(service.tokens.create('films').token)
      sluice.configure({ service: { base_url: line.api, project_id } })
      await sluice.change({ Environment, WatchdogSec: watchdog_s, RestartSec: '100ms' })
      sluice.write({ 'film.mp4': { bytes: large_bytes } })
      const puts = watchPuts(service)
      const said_before = (await sluice.log()).length
      await sluice.start()
      // Otherwise the first audit would begin after a minute and record facts.
      const control = await connectControl(lab.path('/var/lib/sluice'))
      await control!.audit()
      await control!.close()
      const [began, ended] = [await puts.began, await puts.ended]
      await lab.until(
        'it is sent',
        async () => (await sluice.log()).includes('sent: docs/film.mp4'),
        () => sluice.tail(),
      )
      const quietest_ms = longestWithoutFact(
        (await lab.run('sluice', 'explain', 'docs/film.mp4', '--json')).out,
      )
      const seconds = (ms: number) => Math.round(ms / 100) / 10
      console.info(
        `${line.passed_bytes} bytes in ${seconds(ended - began)} s, ${seconds(quietest_ms)} s of them without a fact, ` +
          `with a watchdog of ${watchdog_s} s and a silence of ${silence_s} s`,
      )
      expect(puts.count).toBe(1)
      expect(line.passed_bytes).toBeGreaterThan(large_bytes)
      expect(quietest_ms).toBeGreaterThan(5 * (silence_s + watchdog_s) * 1_000)
      expect((await sluice.log()).slice(said_before)).not.toContain('no heartbeat of')
      expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
    },
  )
})

/** Longest time between two entries of its history. */
function longestWithoutFact(explanation: string): number {
  const { history } = JSON.parse(explanation) as { history: { at: string }[] }
  const times = history.map(({ at }) => Date.parse(at))
  return Math.max(...times.slice(1).map((at, index) => at - times[index]!))
}
