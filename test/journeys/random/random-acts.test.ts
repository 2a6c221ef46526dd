import { test } from 'vitest'
import { localJourneys } from '../rig/harness.ts'
import { RandomLife } from './random-life.ts'

// The same each time: what a change of Sluice breaks, it breaks for everybody. More acts and seeds are in random-acts.long.ts.
localJourneys('random acts', (profile) => {
  test('seed 1, policy respect and then resend: all are named, and healed', async () => {
    const life = await RandomLife.begin({ profile, seed: 1, policy: 'respect' })
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
