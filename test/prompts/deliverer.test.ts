import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time.ts'
import type { DeliveryTarget } from '../../src/deliver/target.ts'
import { startDeliverer } from '../../src/prompts/deliverer.ts'
import { tools as deliveryTools } from '../deliver/delivery-tools.ts'
import { until } from '../journey/waiting.ts'
import { startServer } from '../remote/recording-server.ts'
import { makeTree } from '../tree.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

/** A written run with these targets, and a deliverer at work on it. */
async function written(deliver: DeliveryTarget[], asking: Parameters<typeof openRunRig>[0] = {}) {
  const rig = await openRunRig({ ...asking, settings: { deliver } })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  return rig
}

function start(rig: RunRig) {
  const deliverer = startDeliverer(rig.tools(), deliveryTools())
  rig.ledger.onWork((kinds) => {
    if (kinds.has('delivery')) deliverer.worker.wake()
  })
  return async () => {
    rig.soft.abort()
    await Promise.all([deliverer.worker.ended, deliverer.drained()])
  }
}

const told = (rig: RunRig, what: string) => rig.told.filter((line) => line.startsWith(what))

test('each receiver gets the report on its own: one that fails for a while holds up none, and keeps its id', async () => {
  const server = await startServer([{ status: 500 }, { status: 200 }])
  const dir = makeTree()
  const rig = await written([
    { name: 'hook', kind: 'webhook', url: `${server.origin}/hook`, body: 'json' },
    { name: 'copy', kind: 'file', dir, file_name: '{{name}}.md' },
  ])
  const end = start(rig)
  await until('both are delivered', () => told(rig, 'delivered').length === 2)
  await end()
  expect(readdirSync(dir)).toEqual(['digest.md'])
  const ids = server.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(told(rig, 'later')).toHaveLength(1)
})

test('a receiver that asks for a pause of nothing is not called in a circle', async () => {
  const server = await startServer([{ status: 503, headers: { 'retry-after': '0' } }])
  const rig = await written([{ name: 'hook', kind: 'webhook', url: server.origin, body: 'json' }], {
    asking: { deliver_first_ms: 60_000, deliver_most_ms: 60_000 },
  })
  const end = start(rig)
  await until('it is put off', () => told(rig, 'later').length > 0)
  await end()
  const { next_due_ms } = await rig.ledger.claimDeliveries(1)
  expect(next_due_ms! - system_clock.now_ms()).toBeGreaterThan(3_000)
  expect(server.requests).toHaveLength(1)
})

test('what is not taken for too long is given up, and said', async () => {
  const server = await startServer([{ status: 500 }])
  const rig = await written([{ name: 'hook', kind: 'webhook', url: server.origin, body: 'json' }], {
    asking: { deliver_give_up_ms: 1 },
  })
  const end = start(rig)
  await until('it is given up', () => told(rig, 'failed').length === 1)
  await end()
  expect(told(rig, 'failed')[0]).toMatch(/hook: given up after 3 tries/)
  expect((await rig.ledger.claimDeliveries(1)).work).toEqual([])
})

test('a receiver that is taken out of the config is none any more', async () => {
  const rig = await written([{ name: 'copy', kind: 'file', dir: makeTree(), file_name: 'x.md' }])
  rig.settings = { ...rig.settings, deliver: [] }
  const end = start(rig)
  await until('it is given up', () => told(rig, 'failed').length === 1)
  await end()
  expect(told(rig, 'failed')[0]).toContain('copy is not among the deliveries of digest any more')
})
