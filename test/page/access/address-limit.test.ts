import { expect, test } from 'vitest'
import type { Config } from '../../../src/config/config.ts'
import { countOpen, holdConnections } from '../../rig/hold-connections.ts'
import { has_ipv6, lacksAddress, network_address } from '../../rig/own-addresses.ts'
import { until } from '../../rig/waiting.ts'
import { beginPage } from '../page-rig.ts'
import { rawRequest, statusOf } from '../raw-request.ts'

const proxy = { from: [], user_header: undefined, groups_header: undefined }
const an_address = 50
const opened = an_address + 10

/** Opens silent connections from this address. The answer counts those that the page keeps. */
async function crowd(from: string, listen: string, page: Partial<Config['page']> = {}) {
  const { address } = await beginPage({ page: { proxy, ...page, listen } })
  const where = { host: from, port: Number(new URL(address).port) }
  const sockets = await holdConnections(where, opened)
  // Connections are accepted in turn, so all of them were judged before this answer.
  const local = `http://127.0.0.1:${where.port}`
  expect(statusOf(await rawRequest(local, ['GET / HTTP/1.1']))).toBe(401)
  return () => countOpen(sockets)
}

const no_network = lacksAddress(network_address !== undefined, 'address in a network')
test.skipIf(no_network)('an address of the network gets a quarter of the places', async () => {
  const kept = await crowd(network_address!, '0.0.0.0:0')
  await until('the others are closed', () => kept() === an_address, kept)
})

test.skipIf(no_network)('a listed proxy has no limit of its own', async () => {
  const listed = { proxy: { ...proxy, from: [network_address!] } }
  const kept = await crowd(network_address!, '0.0.0.0:0', listed)
  expect(kept()).toBe(opened)
})

test.skipIf(lacksAddress(has_ipv6, 'IPv6')).each(['127.0.0.1', '::1'])(
  'this machine has no limit of its own on a dual-stack socket: %s',
  async (from) => {
    const kept = await crowd(from, '[::]:0')
    expect(kept()).toBe(opened)
  },
)
