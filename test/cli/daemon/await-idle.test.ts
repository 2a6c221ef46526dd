import { expect, test } from 'vitest'
import { awaitIdle } from '../../../src/cli/daemon/await-idle.ts'
import { openRig } from '../../ledger/views/view-rig.ts'

const never = new Promise<never>(() => {})
const max_reading_ms = 60_000

test.each([
  ['http.503', 'service.unreachable'],
  ['service.asked_to_wait', 'service.asked_to_wait'],
  ['publicapi.rate.limited', 'service.unreachable'],
])(
  'gives up after a while when the service has a trouble (%s), and reports it as %s',
  async (code, named) => {
    const rig = await openRig()
    const error = { code, message: 'the service answered 503', hint: 'It is tried again by itself' }
    await rig.ledger.record([{ type: 'trouble_began', about: 'api', error }])
    const { clock } = rig
    const stopped = new AbortController().signal
    const waiting = awaitIdle({
      idle: never,
      view: rig.view(),
      clock,
      stopped,
      patience_ms: 5_000,
      max_reading_ms,
    })
    await clock.advance(6_000)
    expect(await waiting).toMatchObject({ code: named, hint: error.hint })
  },
)

test('ends at once when the token is refused', async () => {
  const rig = await openRig()
  await rig.ledger.record([
    { type: 'trouble_began', about: 'account', error: { code: 'http.401', message: 'no' } },
  ])
  const stopped = new AbortController().signal
  expect(
    await awaitIdle({ idle: never, view: rig.view(), clock: rig.clock, stopped, max_reading_ms }),
  ).toMatchObject({
    code: 'account.refused',
  })
})
