import { once } from 'node:events'
import { request } from 'node:https'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { countOpen, holdConnections } from '../../rig/hold-connections.ts'
import { has_ipv6, lacksAddress, network_address } from '../../rig/own-addresses.ts'
import { temporaryFolder, until } from '../fixture.ts'
import { makeAccount, serve } from '../service-process.ts'

/** 80 descriptors for connections, of which each takes three with its upload. */
const open_files = 160
const places = 26
const opened = 20

async function answerOf(url: string): Promise<void> {
  const asked = request(url, { agent: false, rejectUnauthorized: false })
  asked.end()
  const [answer] = await once(asked, 'response')
  answer.resume()
}

const no_network = lacksAddress(network_address !== undefined, 'address in a network')
const no_ipv6 = lacksAddress(has_ipv6, 'IPv6')

test.skipIf(no_network || no_ipv6)(
  'an address of the network gets half of the places, and this machine has no limit of its own',
  async () => {
    const { cert, key } = makeCertificates(temporaryFolder(), ['sluice.example'], system_clock)
    const tls = ['--tls-cert', cert, '--tls-key', key]
    const urls = ['--public-url', 'https://a.example', '--public-blob-url', 'https://b.example']
    const service = await serve(
      makeAccount().data_dir,
      // A dual-stack socket shows 127.0.0.1 as ::ffff:127.0.0.1.
      ['--listen', '::', '--port', '0', '--blob-port', '0', ...tls, ...urls],
      { open_files },
    )
    for (const { port, origin } of [new URL(service.api), new URL(service.blob)]) {
      const of_machine = await holdConnections({ host: '127.0.0.1', port: Number(port) }, opened)
      // Connections are accepted in turn, so all of them were judged before this answer.
      await answerOf(origin)
      expect(countOpen(of_machine)).toBe(opened)
      const where = { host: network_address!, port: Number(port) }
      const of_network = await holdConnections(where, opened)
      await until(() => countOpen(of_network) === places / 2, 'the others are closed')
    }
    expect(service.err()).toContain(`${places} may be open`)
  },
)
