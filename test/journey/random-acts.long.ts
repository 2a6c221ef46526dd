import { expect, test } from 'vitest'
import { localJourneys } from './harness.ts'
import { type Policy, RandomLife } from './random-life.ts'

const rounds = 10
const acts_alive = 75
const acts_behind = 25

/** SLUICE_SEED=… repeats one that failed. */
const drawn = Number(process.env.SLUICE_SEED ?? Date.now() % 1_000_000)
const few_minutes = { timeout: 600_000 }

localJourneys('a thousand random acts', (profile) => {
  test.each<[seed: number, policy: Policy]>([
    [11, 'respect'],
    [12, 'resend'],
    [drawn, 'respect'],
    [drawn + 1, 'resend'],
  ])('seed %i, policy %s: all are named, and healed', few_minutes, async (seed, policy) => {
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
  })
})
