import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, localJourneys } from '../rig/harness.ts'

/**
 * More than the two sockets hold while the receiver does not read, so that the sender is still
 * reading the file.
 */
const large_bytes = 16 * 1024 * 1024
const large = () => Buffer.alloc(large_bytes, `${'x'.repeat(1_000)}\n`)

localJourneys('files that change during the upload', (profile) => {
  test('a large file is rewritten while it is sent: the service never completes an old version', async () => {
    const journey = await begin({ profile, tree: { 'docs/large.txt': large() } }, 'not started')
    const put = journey.hold('during', 'put')
    await journey.start()
    await put.reached()
    writeFileSync(journey.at('docs/large.txt'), 'rewritten, and shorter')
    put.release()
    await journey.allReady()
    expect(journey.assets().map(({ md5 }) => md5)).toEqual([md5Of('rewritten, and shorter')])
  })

  test('a large file grows while it is sent: only the last version is uploaded', async () => {
    const journey = await begin({ profile, tree: { 'docs/log.txt': large() } }, 'not started')
    const put = journey.hold('during', 'put')
    await journey.start()
    await put.reached()
    appendFileSync(journey.at('docs/log.txt'), 'one more line\n')
    put.release()
    await journey.allReady()
    expect(journey.assets()).toHaveLength(1)
    expect(journey.assets()[0]!.size_in_bytes).toBe(large_bytes + 14)
  })

  test('a small file is rewritten while it is sent: the last version becomes ready', async () => {
    const journey = await begin({ profile, tree: { 'docs/small.txt': 'version 1' } }, 'not started')
    const put = journey.hold('begin', 'put')
    await journey.start()
    await put.reached()
    journey.write({ 'docs/small.txt': 'version 2' })
    put.release()
    await journey.allReady()
    // The first version was sent from memory, complete as it was hashed.
    journey.ends({ also_there: [md5Of('version 1')] })
  })

  test('a file that keeps changing is uploaded once it has settled', async () => {
    // Only a skip lets an hour pass: what is recorded stays so until the test has checked it.
    // chokidar joins events that come close together.
    const clock = new MovingClock()
    const folders = { docs: { watch: 'native', settle_ms: '1h' } }
    const journey = await begin({ profile, tree: {}, folders, clock, service: { clock } })
    await journey.until('the first scan is over', () => journey.folder()?.first_scan_ms !== null)
    const growing = journey.at('docs/growing.txt')
    for (let line = 0; line < 5; line++) {
      appendFileSync(growing, `line ${line}\n`)
      const { size } = statSync(growing)
      await journey.until(
        'the change is seen',
        () => journey.file('docs/growing.txt')?.size === size,
      )
      expect(journey.file('docs/growing.txt')?.stage).toBe('seen')
    }
    clock.skip(hour_ms)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    expect(journey.assets()).toHaveLength(1)
  })

  test('a file that was unreadable or empty for long is in after the usual settle time', async () => {
    // The first skips end at the real time: times of files must be new to the daemon.
    const clock = new MovingClock()
    clock.jumpWall(-4 * day_ms)
    const names = ['docs/closed.txt', 'docs/asked.txt', 'docs/empty.txt']
    const [closed, asked, empty] = names as [string, string, string]
    const tree = { [closed]: 'closed', [asked]: 'asked', [empty]: '' }
    const folders = { docs: { watch: 'native', settle_ms: '1h' } }
    const journey = await begin({ profile, tree, folders, clock, service: { clock } })
    await journey.stage(closed, 'seen')
    await journey.stage(asked, 'seen')
    await journey.stage(empty, 'skipped empty')
    clock.skip(4 * day_ms - 11 * minute_ms)
    await journey.stage(closed, 'ready')
    await journey.stage(asked, 'ready')
    // Root may read every file, so the ledger hears of it without a check.
    const block = { type: 'file_blocked', folder: 'docs', reason: 'unreadable' } as const
    const why = { detail: 'this user may not read it', not_before_ms: clock.now_ms() + hour_ms }
    for (const path of ['closed.txt', 'asked.txt'])
      await journey.record({ ...block, ...why, path, stat: undefined })
    clock.skip(11 * minute_ms)

    for (const text of ['it has bytes', 'it has more bytes']) {
      for (const name of [closed, asked]) {
        writeFileSync(journey.at(name), text)
        if (name === asked)
          await journey.record({ type: 'retried', folder: 'docs', path: 'asked.txt' })
      }
      writeFileSync(journey.at(empty), text)
      await journey.until('the change is seen', () =>
        names.every((name) => journey.file(name)?.size === text.length),
      )
      for (const name of names) expect(journey.file(name)?.stage).toBe('seen')
    }
    clock.skip(hour_ms)
    await journey.allReady()
    journey.ends({ also_there: [md5Of('closed'), md5Of('asked')] })
  })

  test('a file that is deleted while it waits is never sent', async () => {
    const journey = await begin({ profile, tree: { 'docs/stays.txt': 'stays' } })
    await journey.allReady()
    journey.service.injectFaults({ failures: [{ status: 503 }] })
    journey.write({ 'docs/deleted.txt': 'deleted', 'docs/kept.txt': 'kept' })
    await journey.until('both are known', () =>
      ['docs/deleted.txt', 'docs/kept.txt'].every((name) => journey.file(name)?.md5),
    )
    journey.remove('docs/deleted.txt')
    await journey.stage('docs/deleted.txt', 'gone')
    journey.service.injectFaults({ failures: [] })
    await journey.allReady()
    await journey.until('its bytes are unused', () =>
      journey.contents().some(({ state }) => state === 'abandoned'),
    )
    expect(
      journey
        .assets()
        .map(({ filename }) => filename)
        .sort(),
    ).toEqual(['docs/kept.txt', 'docs/stays.txt'])
  })

  test('a large file is deleted while it is sent', async () => {
    const journey = await begin(
      { profile, tree: { 'docs/large.txt': large(), 'docs/a.txt': 'a' } },
      'not started',
    )
    const put = journey.hold('during', 'put')
    await journey.start()
    await put.reached()
    journey.remove('docs/large.txt')
    await journey.stage('docs/large.txt', 'gone')
    put.release()
    await journey.allReady()
    await journey.idle()
    // The file was open, so its bytes may have arrived as a whole, but never in part.
    const md5 = md5Of(large())
    if (journey.assets().some((asset) => asset.md5 === md5)) journey.ends({ also_there: [md5] })
  })

  test('a file is replaced by a directory, and a directory by a file', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/thing': 'a file', 'docs/box/inner.txt': 'inner' },
    })
    await journey.allReady()
    journey.remove('docs/thing')
    journey.write({ 'docs/thing/inner.txt': 'in a directory' })
    journey.remove('docs/box')
    journey.write({ 'docs/box': 'a file now' })
    await journey.allReady()
    await journey.stage('docs/thing', 'gone')
    await journey.stage('docs/box/inner.txt', 'gone')
    // The new directory is watched, too.
    journey.write({ 'docs/thing/later.txt': 'later' })
    await journey.stage('docs/thing/later.txt', 'ready')
    journey.ends({ also_there: [md5Of('a file'), md5Of('inner')] })
  })

  test('a document that is saved again and again is uploaded at most once in min_resend_s', async () => {
    const clock = new MovingClock()
    const config = { uploads: { min_resend_s: 3_600 } }
    const journey = await begin({
      profile,
      tree: { 'docs/minutes.txt': 'draft 1' },
      config,
      clock,
      service: { clock },
    })
    await journey.allReady()
    journey.write({ 'docs/minutes.txt': 'draft 2' })
    await journey.until(
      'draft 2 waits',
      () => journey.file('docs/minutes.txt')?.md5 === md5Of('draft 2'),
    )
    journey.write({ 'docs/minutes.txt': 'draft 3' })
    await journey.until(
      'draft 3 waits',
      () => journey.file('docs/minutes.txt')?.md5 === md5Of('draft 3'),
    )
    await journey.idle()
    expect(journey.requests('put')).toHaveLength(1)
    clock.skip(hour_ms)
    await journey.allReady()
    expect(journey.requests('put')).toHaveLength(2)
    journey.ends({ also_there: [md5Of('draft 1')] })
  })
})
