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

function rename(journey: Journey, name: string): void {
  journey.move(name, newName(name))
}

function copy(journey: Journey, name: string): void {
  journey.write({ [newName(name)]: readFileSync(journey.at(name), 'utf8') })
  utimesSync(journey.at(newName(name)), 1_000, 1_000)
  journey.remove(name)
}

/** As an export that is written anew each day. */
function replace(journey: Journey, name: string): void {
  journey.remove(name)
  journey.write({ [newName(name)]: `another text ${name}` })
}

/** Lets the test end with every file in. */
async function leave(journey: Journey, is_unsettled: boolean): Promise<void> {
  if (is_unsettled) journey.remove('docs/new')
  await journey.until('no unsettled file is left', () => {
    return journey.files().every(({ stage }) => stage !== 'seen')
  })
  await journey.idle()
  journey.ends({ also_there: lost.map((name) => md5Of(`the document ${name}`)) })
}

localJourneys('more than half of the documents are gone, and as many files are new', (profile) => {
  test.each([
    ['renamed', {}, rename],
    ['renamed, unsettled', unsettled, rename],
    ['copied without their times', {}, copy],
    ['replaced by others', {}, replace],
    ['replaced by others, unsettled', unsettled, replace],
  ])('%s documents are no loss: the folder is never offline', async (_, config, move) => {
    const clock = new MovingClock()
    const journey = await stopped(profile, clock)
    for (const name of lost) move(journey, name)
    // They are quiet by now, if `settle_ms` is short.
    clock.skip(5 * second_ms)
    await journey.start(config)
    await journey.until('the old names are gone', () => {
      return lost.every((name) => journey.file(name)?.stage === 'gone')
    })
    const stage = config === unsettled ? 'seen' : 'ready'
    for (const name of lost) await journey.stage(newName(name), stage)
    await journey.restart()
    await journey.idle()
    expect(journey.log().filter((line) => line.includes('is offline'))).toEqual([])
    expect(journey.folder()?.offline_reason).toBeNull()
    await leave(journey, stage === 'seen')
  })
})
