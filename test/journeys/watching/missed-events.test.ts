import { appendFileSync, linkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import type { FolderView } from '../../../src/ledger/views/view-folders.ts'
import { folderStatus } from '../../../src/status/folders.ts'
import { LineWriter } from '../../../src/status/text/lines.ts'
import { folderLines } from '../../../src/status/text/text-folder.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const names = Array.from({ length: 12 }, (_, index) => `${index}.txt`)
const tree = Object.fromEntries(names.map((name) => [`docs/${name}`, `text of ${name}\n`]))

/**
 * A write through another name of the file, outside the folder, causes no event in the watched
 * directory.
 */
function linkOutside(journey: Journey): void {
  for (const name of names) linkSync(journey.at(`docs/${name}`), journey.at(name))
}

function changeWithoutEvent(journey: Journey, count: number): void {
  for (const name of names.slice(0, count))
    appendFileSync(journey.at(name), 'no event reported it\n')
}

/**
 * Waits for a scan that began after this call: an earlier one may be running because a watcher was
 * replaced.
 */
async function scanned(journey: Journey, clock: MovingClock): Promise<number | undefined> {
  const asked_ms = clock.now_ms()
  journey.daemon.rescan('docs')
  await journey.until('it is scanned', () => (journey.folder()?.scan_began_ms ?? 0) >= asked_ms)
  await journey.idle()
  return missedIn(journey)
}

function missedIn(journey: Journey): number | undefined {
  const summary = journey.folder()?.scan_summary
  return summary == null ? undefined : (JSON.parse(summary) as { missed?: number }).missed
}

function readFolders(journey: Journey): FolderView[] {
  const view = openLedgerView(journey.config().state_dir)
  try {
    return view.folders()
  } finally {
    view.close()
  }
}

const watched_by = async (journey: Journey) =>
  (await journey.daemon.ledger.folders()).find(({ name }) => name === 'docs')?.watch

const changes = (journey: Journey) => readFolders(journey)[0]!.watcher_changes

localJourneys('events that the watcher missed', (profile) => {
  test('are counted by the scan that finds them; reported events and the first scan are not counted', async () => {
    const clock = new MovingClock()
    const folders = { docs: { watch: 'native' } }
    const journey = await begin(
      { profile, tree, folders, clock, service: { clock } },
      'not started',
    )
    linkOutside(journey)
    await journey.start()
    await journey.allReady()
    await journey.idle()
    clock.skip(2 * minute_ms)
    expect(await scanned(journey, clock)).toBe(0)
    journey.write({ 'docs/reported.txt': 'reported' })
    await journey.stage('docs/reported.txt', 'ready')
    clock.skip(2 * minute_ms)
    expect(await scanned(journey, clock)).toBe(0)

    changeWithoutEvent(journey, 3)
    clock.skip(2 * minute_ms)
    expect(await scanned(journey, clock)).toBe(3)
    await journey.allReady()
    // The next scan comes by itself after a quarter of an hour; the changes are known then.
    const before = journey.folder()?.scan_ended_ms
    clock.skip(17 * minute_ms)
    await journey.until('it is scanned soon', () => journey.folder()?.scan_ended_ms !== before)
    expect(missedIn(journey)).toBe(0)
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5 ?? '') })
  })

  test('a watcher that reports no events is replaced, then given up in favour of scans, and tried again a day later', async () => {
    const clock = new MovingClock()
    const folders = { docs: { watch: 'native' } }
    const journey = await begin(
      { profile, tree, folders, clock, service: { clock } },
      'not started',
    )
    linkOutside(journey)
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect(await watched_by(journey)).toMatchObject({
      watcher: 'native',
      reason: 'watch: native in the configuration',
    })
    for (const then of ['replaced', 'given_up'] as const) {
      // Scans count missed events once one of them has begun under the new watcher.
      await journey.until('a scan counts', async () => {
        clock.skip(2 * minute_ms)
        return (await scanned(journey, clock)) !== undefined
      })
      changeWithoutEvent(journey, 11)
      clock.skip(2 * minute_ms)
      // The scan under the next watcher follows at once, and its summary replaces this one's.
      journey.daemon.rescan('docs')
      await journey.until(`it is ${then}`, () => changes(journey)[then] === 1)
      await journey.allReady()
    }
    expect(await watched_by(journey)).toMatchObject({ watcher: 'scan' })
    expect((await watched_by(journey))?.given_up?.reason).toBe(
      'the native watcher missed 11 files again after it was replaced',
    )
    const status = folderStatus(readFolders(journey)[0]!)
    const why = 'a scan found 11 files that it missed'
    expect(status.watcher_changes).toEqual({
      replaced: 1,
      given_up: 1,
      last: { at: expect.any(String), why },
    })
    const writer = new LineWriter(200)
    folderLines(writer, status, clock.now_ms())
    expect(writer.lines.map(({ text }) => text.trim())).toContainEqual(
      expect.stringMatching(
        /^its watcher was replaced once, given up for scans once \(last .* ago: a scan found 11 files that it missed\)$/,
      ),
    )
    // A restart keeps the choice, and scans find changes without a request.
    await journey.restart({ folders: { docs: { watch: 'native' } } })
    await journey.idle()
    expect(await watched_by(journey)).toMatchObject({
      watcher: 'scan',
      reason: expect.stringContaining('the native watcher missed'),
    })
    clock.skip(day_ms)
    await scanned(journey, clock)
    await journey.until(
      'it is watched again',
      async () => (await watched_by(journey))?.watcher === 'native',
    )
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5 ?? '') })
  })
})
