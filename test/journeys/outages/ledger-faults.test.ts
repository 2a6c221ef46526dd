import { expect, test } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { begin, localJourneys } from '../rig/harness.ts'

const tree = { 'docs/a.txt': 'a', 'docs/sub/b.txt': 'b', 'docs/c.txt': 'c' }

/** A ledger whose verb fails at its first `times` calls, as on a disk that is full for a moment. */
function failing(
  verb: 'filesAt' | 'differences' | 'claimToSend' | 'claimToFollow' | 'claimToCheck',
  times: number,
) {
  let left = times
  return (ledger: Ledger): Ledger => ({
    ...ledger,
    async [verb](...parameters: unknown[]) {
      if (left-- > 0)
        throw new SluiceError({
          code: 'database.full',
          message: 'the disk is full, for the moment',
        })
      return (ledger[verb] as (...all: unknown[]) => Promise<unknown>)(...parameters)
    },
  })
}

localJourneys('a fault of the ledger loses nothing', (profile) => {
  for (const verb of [
    'filesAt',
    'differences',
    'claimToSend',
    'claimToFollow',
    'claimToCheck',
  ] as const) {
    test(`the ledger fails once at ${verb}`, async () => {
      const journey = await begin({ profile, tree, wrap_ledger: failing(verb, 1) })
      await journey.allReady()
      expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    })
  }

  test('the ledger fails while watch events are handled', async () => {
    let fails = false
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async filesAt(folder, paths) {
        if (!fails) return ledger.filesAt(folder, paths)
        fails = false
        throw new SluiceError({
          code: 'database.full',
          message: 'the disk is full, for the moment',
        })
      },
    })
    const journey = await begin({ profile, tree, wrap_ledger })
    await journey.allReady()
    await journey.idle()
    fails = true
    journey.write({ 'docs/new.txt': 'new' })
    await journey.allReady()
    expect(fails).toBe(false)
  })

  test('a ledger that records nothing after the intent of a slot: no other slot is requested meanwhile', async () => {
    let state: 'works' | 'full' | 'works again' = 'works'
    let refused = 0
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (state === 'full') {
          if (facts.some((fact) => 'content' in fact)) refused++
          throw new SluiceError({ code: 'database.full', message: 'the disk is full, for a while' })
        }
        await ledger.record(facts)
        if (state === 'works' && facts.some(({ type }) => type === 'slot_intended')) state = 'full'
      },
    })
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'some text' }, wrap_ledger })
    await journey.until('two more tries', () => refused >= 3)
    expect(journey.cost()).toEqual({ creates: 1, puts: 0 })
    state = 'works again'
    await journey.allReady()
    // The hosted service answers the second request with the first slot, which stays empty.
    expect(journey.cost()).toEqual({ creates: profile === 'hosted' ? 3 : 2, puts: 1 })
  })

  test('the ledger fails to end a trouble: the slot that ended it still gets its bytes', async () => {
    let refused = 0
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (refused === 0 && facts.some(({ type }) => type === 'trouble_ended')) {
          refused++
          throw new SluiceError({
            code: 'database.full',
            message: 'the disk is full, for the moment',
          })
        }
        await ledger.record(facts)
      },
    })
    const journey = await begin({ profile, tree, wrap_ledger })
    await journey.allReady()
    journey.service.tokens.revoke('daemon')
    journey.write({ 'docs/new.txt': 'new' })
    await journey.until('the token is refused', () => journey.troubles().length > 0)
    journey.giveToken('renewed')
    await journey.allReady()
    await journey.until('the trouble has ended', () => journey.troubles().length === 0)
    expect(refused).toBe(1)
    // The old token may be refused first to a request for a slot, or to a page of the audit.
    expect(journey.requests('assets.create').filter(({ status }) => status !== 401)).toHaveLength(4)
    expect(journey.cost().puts).toBe(4)
  })
})
