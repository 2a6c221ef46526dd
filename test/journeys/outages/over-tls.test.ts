import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { makeStore } from '../../rig/tree.ts'
import { begin, localJourneys } from '../rig/harness.ts'

/** Not the usual address of the tests, so that only the authority makes it trusted. */
const listen = '127.0.0.2'

function certificates() {
  const { ca, cert, key } = makeCertificates(makeStore(), [listen], system_clock)
  return { ca, tls: { cert_file: cert, key_file: key } }
}

localJourneys('a service with its own authority, over TLS', (profile) => {
  test('files become ready through API and blob store', async () => {
    const { ca, tls } = certificates()
    const tree = { 'docs/plan.txt': 'the plan', 'docs/large.csv': 'a line\n'.repeat(100_000) }
    const service = { listen, tls }
    const journey = await begin({ profile, tree, service, config: { service: { ca_file: ca } } })
    await journey.allReady()
    expect(journey.service.blob).toMatch(/^https:/)
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('with another authority nothing is sent, and the status gives the reason', async () => {
    const [{ ca, tls }, other] = [certificates(), certificates()]
    expect(readFileSync(ca, 'utf8')).not.toBe(readFileSync(other.ca, 'utf8'))
    const tree = { 'docs/plan.txt': 'the plan' }
    const journey = await begin({
      profile,
      tree,
      service: { listen, tls },
      config: { service: { ca_file: other.ca } },
    })
    await journey.until('the trouble is reported', () => journey.troubles().length > 0)
    expect(journey.log().join('')).toContain('no trusted connection was made')
    expect(journey.service.requestLog).toEqual([])
    // With the right authority the daemon continues by itself.
    await journey.restart({ service: { ca_file: ca } })
    await journey.allReady()
  })
})
