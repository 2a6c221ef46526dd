import { type Connected, proxyFor, tryConnection } from '../../base/connect.ts'
import { isSluiceError } from '../../base/errors.ts'
import { formatDuration } from '../../base/format.ts'
import { day_ms } from '../../base/time.ts'
import { type Check, type Findings, findings, withinTime } from './check.ts'
import type { DoctorTools } from './doctor-tools.ts'
import { connectionAdvice } from './tls-advice.ts'

const soon_ms = 14 * day_ms

/** A connection, TLS included, by the way that requests take; nothing is asked for. */
export async function checkHost(
  id: 'api_host' | 'blob_host' | 'webhook',
  url: URL,
  { clock, limits, proxy }: Pick<DoctorTools, 'clock' | 'limits' | 'proxy'>,
  ca: { pem: string | undefined; field: string | undefined } = { pem: undefined, field: undefined },
): Promise<Check> {
  const find = findings(id, url.host)
  const way = proxyFor(url, proxy)?.host
  const through = way === undefined ? '' : ` (through the proxy ${way}, as the proxy variables say)`
  const late = () => {
    const hint = 'check the network, a firewall, and whether a proxy is needed'
    return find.fault(`no answer in ${formatDuration(limits.answer_ms)}${through}`, hint)
  }
  const connect = async (signal: AbortSignal): Promise<Check> => {
    try {
      return connected(find, await tryConnection(url, { ca: ca.pem, proxy, signal }), clock.now_ms())
    } catch (error) {
      if (signal.aborted) return late()
      const [message, hint] = connectionAdvice(error, url.host, ca.field)
      // A proxy that cannot be reached looks like a host that cannot.
      const is_proxys =
        way !== undefined && !isSluiceError(error, 'network.tls') && !isSluiceError(error, 'network.proxy')
      const advice = `check the proxy, or except the host from it (NO_PROXY=${url.hostname})`
      return find.fault(message + through, is_proxys ? advice : hint)
    }
  }
  return withinTime(clock, limits.answer_ms, connect, late)
}

/** The service names the host with every upload; the origin of the last one is kept. */
export async function checkBlobHost(tools: DoctorTools, ca: string | undefined): Promise<Check[]> {
  const origin = tools.ledger?.blobOrigin()
  if (origin === undefined || !URL.canParse(origin)) {
    const { ok } = findings('blob_host', 'blob store')
    return [ok('not known before the first upload: run this again after it')]
  }
  return [await checkHost('blob_host', new URL(origin), tools, { pem: ca, field: 'service.ca_file' })]
}

function connected({ ok, warning }: Findings, { proxy, certificate }: Connected, now_ms: number): Check {
  const way = proxy === undefined ? '' : ` through the proxy ${proxy}`
  if (certificate === undefined) return ok(`reachable${way}`)
  const left_ms = certificate.valid_to_ms - now_ms
  const text = `reachable${way}, its certificate is trusted`
  if (left_ms >= soon_ms) return ok(text)
  return warning(`${text} and expires in ${formatDuration(left_ms)}`, 'whoever runs the host has to renew it')
}
