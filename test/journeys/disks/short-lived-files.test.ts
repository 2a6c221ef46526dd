import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatCount } from '../../../src/base/text/format.ts'
import { minute_ms, second_ms } from '../../../src/base/time/time.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { namesOf, verified } from '../audit/verified.ts'
import { begin, fullOrPart, type Journey, localJourneys } from '../rig/harness.ts'

const files = fullOrPart(1_000, 250)
const documents = ['a', 'b', 'c', 'd', 'e'].map((name) => `docs/${name}.txt`)
/** Files that come now are gone long before they would settle. */
const unsettled = { folders: { docs: { settle_ms: 600_000 } } }

function tempFiles(textOf: (index: number) => string): Record<string, string> {
  const entries = Array.from({ length: files }, (_, index) => {
    return [`docs/unpacked/${index}.txt`, textOf(index)] as const
  })
  return Object.fromEntries(entries)
}

const known = (journey: Journey) =>
  journey.files().filter(({ name }) => name.startsWith('docs/unpacked/')).length

/** A folder with known documents, in which as many short-lived files were seen. */
async function unpacked(
  profile: ProfileName,
  { names = documents, share = 1 } = {},
): Promise<Journey> {
  const tree = Object.fromEntries(names.map((name) => [name, `the document ${name}`]))
  const journey = await begin({ profile, tree })
  await journey.allReady()
  await journey.reload(unsettled)
  await journey.idle()
  journey.write(tempFiles((index) => `temporary ${index}`))
  await journey.until('they are seen', () => known(journey) >= files * share)
  return journey
}

const texts = Array.from({ length: files }, (_, index) => `temporary ${index}`)
const ready = (journey: Journey) => journey.files().filter(({ stage }) => stage === 'ready').length
const gone = (journey: Journey) => journey.files().filter(({ stage }) => stage === 'gone').length

/** A folder with known documents, into which as many other files came, and were taken up. */
async function takenUp(profile: ProfileName, options: { clock?: MovingClock } = {}) {
  const tree = Object.fromEntries(documents.map((name) => [name, `the document ${name}`]))
  const journey = await begin({ profile, tree, ...options })
  await journey.allReady()
  journey.write(tempFiles((index) => texts[index]!))
  await journey.until('they are ready', () => ready(journey) === files + documents.length)
  return journey
}

/** The folder was never offline, not even for a moment, and a new document gets in. */
async function expectOnline(journey: Journey): Promise<void> {
  await journey.until('they are forgotten', () => known(journey) === 0)
  await journey.reload({})
  await expectNewDocument(journey)
}

async function expectNewDocument(journey: Journey): Promise<void> {
  journey.write({ 'docs/new.txt': 'a new document' })
  await journey.stage('docs/new.txt', 'ready')
  expect(journey.log().filter((line) => line.includes('is offline'))).toEqual([])
  expect(journey.folder()).toMatchObject({ offline_reason: null })
}

function removeAll(journey: Journey): void {
  for (const name of readdirSync(journey.at('docs'))) journey.remove(`docs/${name}`)
}

localJourneys('many files that live for a moment', (profile) => {
  test.each([
    ['all seen', 1],
    ['still being found', 0.2],
  ])(
    '%s, and then deleted: the folder stays online, and a new document gets in',
    async (_, share) => {
      const journey = await unpacked(profile, { share })
      journey.remove('docs/unpacked')
      await expectOnline(journey)
    },
  )

  test('deleted without an event: they leave within a minute', async () => {
    const clock = new MovingClock()
    const tree = Object.fromEntries(documents.map((name) => [name, `the document ${name}`]))
    const journey = await begin({ profile, tree, clock })
    await journey.allReady()
    const quiet = { watch: 'scan', rescan_interval_ms: '7d', settle_ms: '50s' }
    await journey.reload({ folders: { docs: quiet } })
    await journey.idle()
    journey.write(tempFiles((index) => `temporary ${index}`))
    const wanted_ms = clock.now_ms()
    await journey.record({ type: 'scan_wanted', folder: 'docs', at_ms: wanted_ms })
    const seen = () => journey.files().filter(({ stage }) => stage === 'seen').length
    await journey.until('they are seen, and the scan is over', () => {
      return seen() === files && (journey.folder()?.scan_ended_ms ?? 0) >= wanted_ms
    })
    journey.remove('docs/unpacked')
    const removed_ms = clock.now_ms()
    clock.skip(51 * second_ms)
    await journey.until('they are forgotten', () => known(journey) === 0)
    expect(clock.now_ms() - removed_ms).toBeLessThan(minute_ms)
    expect(journey.log().filter((line) => line.includes('is offline'))).toEqual([])
  })

  test('deleted while no daemon runs: the scan after the start forgets them', async () => {
    const journey = await unpacked(profile)
    await journey.stop()
    journey.remove('docs/unpacked')
    await journey.start(unsettled)
    await expectOnline(journey)
  })

  test('empty files, and files that a rule skips, are no loss either', async () => {
    const folders = { docs: { max_file_bytes: 50 } }
    const tree = Object.fromEntries(documents.map((name) => [name, name]))
    const journey = await begin({ profile, tree, folders })
    await journey.allReady()
    journey.write(tempFiles((index) => (index % 2 === 0 ? '' : 'x'.repeat(51))))
    await journey.until('they are skipped', () => known(journey) === files)
    await journey.idle()
    journey.remove('docs/unpacked')
    await expectOnline(journey)
  })

  test.each([
    ['by their events', 0],
    ['by a scan after the start', 1],
  ])('whose contents were taken up already, and that go, found %s', async (_, starts) => {
    const journey = await takenUp(profile)
    if (starts > 0) await journey.stop()
    journey.remove('docs/unpacked')
    if (starts > 0) await journey.start()
    await journey.until('they are gone', () => gone(journey) === files)
    await expectNewDocument(journey)
    journey.ends({ also_there: texts.map(md5Of) })
  })

  test.each([
    ['by their events', 0],
    ['by a scan after the start', 1],
  ])('that stayed for ten minutes, and go, found %s: that is a loss', async (_, starts) => {
    const clock = new MovingClock()
    const journey = await takenUp(profile, { clock })
    clock.skip(10 * minute_ms)
    if (starts > 0) await journey.stop()
    journey.remove('docs/unpacked')
    if (starts > 0) await journey.start()
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    expect(journey.folder()?.offline_reason).toContain(
      `5 of ${formatCount(files + 5)} files found: waiting`,
    )
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    journey.daemon.rescan('docs')
    await journey.until('they are gone', () => gone(journey) === files)
    journey.ends({ also_there: texts.map(md5Of) })
  })

  test('a folder that held little but such files may become empty', async () => {
    const names = documents.slice(0, 2)
    const journey = await unpacked(profile, { names })
    removeAll(journey)
    for (const name of names) await journey.stage(name, 'gone')
    await expectOnline(journey)
    journey.ends({ also_there: names.map((name) => md5Of(`the document ${name}`)) })
  })

  test('verify finds the known files gone, and no folder offline', async () => {
    const journey = await unpacked(profile)
    await journey.stop()
    removeAll(journey)
    const { summary, differences } = await verified(journey, { full: false })
    expect(summary.folders).toMatchObject([{ name: 'docs', offline: null }])
    expect(namesOf(differences)).toEqual(
      expect.arrayContaining(documents.map((name) => `gone_from_disk ${name}`)),
    )
    journey.ends({ also_there: documents.map((name) => md5Of(`the document ${name}`)) })
  })
})
