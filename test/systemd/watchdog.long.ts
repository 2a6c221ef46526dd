import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { connectControl } from '../../src/control/control-client.ts'
import { type Service, startService } from '../../src/service/service.ts'
import { constants_setter, constantsEnv } from '../config-of.ts'
import { makeTree } from '../tree.ts'
import { describeInstalled, test } from './installed.ts'
import type { Lab } from './lab.ts'
import { SlowLine } from './slow-line.ts'

const hanging_daemon = fileURLToPath(new URL('hanging-daemon.mjs', import.meta.url))
/** Short, so that a test sees what takes minutes otherwise; every rightful silence is shorter still. */
const quick = {
  watchdog: { silence_ms: 3_000 },
  uploads: { request_timeout_ms: 1_000, stall_timeout_ms: 1_000, small_file_bytes: 8_192 },
}
const setter = '/usr/local/lib/set-constants.mjs'

/** For the unit: the environment in which these are the constants of the daemon. */
function unitEnvironment(lab: Lab, uploads: Record<string, number>): string {
  lab.copyIn(constants_setter, setter)
  const changed = { ...quick, uploads: { ...quick.uploads, ...uploads } }
  const variables = constantsEnv(changed, { setter, build: '/usr/local/lib/node_modules/sluice/dist' })
  return Object.entries(variables)
    .map(([name, value]) => `'${name}=${value}'`)
    .join(' ')
}
const watchdog_s = 4
/** The largest that is taken by default, nearly. */
const film_bytes = 4_000_000_000
/** Thirty megabytes a second: two minutes and more. */
const fast_tick_ms = 2
/** The service keeps what it receives. */
const no_room = roomIn(tmpdir()) < 1.5 * film_bytes
if (no_room) console.warn(`the upload of 4 GB is skipped: there is no room for it in ${tmpdir()}`)

function roomIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

describeInstalled('the watchdog', () => {
  test('one worker hangs while the event loop and all else live: named in the log, and restarted', async ({
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
    // It hangs now, and the others go on: what comes is still sent.
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
    const stuck = texts.findIndex((text) => text.includes('stuck: the ledger: claimToFollow has not moved for'))
    expect(entries[stuck]).toMatchObject({ priority: 3 })
    expect(texts.some((text) => text.includes('stuck: follower has not moved'))).toBe(true)
    expect(texts[stuck]).toContain('"since":"')
    // The event loop lived until the end, which was the watchdog's.
    expect(texts.slice(stuck).some((text) => text.includes('the event loop lives'))).toBe(true)
    expect(texts.some((text) => text.includes('Watchdog timeout'))).toBe(true)
    // It does not come again.
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '1' })
  })

  // Of a slow line, what the sockets on the way hold passes in seconds: so long may one piece, and the answer, be waited for.
  test('an upload that is quiet for longer than the watchdog and the silence together goes on while its bytes move', async ({
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
    // By the daemon of the test before.
    const said_before = (await sluice.log()).length
    await sluice.start()
    await lab.until(
      'it is sent',
      async () => (await sluice.log()).includes('sent: docs/large.txt'),
      () => sluice.tail(),
    )
    const quiet_ms = (await puts.ended) - (await puts.began)
    console.info(`one upload, quiet for ${Math.round(quiet_ms / 100) / 10} s, with a watchdog of ${watchdog_s} s`)
    expect(puts.count).toBe(1)
    expect(quiet_ms).toBeGreaterThan(1.2 * (silence_s + watchdog_s) * 1_000)
    expect(line.passed_bytes).toBeGreaterThan(72_000_000)
    expect((await sluice.log()).slice(said_before)).not.toContain('stuck:')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
  })

  test.skipIf(no_room)('an upload of 4 GB, for minutes without a fact, is left alone', async ({ lab, sluice }) => {
    const service = await startService({ data_dir: makeTree() })
    onTestFinished(() => service.close())
    const line = new SlowLine(service, fast_tick_ms)
    await line.listen()
    onTestFinished(() => line.close())
    const Environment = unitEnvironment(lab, { request_timeout_ms: 8_000, stall_timeout_ms: 3_000 })
    const silence_s = 17
    const { project_id } = service.projects.create('films')
    sluice.giveToken(service.tokens.create('films').token)
    sluice.configure({ service: { base_url: line.api, project_id } })
    await sluice.change({ Environment, WatchdogSec: watchdog_s, RestartSec: '100ms' })
    sluice.write({ 'film.mp4': { bytes: film_bytes } })
    const puts = watchPuts(service)
    const said_before = (await sluice.log()).length
    await sluice.start()
    // Its first round is otherwise begun after a minute, and is a fact.
    const control = await connectControl(lab.path('/var/lib/sluice'))
    await control!.audit()
    await control!.close()
    const [began, ended] = [await puts.began, await puts.ended]
    await lab.until(
      'it is sent',
      async () => (await sluice.log()).includes('sent: docs/film.mp4'),
      () => sluice.tail(),
    )
    const quietest_ms = longestWithoutFact((await lab.run('sluice', 'explain', 'docs/film.mp4', '--json')).out)
    const seconds = (ms: number) => Math.round(ms / 100) / 10
    console.info(
      `${line.passed_bytes} bytes in ${seconds(ended - began)} s, ${seconds(quietest_ms)} s of them without a fact, ` +
        `with a watchdog of ${watchdog_s} s and a silence of ${silence_s} s`,
    )
    expect(puts.count).toBe(1)
    expect(line.passed_bytes).toBeGreaterThan(film_bytes)
    expect(quietest_ms).toBeGreaterThan(5 * (silence_s + watchdog_s) * 1_000)
    expect((await sluice.log()).slice(said_before)).not.toContain('stuck:')
    expect(await sluice.state()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
  })
})

/** The bodies of uploads that the service takes; the times are those of the first. */
function watchPuts(service: Service) {
  const puts = { count: 0, began: untilTold(), ended: untilTold() }
  const unlisten = [
    service.on('begin', ({ place }) => {
      if (place !== 'put') return
      puts.count++
      puts.began.tell()
    }),
    service.on('handled', ({ place }) => void (place === 'put' && puts.ended.tell())),
  ]
  onTestFinished(() => unlisten.forEach((off) => void off()))
  return {
    get count() {
      return puts.count
    },
    began: puts.began.at,
    ended: puts.ended.at,
  }
}

/** Resolves with the time when it is told. */
function untilTold() {
  let tell = () => {}
  const at = new Promise<number>((resolve) => {
    tell = () => resolve(performance.now())
  })
  return { at, tell: () => tell() }
}

/** Between two entries of its history, at the most. */
function longestWithoutFact(explanation: string): number {
  const { history } = JSON.parse(explanation) as { history: { at: string }[] }
  const times = history.map(({ at }) => Date.parse(at))
  return Math.max(...times.slice(1).map((at, index) => at - times[index]!))
}
