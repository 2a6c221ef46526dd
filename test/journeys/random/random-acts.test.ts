import { test } from 'vitest'
import { localJourneys } from '../rig/harness.ts'
import { RandomLife } from './random-life.ts'

// The acts are the same each time, so that everybody sees the same failure. random-acts.long.ts has
// more acts and seeds.
localJourneys('random acts', (profile) => {
  test('seed 1, policy respect and then resend: every difference is named and repaired', async () => {
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
