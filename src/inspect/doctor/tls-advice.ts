import { isSluiceError } from '../../base/errors.ts'

/** What a failed connection means in words, and what to do about it; `ca_field` is the field of the config for this host. */
export function connectionAdvice(
  error: unknown,
  host: string,
  ca_field: string | undefined,
): [message: string, hint: string | undefined] {
  if (!isSluiceError(error)) throw error
  const message = error.message.replace(`connect ${host}: `, '')
  if (error.code !== 'network.tls') return [message, error.hint]
  // The code of OpenSSL or Node stands in brackets at the end (network-fault.ts).
  const code = /\(([A-Z][A-Z0-9_]+)\)$/.exec(message)?.[1] ?? ''
  return [`${tlsMeaning(code)}${code === '' ? '' : ` (${code})`}`, tlsHint(code, ca_field)]
}

function tlsMeaning(code: string): string {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'its certificate is self-signed'
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'its certificate comes from an authority that this program does not know: a company’s own, or a proxy that opens TLS'
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'its certificate comes from an authority that this program does not know, or a certificate between the two is not sent'
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired'
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return 'its certificate is for another host'
    default:
      return 'no trusted connection came about'
  }
}

function tlsHint(code: string, ca_field: string | undefined): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'look at the clock of this machine first (timedatectl); else whoever runs the host has to renew it'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return 'check the address: the name in it must be one of the certificate; something on the way may answer in its place'
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
      return 'check the address and its port: something there does not speak TLS'
    default:
      return ca_field === undefined
        ? 'set NODE_EXTRA_CA_CERTS in the unit’s environment to the authority’s certificate (PEM); the list of the system is not read by Node'
        : `ask for the authority’s certificate (PEM) and name its file as ${ca_field}; the list of the system is not read by Node, but is such a file: /etc/ssl/certs/ca-certificates.crt`
  }
}
