import { expect, test } from 'vitest'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const names = Array.from({ length: 8 }, (_, index) => `docs/${index}.txt`)
const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))

/** Expects every file to wait for its upload, without an error of its own but the first ones. */
function areUntouched(journey: Journey, max_errors = 0): void {
  const files = names.map((name) => journey.file(name)!)
  for (const { name, stage, attempts } of files) {
    expect([name, attempts]).toEqual([name, 0])
    expect(['wanted', 'reserving']).toContain(stage)
  }
  const errors = files.filter(({ error_code }) => error_code !== null)
  expect(errors.length).toBeLessThanOrEqual(max_errors)
}

function known(journey: Journey): boolean {
  return names.every((name) => journey.file(name)?.md5)
}

localJourneys('faults of the account and the project change no file', (profile) => {
  test('a token is revoked, and a new one is written into its file', async () => {
    // The daemon checks the token's file every two seconds.
    const clock = new MovingClock({ times: 10 })
    const journey = await begin({
      profile,
      tree: { 'docs/first.txt': 'first' },
      clock,
      service: { clock },
    })
    await journey.allReady()
    journey.service.tokens.revoke('daemon')
    journey.write(tree)
    await journey.until('it is reported', () => known(journey) && journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: 'account', code: 'publicapi.auth.invalid' }])
    areUntouched(journey)
    const refused = journey.service.requestLog.filter(({ status }) => status === 401).length
    expect(refused).toBeLessThanOrEqual(10)

    journey.giveToken('daemon, new')
    await journey.allReady()
    expect(journey.troubles()).toEqual([])
    expect(journey.requests('put')).toHaveLength(names.length + 1)
  })

  test('a daemon starts with a refused token', async () => {
    const journey = await begin({ profile, tree }, 'not started')
    journey.service.tokens.revoke('daemon')
    await journey.start()
    await journey.until('it is reported', () => known(journey) && journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: 'account' }])
    areUntouched(journey)
    await journey.stop()
    journey.giveToken('daemon, new')
    await journey.start()
    await journey.allReady()
    expect(journey.troubles()).toEqual([])
  })

  test('a project does not exist; then the configuration gets the right one', async () => {
    const wrong = `project_${'0123456789'.repeat(2)}`
    const journey = await begin({ profile, tree }, 'not started')
    await journey.start({ service: { project_id: wrong } })
    await journey.until('it is reported', () => known(journey) && journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: `project:${wrong}` }])
    areUntouched(journey)
    expect(journey.assets()).toEqual([])

    await journey.restart()
    await journey.allReady()
    await journey.until('the trouble is over', () => journey.troubles().length === 0)
  })

  test('one of two folders has a wrong project: the files of the other become ready', async () => {
    const wrong = `project_${'9876543210'.repeat(2)}`
    const folders = { docs: { project_id: wrong }, more: {} }
    const journey = await begin({
      profile,
      folders,
      tree: { ...tree, 'more/a.txt': 'a', 'more/b.txt': 'b' },
    })
    await journey.stage('more/a.txt', 'ready')
    await journey.stage('more/b.txt', 'ready')
    await journey.until('it is reported', () => known(journey) && journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: `project:${wrong}` }])
    areUntouched(journey)
    journey.ends({ left_out: names })
  })

  test('A-40 402: an unpaid bill pauses the uploads of the project', async () => {
    const journey = await begin({ profile, tree: { 'docs/first.txt': 'first' } })
    await journey.allReady()
    journey.service.injectFaults({
      failures: [{ route: 'assets.create', status: 402, code: 'billing.plan.exceeded' }],
    })
    journey.write(tree)
    await journey.until('it is reported', () => known(journey) && journey.troubles().length > 0)
    const about = `uploads:${journey.project_id}`
    expect(journey.troubles()).toMatchObject([{ about, code: 'billing.plan.exceeded' }])
    // The first one waited alone until the second one showed that it is about all.
    areUntouched(journey, 1)
    journey.service.injectFaults({ failures: [] })
    await journey.restart()
    await journey.allReady()
    expect(journey.troubles()).toEqual([])
  })
})
