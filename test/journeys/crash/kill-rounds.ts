import { expect } from 'vitest'
import { seedOfCommit } from '../../rig/commit-seed.ts'
import { Chance } from '../rig/chance.ts'
import {
  type KillMoment,
  type KillPlace,
  kill_places,
  max_in_flight,
  Siege,
  usual_in_flight,
} from './kill.ts'

/** Number of kills in one first pass. Then new files, a new service and a new ledger begin. */
const kills_a_series = 15
/**
 * Share of the requests of a place from which kills are drawn: later ones do not come if earlier
 * kills saved requests.
 */
const drawn_from = 0.7

/**
 * Kills the program at random requests of an undisturbed pass, each place in turn, and compares the
 * end with the files. The commit is the seed.
 */
export async function killRounds(kills: number, min_at_a_place: number): Promise<void> {
  const random = new Chance(seedOfCommit())
  const undisturbed = await besiege([])
  const waiting = Array.from({ length: kills }, (_, index) => {
    const place = kill_places[index % kill_places.length]!
    const count = undisturbed.reached.get(place) ?? 0
    expect(count, `requests at ${place}`).toBeGreaterThan(0)
    return { place, nth: 1 + random.below(Math.ceil(count * drawn_from)) }
  })
  const histogram = new Map<KillPlace, number>()
  const lost = new Map<KillPlace, number>()
  while (waiting.length > 0) {
    const series = await besiege(waiting.splice(0, kills_a_series))
    // These moments did not come in a pass whose earlier kills had saved requests. Try earlier ones
    // next time.
    waiting.push(...series.left.map(({ place, nth }) => ({ place, nth: Math.ceil(nth / 2) })))
    for (const kill of series.kills) {
      histogram.set(kill.place, (histogram.get(kill.place) ?? 0) + 1)
      lost.set(kill.place, (lost.get(kill.place) ?? 0) + kill.slots_lost)
    }
  }
  const lines = kill_places.map((place) => {
    const count = histogram.get(place) ?? 0
    return `${place.padEnd(16)} ${String(count).padStart(3)} ${'#'.repeat(count)}  slots lost: ${lost.get(place) ?? 0}`
  })
  console.log(['kill -9:', ...lines].join('\n'))
  expect([...histogram.values()].reduce((sum, count) => sum + count, 0)).toBe(kills)
  for (const place of kill_places)
    expect(histogram.get(place) ?? 0, place).toBeGreaterThanOrEqual(min_at_a_place)
}

interface Series {
  kills: { place: KillPlace; slots_lost: number }[]
  left: KillMoment[]
  reached: ReadonlyMap<KillPlace, number>
}

/** Uploads one folder with these kills, and checks everything that must hold afterwards. */
async function besiege(moments: readonly KillMoment[]): Promise<Series> {
  const siege = await Siege.begin()
  try {
    const left = await siege.run(moments)
    siege.expectWhole()
    const kills = siege.kills()
    for (const { place, slots_lost } of kills)
      expect(slots_lost, place).toBeLessThanOrEqual(max_in_flight)
    const allowed = siege.contents() + kills.length * usual_in_flight
    expect(siege.requests('put')).toBeLessThanOrEqual(allowed)
    const reached = new Map(siege.reached())
    const before = ['assets.create', 'put', 'assets.complete'] as const
    const sent = before.map((place) => siege.requests(place))
    await siege.run()
    expect(
      before.map((place) => siege.requests(place)),
      'another pass finds nothing to send',
    ).toEqual(sent)
    return { kills, left, reached }
  } finally {
    await siege.close()
  }
}
