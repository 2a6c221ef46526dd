import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time/time.ts'
import type { DeliveryTarget } from '../../src/deliver/target.ts'
import { startDeliverer } from '../../src/prompts/deliverer.ts'
import type { RunTools } from '../../src/prompts/run-tools.ts'
import { tools as deliveryTools } from '../deliver/delivery-tools.ts'
import { startServer } from '../remote/recording-server.ts'
import { makeTree } from '../rig/tree.ts'
import { until } from '../rig/waiting.ts'
import { openRunRig, type RunRig } from './ask/answer-run-rig.ts'

/** A written run with these targets, and a running deliverer. */
async function written(deliver: DeliveryTarget[], asking: Parameters<typeof openRunRig>[0] = {}) {
  const rig = await openRunRig({ ...asking, settings: { deliver } })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  return rig
}

function start(rig: RunRig, alerts: DeliveryTarget[] = [], tools: Partial<RunTools> = {}) {
  const deliverer = startDeliverer(
    { ...rig.tools(), ...tools },
    { ...deliveryTools(), signal: rig.hard.signal, alerts },
  )
  rig.ledger.onWork((kinds) => {
    if (kinds.has('delivery')) deliverer.worker.wake()
  })
  return async () => {
    rig.soft.abort()
    await Promise.all([deliverer.worker.ended, deliverer.drained()])
  }
}

const linesOf = (rig: RunRig, what: string) => rig.reported.filter((line) => line.startsWith(what))

test('each receiver gets its own report: one that fails for a while delays no other, and keeps its id', async () => {
  const server = await startServer([{ status: 500 }, { status: 200 }])
  const dir = makeTree()
  const rig = await written([
    { name: 'hook', kind: 'webhook', url: `${server.origin}/hook`, body: 'json' },
    { name: 'copy', kind: 'file', dir, file_name: '{{name}}.md' },
  ])
  const end = start(rig)
  await until('both are delivered', () => linesOf(rig, 'delivered').length === 2)
  await end()
  expect(readdirSync(dir)).toEqual(['digest.md'])
  const ids = server.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(linesOf(rig, 'later')).toHaveLength(1)
})

test('mail and chat begin with a link to the page, where it has an address', async () => {
  const server = await startServer([{ status: 200 }])
  const rig = await written([
    { name: 'hook', kind: 'webhook', url: `${server.origin}/hook`, body: 'json' },
  ])
  const end = start(rig, [], { page_url: 'https://example.com/sluice' })
  await until('it is delivered', () => linesOf(rig, 'delivered').length === 1)
  await end()
  const { text } = JSON.parse(server.requests[0]!.body.toString()) as { text: string }
  expect(text).toMatch(
    /^\[This report on the page\]\(https:\/\/example\.com\/sluice\/runs\/1\)\n\n\S/,
  )
})

test('a receiver of two deliveries of a run can tell them apart; a delivery repeated by hand keeps its id', async () => {
  const server = await startServer([
    { status: 200 },
    { status: 200 },
    { status: 400 },
    { status: 200 },
  ])
  const hook = (name: string) =>
    ({ name, kind: 'webhook', url: `${server.origin}/${name}`, body: 'json' }) as const
  const rig = await written([hook('first'), hook('second'), hook('third')])
  const end = start(rig)
  await until(
    'two are delivered, one given up',
    () => server.requests.length === 3 && linesOf(rig, 'failed').length === 1,
  )
  const ids = () => server.requests.map(({ headers }) => String(headers['webhook-id']))
  expect(new Set(ids()).size).toBe(3)
  const refused = server.requests[2]!.path.slice(1)
  await rig.ledger.record([{ type: 'delivery_wanted_again', run: 1, targets: [refused] }])
  await until('it is sent again', () => linesOf(rig, 'delivered').length === 3)
  await end()
  expect(ids()[3]).toBe(ids()[2])
})

test('the output of a command is stored with its delivery, even if it fails', async () => {
  const command = (name: string, text: string) =>
    ({ name, kind: 'command', run: ['/bin/sh', '-c', text], timeout_ms: 10_000 }) as const
  const rig = await written([
    command('good', 'seq 1 9999; printf "pat_0123456789abcdef0123456789abcdef\\npublished\\n"'),
    command('bad', 'echo first; echo no space >&2; exit 3'),
    command('silent', 'exit 0'),
  ])
  const end = start(rig)
  await until(
    'all are tried',
    () => linesOf(rig, 'delivered').length === 2 && linesOf(rig, 'later').length > 0,
  )
  await end()
  const [good, bad, silent] = rig.shown(1).deliveries
  expect(good?.output).toMatch(/^\d*\n[\d\n]+\n9999\npat_\*\*\*\npublished$/)
  expect(Buffer.byteLength(good!.output!)).toBe(2_048)
  expect(bad).toMatchObject({ state: 'wanted', output: 'first\nno space' })
  expect(silent).toMatchObject({ state: 'done', output: undefined })
})

test('`Retry-After: 0` of a receiver does not cause a retry without a rest', async () => {
  const server = await startServer([{ status: 503, headers: { 'retry-after': '0' } }])
  const rig = await written([{ name: 'hook', kind: 'webhook', url: server.origin, body: 'json' }], {
    asking: { deliver_first_ms: 60_000, max_deliver_ms: 60_000 },
  })
  const end = start(rig)
  await until('it is put off', () => linesOf(rig, 'later').length > 0)
  await end()
  const { next_due_ms } = await rig.ledger.claimDeliveries(1)
  expect(next_due_ms! - system_clock.now_ms()).toBeGreaterThan(3_000)
  expect(server.requests).toHaveLength(1)
})

test('a delivery that fails for too long is given up and reported', async () => {
  const server = await startServer([{ status: 500 }])
  const rig = await written([{ name: 'hook', kind: 'webhook', url: server.origin, body: 'json' }], {
    asking: { deliver_give_up_ms: 1 },
  })
  const end = start(rig)
  await until('it is given up', () => linesOf(rig, 'failed').length === 1)
  await end()
  expect(linesOf(rig, 'failed')[0]).toMatch(/hook: given up after 3 tries/)
  expect((await rig.ledger.claimDeliveries(1)).work).toEqual([])
})

test('a receiver that left the configuration gets nothing', async () => {
  const rig = await written([{ name: 'copy', kind: 'file', dir: makeTree(), file_name: 'x.md' }])
  rig.settings = { ...rig.settings, deliver: [] }
  const end = start(rig)
  await until('it is given up', () => linesOf(rig, 'failed').length === 1)
  await end()
  expect(linesOf(rig, 'failed')[0]).toContain('copy is no longer among the deliveries of digest')
})

test('unresponsive receivers of reports delay no alert', async () => {
  const hang = { kind: 'command', run: ['/bin/sleep', '60'], timeout_ms: 120_000 } as const
  const rig = await written(
    Array.from({ length: 9 }, (_, index) => ({ name: `slow ${index}`, ...hang })),
  )
  const dir = makeTree()
  const end = start(rig, [{ name: 'people', kind: 'file', dir, file_name: '{{name}}.md' }])
  await until('no place for reports is left', async () => {
    const { work } = await rig.ledger.claimDeliveries(9)
    rig.ledger.release('delivery', work)
    return work.length === 1
  })
  const alert = {
    message_id: 'alert_1',
    subject: 'docs is offline',
    text: 'docs is offline',
    problems: [],
  }
  await rig.ledger.record([{ type: 'alert_raised', ...alert, targets: ['people', 'gone'] }])
  await until(
    'the alert is delivered',
    () => linesOf(rig, 'delivered').length === 1 && linesOf(rig, 'failed').length === 1,
  )
  expect(readdirSync(dir)).toEqual(['sluice-alert.md'])
  expect(linesOf(rig, 'failed')[0]).toContain('gone is no longer among the deliveries of alerts')
  rig.hard.abort()
  await end()
})
