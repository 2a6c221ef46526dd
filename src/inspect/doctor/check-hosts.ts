import { type Connected, proxyFor, tryConnection } from '../../base/connect.ts'
import { isSluiceError } from '../../base/errors.ts'
import { formatDuration } from '../../base/format.ts'
import { day_ms } from '../../base/time.ts'
import { type Check, fault, ok, warning, withinTime } from './check.ts'
import type { DoctorTools } from './doctor-tools.ts'
import { connectionAdvice } from './tls-advice.ts'

const soon_ms = 14 * day_ms

/** A connection, TLS included, by the way that requests take; nothing is asked for. */
export async function checkHost(
  id: 'api_host' | 'blob_host' | 'webhook',
  url: URL,
  { clock, limits, proxy }: Pick<DoctorTools, 'clock' | 'limits' | 'proxy'>,
  ca: { pem: string | undefined; field: string | undefined },
): Promise<Check> {
  const about = url.host
  const way = proxyFor(url, proxy)?.host
  const through = way === undefined ? '' : ` (through the proxy ${way}, as the proxy variables say)`
  const late = () =>
    fault(
      id,
      about,
      `no answer in ${formatDuration(limits.answer_ms)}${through}`,
      'check the network, a firewall, and whether a proxy is needed',
    )
  const connect = async (signal: AbortSignal): Promise<Check> => {
    try {
      return connected(id, about, await tryConnection(url, { ca: ca.pem, proxy, signal }), clock.now_ms())
    } catch (error) {
      if (signal.aborted) return late()
      const [message, hint] = connectionAdvice(error, about, ca.field)
      // A proxy that cannot be reached looks like a host that cannot.
      const is_proxys =
        way !== undefined && !isSluiceError(error, 'network.tls') && !isSluiceError(error, 'network.proxy')
      const advice = `check the proxy, or except the host from it (NO_PROXY=${url.hostname})`
      return fault(id, about, message + through, is_proxys ? advice : hint)
    }
  }
  return withinTime(clock, limits.answer_ms, connect, late)
}

function connected(id: Check['id'], about: string, { proxy, certificate }: Connected, now_ms: number): Check {
  const way = proxy === undefined ? '' : ` through the proxy ${proxy}`
  if (certificate === undefined) return ok(id, about, `reachable${way}`)
  const left_ms = certificate.valid_to_ms - now_ms
  const text = `reachable${way}, its certificate is trusted`
  if (left_ms >= soon_ms) return ok(id, about, text)
  return warning(
    id,
    about,
    `${text} and expires in ${formatDuration(left_ms)}`,
    'whoever runs the host has to renew it',
  )
}
