import { proxyFor, tryConnection } from '../../base/net/connect.ts'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { formatDuration } from '../../base/text/format.ts'
import { day_ms } from '../../base/time/time.ts'
import { type Check, type DoctorTools, type Findings, findings, withinTime } from './check.ts'

const soon_ms = 14 * day_ms

/**
 * Connects to a host as requests do, with TLS for https and through the proxy; sends no request.
 * `ca.field` is the setting for its certificates.
 */
export async function checkHost(
  id: 'api_host' | 'blob_host' | 'webhook',
  url: URL,
  { clock, limits, proxy }: Pick<DoctorTools, 'clock' | 'limits' | 'proxy'>,
  ca: { pem: string | undefined; field: string | undefined } = { pem: undefined, field: undefined },
): Promise<Check> {
  const find = findings(id, url.host)
  const way = proxyFor(url, proxy)
  const through =
    way === undefined ? '' : ` (through the proxy ${way.host}, as the proxy variables say)`
  const late = () => {
    const hint = 'check the network, a firewall, and whether a proxy is needed'
    return find.fault(`no answer in ${formatDuration(limits.answer_ms)}${through}`, hint)
  }
  const connect = async (signal: AbortSignal): Promise<Check> => {
    try {
      const certificate_end_ms = await tryConnection(url, { ca: ca.pem, proxy: way, signal })
      return connected(find, way?.host, certificate_end_ms, clock.now_ms())
    } catch (error) {
      if (signal.aborted) return late()
      const [message, hint] = connectionAdvice(error, url.host, ca.field)
      // An unreachable proxy gives the same error as an unreachable host.
      const is_proxys =
        way !== undefined &&
        !['tls', 'no_tls', 'proxy'].some((reason) => isSluiceError(error, `network.${reason}`))
      const advice = `check the proxy, or except the host from it (NO_PROXY=${url.hostname})`
      return find.fault(message + through, is_proxys ? advice : hint)
    }
  }
  return withinTime(clock, limits.answer_ms, connect, late)
}

/** Connects to the host of the newest upload URL, whose origin the ledger keeps. */
export async function checkBlobHost(tools: DoctorTools, ca: string | undefined): Promise<Check[]> {
  const origin = tools.ledger?.blobOrigin()
  if (origin === undefined || !URL.canParse(origin)) {
    const { ok } = findings('blob_host', 'blob store')
    return [ok('not known before the first upload: run this again after it')]
  }
  const url = new URL(origin)
  const check = await checkHost('blob_host', url, tools, { pem: ca, field: 'service.ca_file' })
  if (check.level !== 'fault') return [check]
  // A local service takes another port for its blob store at each start.
  const level = isLoopbackHost(url.hostname) ? 'warning' : 'fault'
  const hint = `upload a file and run this again: the service may name another address by now; else ${check.hint}`
  return [{ ...check, level, message: `${check.message} (its address at the last upload)`, hint }]
}

function connected(
  { ok, warning }: Findings,
  proxy: string | undefined,
  certificate_end_ms: number | undefined,
  now_ms: number,
): Check {
  const way = proxy === undefined ? '' : ` through the proxy ${proxy}`
  if (certificate_end_ms === undefined) return ok(`reachable${way}`)
  const left_ms = certificate_end_ms - now_ms
  const text = `reachable${way}, its certificate is trusted`
  if (left_ms >= soon_ms) return ok(text)
  return warning(`${text} and expires in ${formatDuration(left_ms)}`, 'its operator must renew it')
}

/**
 * Translates a failed connection into a message and a remedy. `ca_field` is the setting for the
 * host's certificates; undefined if it has none.
 */
function connectionAdvice(
  error: unknown,
  host: string,
  ca_field: string | undefined,
): [message: string, hint: string | undefined] {
  if (!isSluiceError(error)) throw error
  const message = error.message.replace(`connect ${host}: `, '')
  if (error.code !== 'network.tls') return [message, error.hint]
  return [message, hints[error.detail ?? ''] ?? caHint(ca_field)]
}

const clock =
  'check the clock of this machine first (timedatectl); if it is right, the operator of the host must renew the certificate'
const other_host =
  'check the address: the certificate must have its host name; another machine on the way may have answered'

/** Code of OpenSSL or Node -> advice. Without one, the authority is the problem (`caHint`). */
const hints: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: clock,
  CERT_NOT_YET_VALID: clock,
  ERR_TLS_CERT_ALTNAME_INVALID: other_host,
  HOSTNAME_MISMATCH: other_host,
}

function caHint(ca_field: string | undefined): string {
  return ca_field === undefined
    ? 'set NODE_EXTRA_CA_CERTS in the unit’s environment to the authority’s certificate (PEM); the list of the system is not read by Node'
    : `ask for the authority’s certificate (PEM) and name its file as ${ca_field}; the list of the system is not read by Node, but is such a file: /etc/ssl/certs/ca-certificates.crt`
}
