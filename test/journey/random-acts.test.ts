import { test } from 'vitest'
import { localJourneys } from './harness.ts'
import { type Policy, RandomLife } from './random-life.ts'

// The same each time: what a change of Sluice breaks, it breaks for everybody. New seeds are tried in random-acts.long.ts.
localJourneys('random acts', (profile) => {
  test.each<[seed: number, policy: Policy]>([
    [1, 'respect'],
    [2, 'resend'],
  ])('seed %i, policy %s: all are named, and healed', async (seed, policy) => {
    const life = await RandomLife.begin({ profile, seed, policy })
    await life.live(35)
    await life.quiet()
    await life.ask()
    await life.behindItsBack(15)
    await life.quiet()
    await life.quiet('resend')
    await life.whole()
    await life.ask()
  })
})
