import { codeOf, messageOf, SluiceError } from '../run/errors.ts'

const texts = {
  refused: ['the connection was refused', 'check the address, and whether the service runs'],
  unreachable: ['the host cannot be reached', 'check the network, and the address'],
  dns: ['the name of the host cannot be resolved', 'check the address, and the name server'],
  connect_timeout: [
    'no connection was made in time',
    'check the network, a firewall, and whether a proxy is needed',
  ],
  tls: [
    'no trusted connection was made',
    'behind a company proxy, set ca_file to the certificate of its authority',
  ],
  proxy: ['the proxy refused to connect', 'check the proxy variables of the environment'],
  reset: ['the connection broke'],
  timeout: ['no answer came in time'],
  too_large: [
    'the answer is larger than any that is expected',
    'check the address: this may be another service',
  ],
  protocol: ['the answer is not HTTP', 'check the address and its port'],
  aborted: ['the request was ended from here'],
  failed: ['the request failed'],
} satisfies Record<string, [what: string, hint?: string]>

/** Why no usable answer came. The error's code is `network.<reason>`. */
type NetworkReason = keyof typeof texts

/** The target of a request as messages show it: never a path, a query or a header. */
export interface Going {
  method: string
  /** Host and port. */
  host: string
}

export function networkFault(
  reason: NetworkReason,
  { method, host }: Going,
  detail?: string,
): SluiceError {
  const [what, hint]: [what: string, hint?: string] = texts[reason]
  return new SluiceError({
    code: `network.${reason}`,
    message: `${method} ${host}: ${what}${detail === undefined ? '' : ` (${detail})`}`,
    hint,
  })
}

/**
 * Gives foreign errors our codes. Drops the originals: some carry sent or received data. `is_sent`:
 * an open connection carried the request. It breaks with the same codes (`read EHOSTUNREACH`), so
 * none may say then that the request was surely not sent.
 */
export function translateNetworkError(error: unknown, going: Going, is_sent = false): SluiceError {
  if (error instanceof SluiceError) return error
  const proxy_status = /^Proxy response \((\d{3})\)/.exec(messageOf(error))?.[1]
  if (proxy_status !== undefined) return networkFault('proxy', going, `status ${proxy_status}`)
  const code = codeOf(error) ?? (error instanceof Error ? error.name : undefined)
  const reason = code === undefined ? 'failed' : reasonOf(code)
  const detail = code && messageOf(code)
  return networkFault(is_sent && unsent.has(reason) ? 'reset' : reason, going, detail)
}

/** Reasons of a connection that was never made. */
const unsent: ReadonlySet<string> = new Set<NetworkReason>([
  'refused',
  'unreachable',
  'dns',
  'connect_timeout',
  'proxy',
])

/** True if the request surely did not reach its host: even one that creates can be repeated. */
export function isSurelyUnsent(code = ''): boolean {
  return code.startsWith('network.') && unsent.has(code.slice('network.'.length))
}

const reasons: Record<string, NetworkReason> = {
  ECONNREFUSED: 'refused',
  // The Unix socket does not exist.
  ENOENT: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'dns',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  AbortError: 'aborted',
  HTTPParserError: 'protocol',
  EPROTO: 'tls',
  UND_ERR_PRX_TLS: 'tls',
  HOSTNAME_MISMATCH: 'tls',
}

/** Codes of OpenSSL's certificate checks (X509_V_ERR_*, verify(1)) and of Node's TLS. */
const tls_code =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)/

function reasonOf(code: string): NetworkReason {
  const reason = reasons[code]
  if (reason) return reason
  if (code.startsWith('EAI_')) return 'dns'
  if (code.startsWith('HPE_')) return 'protocol'
  return tls_code.test(code) ? 'tls' : 'failed'
}
