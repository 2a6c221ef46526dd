import { codeOf, messageOf, SluiceError, systemWords } from '../run/errors.ts'

// Each text begins with `the`, `no`, `nothing` or `it`: by that the page finds the host before it,
// which its readers do not see.
const texts = {
  refused: ['nothing listens there', 'check the address, and whether the service runs'],
  unreachable: ['the host cannot be reached', 'check the network, and the address'],
  dns: ['the name of the host is not known', 'check the address, and the name server'],
  connect_timeout: [
    'no connection was made in time',
    'check the network, a firewall, and whether a proxy is needed',
  ],
  tls: [
    'no trusted connection was made',
    'behind a company proxy, set ca_file to the certificate of its authority',
  ],
  no_tls: [
    'it speaks plain http there, or no TLS, and not https',
    'check the address and its port; a service without TLS has http://, on this machine only',
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

/** `more` follows the text in brackets, `detail` is the code of Node or OpenSSL. */
export function networkFault(
  reason: NetworkReason,
  { method, host }: Going,
  more?: string,
  detail?: string,
): SluiceError {
  const [what, hint]: [what: string, hint?: string] = texts[reason]
  return new SluiceError({
    code: `network.${reason}`,
    message: `${method} ${host}: ${what}${more === undefined ? '' : ` (${more})`}`,
    hint,
    detail,
  })
}

const unknown_authority =
  'its certificate comes from an authority that this program does not know: a company’s own, a proxy that opens TLS, or one between the two that is not sent'
const other_host = 'its certificate is for another host'

/** Codes of OpenSSL and Node in words. */
const certificate_faults: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: unknown_authority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknown_authority,
  UNABLE_TO_GET_ISSUER_CERT: unknown_authority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknown_authority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: other_host,
  HOSTNAME_MISMATCH: other_host,
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
  const detail = codeOf(error) ?? (error instanceof Error ? error.name : undefined)
  const found = detail === undefined ? 'failed' : reasonOf(detail)
  const reason = is_sent && unsent.has(found) ? 'reset' : found
  const words = certificate_faults[detail ?? '']
  // A code without words says more than nothing.
  const code = reason === 'failed' || reason === 'tls' ? detail && systemWords(detail) : undefined
  return networkFault(reason, going, words ?? code, detail)
}

/** A foreign text in words if it names a code of a network, such as `connect ECONNREFUSED …`. */
export function networkWords(text: string): string {
  const code = text.match(/\b[A-Z][A-Z_]+\b/g)?.find((word) => Object.hasOwn(reasons, word))
  return code === undefined ? text : texts[reasonOf(code)][0]
}

/** Reasons of a connection that was never made. */
const unsent: ReadonlySet<string> = new Set<NetworkReason>([
  'refused',
  'unreachable',
  'dns',
  'connect_timeout',
  'no_tls',
  'proxy',
])

/** True if the request surely did not reach its host: even one that creates can be repeated. */
export function isSurelyUnsent(code = ''): boolean {
  return code.startsWith('network.') && unsent.has(code.slice('network.'.length))
}

/** True if no request can succeed before the address, its host or a certificate is right. */
export function isAboutAddress(code = ''): boolean {
  return isSurelyUnsent(code) || code === 'network.tls' || code === 'network.protocol'
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
  EPROTO: 'no_tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
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
