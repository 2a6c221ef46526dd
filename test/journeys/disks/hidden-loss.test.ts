import { readFileSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { second_ms } from '../../../src/base/time/time.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const documents = Array.from({ length: 160 }, (_, index) => `docs/old/${index}.txt`)
/** More than half, and more than a hundred. */
const lost = documents.slice(0, 110)
const unsettled = { folders: { docs: { settle_ms: 600_000 } } }

async function stopped(profile: ProfileName, clock = new MovingClock()): Promise<Journey> {
  const tree = Object.fromEntries(documents.map((name) => [name, `the document ${name}`]))
  const journey = await begin({ profile, tree, clock })
  await journey.allReady()
  await journey.stop()
  return journey
}

const newName = (name: string) => name.replace('/old/', '/new/')

/** Lets the test end with every file in. */
async function leave(journey: Journey, is_unsettled: boolean): Promise<void> {
  if (is_unsettled) journey.remove('docs/new')
  await journey.until('no unsettled file is left', () => {
    return journey.files().every(({ stage }) => stage !== 'seen')
  })
  await journey.idle()
  journey.ends({ also_there: lost.map((name) => md5Of(`the document ${name}`)) })
}

localJourneys('more than half of the documents are gone, and other files are new', (profile) => {
  test.each([
    ['that are quiet', {}],
    ['that have not settled', unsettled],
  ])('files %s hide no loss', async (_, config) => {
    const journey = await stopped(profile)
    for (const name of lost) {
      journey.remove(name)
      // As long as the lost ones, so only their times and bytes differ.
      journey.write({ [newName(name)]: `another text ${name}` })
    }
    await journey.start(config)
    await journey.until('it waits for a user', () => {
      return journey.folder()?.offline_reason?.includes('50 of 160 files found') === true
    })
    for (const name of lost) expect(journey.file(name)?.stage).toBe('ready')
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.until('the lost ones are gone', () => {
      return lost.every((name) => journey.file(name)?.stage === 'gone')
    })
    await leave(journey, config === unsettled)
  })

  test.each([
    ['renamed', {}, (journey: Journey, name: string) => journey.move(name, newName(name))],
    [
      'renamed, unsettled',
      unsettled,
      (journey: Journey, name: string) => {
        journey.move(name, newName(name))
      },
    ],
    [
      'copied without their times',
      {},
      (journey: Journey, name: string) => {
        journey.write({ [newName(name)]: readFileSync(journey.at(name), 'utf8') })
        utimesSync(journey.at(newName(name)), 1_000, 1_000)
        journey.remove(name)
      },
    ],
  ])('%s documents are no loss', async (_, config, move) => {
    const clock = new MovingClock()
    const journey = await stopped(profile, clock)
    for (const name of lost) move(journey, name)
    // They are quiet by now, if `settle_ms` is short.
    clock.skip(5 * second_ms)
    await journey.start(config)
    await journey.until('the old names are gone', () => {
      return lost.every((name) => journey.file(name)?.stage === 'gone')
    })
    expect(journey.log().filter((line) => line.includes('is offline'))).toEqual([])
    expect(journey.folder()?.offline_reason).toBeNull()
    const stage = config === unsettled ? 'seen' : 'ready'
    for (const name of lost) await journey.stage(newName(name), stage)
    if (stage === 'seen') await leave(journey, true)
  })
})
