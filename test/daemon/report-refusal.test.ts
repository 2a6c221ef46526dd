import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import { second_ms } from '../../src/base/time/time.ts'
import { reportRefusal } from '../../src/daemon/check-token.ts'
import { until } from '../rig/waiting.ts'
import { openReceiver } from './health/receiver.ts'
import { Watched } from './health/rig.ts'

const refusal = new SluiceError({
  code: 'account.refused',
  message: 'the service refuses the token (file /etc/sluice/token): 401',
  hint: 'make a new token where the old one came from, replace the old one, and start Sluice again',
})
const running = () => new AbortController().signal
const on_error = (error: unknown) => {
  throw error
}

test('resolves after every receiver got the alert once, even with more receivers than run in parallel', async () => {
  const receivers = await Promise.all(Array.from({ length: 6 }, openReceiver))
  const deliver = receivers.map(({ url }, at) => ({ name: `hook-${at}`, webhook: { url } }))
  const watched = await Watched.begin({ alerts: { group_ms: '1h', deliver } })
  await watched.green()
  await reportRefusal(watched.daemon, refusal, { clock: watched.clock, hurry: running(), on_error })
  await watched.stop()
  for (const { received } of receivers) {
    expect(received.map(({ body }) => body.data)).toEqual([
      expect.objectContaining({
        healthy: false,
        problems: [expect.objectContaining({ kind: 'account' })],
      }),
    ])
    expect(JSON.stringify(received[0]!.body)).toContain('the service refuses the token')
  }
})

test('a silent receiver delays the end by 15 s at most, and a signal ends that wait', async () => {
  let asked = 0
  const server = createServer(() => void asked++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const deliver = [{ name: 'dead', webhook: { url: `http://127.0.0.1:${port}` } }]
  const watched = await Watched.begin({ alerts: { group_ms: '1h', deliver } })
  await watched.green()
  let is_over = false
  const { clock } = watched
  const reported = reportRefusal(watched.daemon, refusal, {
    clock,
    hurry: running(),
    on_error,
  }).then(() => {
    is_over = true
  })
  await until('the receiver is asked', () => asked === 1)
  expect(is_over).toBe(false)
  clock.skip(15 * second_ms)
  await reported

  await reportRefusal(watched.daemon, refusal, {
    clock,
    hurry: AbortSignal.abort(),
    on_error: () => {},
  })
})
