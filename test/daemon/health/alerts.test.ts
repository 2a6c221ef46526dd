import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { until } from '../../rig/waiting.ts'
import { openReceiver } from './receiver.ts'
import { Watched } from './rig.ts'

const health = { offline_ms: 0 }
const times = { group_ms: 200, resolve_after_ms: '10m' }

async function takeAway(watched: Watched): Promise<void> {
  renameSync(watched.docs, `${watched.docs}-away`)
  watched.daemon.rescan()
  await watched.red('folder')
}

async function bringBack(watched: Watched): Promise<void> {
  renameSync(`${watched.docs}-away`, watched.docs)
  watched.daemon.rescan()
  await watched.green()
}

test('sends an alert on each change of a problem, none after a restart, and one when it is resolved', {
  timeout: 60_000,
}, async () => {
  const { url, received } = await openReceiver()
  const watched = await Watched.begin({
    health,
    alerts: { ...times, deliver: [{ webhook: { url } }] },
  })
  await watched.green()
  await takeAway(watched)
  // A stop between the receiver's answer and its record would send the alert once more.
  await until('it is reported', () =>
    /delivered: .*docs has been offline/.test(watched.log.join('')),
  )
  expect(received[0]!.body).toMatchObject({
    subject: expect.stringContaining('docs has been offline'),
    data: { healthy: false, problems: [{ kind: 'folder', about: 'docs' }] },
  })
  await watched.stop()
  await watched.start()
  await watched.red('folder')
  watched.clock.skip(hour_ms)
  await watched.red('folder')
  await bringBack(watched)
  expect(received).toHaveLength(1)
  // A relapse within this time is the same problem.
  await takeAway(watched)
  await bringBack(watched)
  await watched.skippingUntil(11 * minute_ms, 'it is over', () => received.length === 2)
  expect(received[1]!.body).toMatchObject({
    subject: expect.stringContaining('all problems are resolved'),
    data: { healthy: true, problems: [] },
  })
  expect(new Set(received.map(({ id }) => id)).size).toBe(2)
})

test('an offline receiver gets the alert later with the same id; the daemon gives up one that stays offline, and reports it', {
  timeout: 60_000,
}, async () => {
  const { url, received, state } = await openReceiver()
  const asking = { deliver_first_ms: 20, max_deliver_ms: 200 }
  const deliver = [{ name: 'hook', webhook: { url } }]
  const watched = await Watched.begin({
    health,
    alerts: { ...times, deliver },
    sections: { asking },
  })
  await watched.green()
  state.status = 503
  await takeAway(watched)
  await until('it is tried again', () => received.length >= 2)
  await watched.stop()
  const tries = received.length
  state.status = 200
  await watched.start()
  await until('it arrives', () => received.length > tries)
  expect(new Set(received.map(({ id }) => id)).size).toBe(1)

  state.status = 503
  await bringBack(watched)
  await watched.skippingUntil(11 * minute_ms, 'it is tried', () => received.length > tries + 2)
  watched.clock.skip(4 * day_ms)
  const { message } = await watched.red('delivery')
  expect(message).toMatch(
    /^hook \(webhook of 127\.0\.0\.1:\d+\) of alerts: given up after \d+ tries: .* answered 503/,
  )
  expect(watched.log.join('')).toContain('given up after')
})

test('an alert that did not arrive before its problem was resolved does not arrive later', {
  timeout: 60_000,
}, async () => {
  const { url, received, state } = await openReceiver()
  const watched = await Watched.begin({
    health,
    alerts: { ...times, deliver: [{ name: 'hook', webhook: { url } }] },
    sections: { asking: { deliver_first_ms: 20, max_deliver_ms: 200 } },
  })
  await watched.green()
  state.status = 503
  await takeAway(watched)
  await until('it is tried', () => received.length >= 1)
  await bringBack(watched)
  const isOver = () => received.some(({ body }) => String(body.subject).includes('resolved'))
  await watched.skippingUntil(11 * minute_ms, 'the end of the problem is tried', isOver)
  state.status = 200
  const tries = received.length
  await until('it arrives', () => received.length > tries)
  watched.clock.skip(hour_ms)
  await watched.green()
  expect(received.slice(tries).map(({ body }) => body.subject)).toEqual([
    expect.stringContaining('all problems are resolved'),
  ])
})

test('a receiver of two deliveries of an alert can tell them apart', {
  timeout: 60_000,
}, async () => {
  const { url, received } = await openReceiver()
  const hook = (name: string) => ({ name, webhook: { url: `${url}/${name}` } })
  const watched = await Watched.begin({
    health,
    alerts: { ...times, deliver: [hook('first'), hook('second')] },
  })
  await watched.green()
  await takeAway(watched)
  await until('both are reported', () => received.length === 2)
  expect(new Set(received.map(({ id }) => id)).size).toBe(2)
  expect(received.map(({ body, id }) => body.id === id)).toEqual([true, true])
})

test('sends the alert once even if nothing can be recorded', { timeout: 60_000 }, async () => {
  const { url, received } = await openReceiver()
  let is_full = false
  const watched = await Watched.begin({
    health,
    alerts: { ...times, resolve_after_ms: 0, deliver: [{ webhook: { url } }] },
    wrap_ledger: (ledger) => ({
      ...ledger,
      async record(facts) {
        if (is_full) throw new SluiceError({ code: 'database.full', message: 'the disk is full' })
        await ledger.record(facts)
      },
    }),
  })
  await watched.green()
  is_full = true
  watched.write({ 'b.txt': 'b' })
  watched.daemon.rescan()
  await watched.red('ledger')
  await until('it is reported', () => received.length === 1)
  expect(JSON.stringify(received[0]!.body)).toContain('the disk is full')
  is_full = false
  await watched.green()
  await until('it is over', () => received.length === 2)
  expect(received[1]!.body).toMatchObject({ data: { healthy: true } })
})

test('pings the checker only while there is no problem', { timeout: 60_000 }, async () => {
  const { url, received } = await openReceiver()
  const watched = await Watched.begin({
    health,
    alerts: { ping: { url: `${url}/beat` }, ping_every_ms: '1m' },
  })
  await until('the first ping', () => received.length === 1)
  expect(received[0]!.path).toBe('/beat')
  watched.clock.skip(2 * minute_ms)
  await until('the next', () => received.length === 2)
  await takeAway(watched)
  watched.clock.skip(2 * minute_ms)
  await watched.red('folder')
  const before = received.length
  watched.clock.skip(2 * minute_ms)
  await watched.red('folder')
  expect(received.length).toBe(before)
  await bringBack(watched)
  watched.clock.skip(2 * minute_ms)
  await until('and again', () => received.length > before)
  expect(watched.log.join('')).not.toContain('/beat')
})

test('reports an offline checker once, and once when it is online again', {
  timeout: 60_000,
}, async () => {
  const { url, received, state } = await openReceiver()
  state.status = 503
  const watched = await Watched.begin({
    health,
    alerts: { ping: { url: `${url}/beat` }, ping_every_ms: '1m' },
  })
  await watched.skippingUntil(
    2 * minute_ms,
    'it was tried again and again',
    () => received.length >= 4,
  )
  const lines = () => watched.log.filter((line) => line.includes('alerts.ping'))
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toContain('it answered 503')
  expect(lines()[0]).not.toMatch(/stack|\/beat/)
  state.status = 200
  await watched.skippingUntil(2 * minute_ms, 'it is back', () => lines().length === 2)
  expect(lines()[1]).toContain('answers again')
})

test('pings the checker even if the health address is taken', { timeout: 60_000 }, async () => {
  const { url, received } = await openReceiver()
  const alerts = { ping: { url: `${url}/beat` }, ping_every_ms: '1m' }
  const watched = await Watched.begin({ health, alerts })
  await watched.reload({ health: { ...health, listen: new URL(url).host }, alerts })
  await until('it is reported', () => watched.log.some((line) => line.includes('cannot listen on')))
  const before = received.length
  await watched.skippingUntil(2 * minute_ms, 'the next ping', () => received.length > before)
})
