import { expect, test } from 'vitest'
import { localJourneys } from '../rig/harness.ts'
import { type Policy, RandomLife } from './random-life.ts'

const rounds = 10
const acts_alive = 75
const acts_behind = 25

/**
 * SLUICE_SEED=… sets another seed, for example of a failed run; without it each run is the same.
 */
const drawn = process.env.SLUICE_SEED === undefined ? [] : [Number(process.env.SLUICE_SEED)]
const few_minutes = { timeout: 600_000 }

localJourneys('a thousand random acts', (profile) => {
  test.each<[seed: number, policy: Policy]>([
    [11, 'respect'],
    [12, 'resend'],
    ...drawn.flatMap((seed): [number, Policy][] => [
      [seed, 'respect'],
      [seed, 'resend'],
    ]),
  ])(
    'seed %i, policy %s: every difference is named and repaired',
    few_minutes,
    async (seed, policy) => {
      const life = await RandomLife.begin({ profile, seed, policy })
      for (let round = 0; round < rounds; round++) {
        await life.live(acts_alive)
        await life.quiet()
        await life.ask()
        await life.behindItsBack(acts_behind)
        await life.quiet()
      }
      await life.quiet('resend')
      await life.whole()
      await life.ask()
      expect(life.acts).toBe(rounds * (acts_alive + acts_behind))
    },
  )
})
