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
  const { meaning = 'no trusted connection came about', hint } = known[code] ?? {}
  return [`${meaning}${code === '' ? '' : ` (${code})`}`, hint ?? caHint(ca_field)]
}

const incomplete = {
  meaning:
    'its certificate comes from an authority that this program does not know, or a certificate between the two is not sent',
}
const clock = 'look at the clock of this machine first (timedatectl); else whoever runs the host has to renew it'
const other_host = {
  meaning: 'its certificate is for another host',
  hint: 'check the address: the name in it must be one of the certificate; something on the way may answer in its place',
}
const no_tls = { hint: 'check the address and its port: something there does not speak TLS' }

/** By the codes of OpenSSL and Node; without a hint it is a matter of the authority. */
const known: Readonly<Record<string, { meaning?: string; hint?: string }>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { meaning: 'its certificate is self-signed' },
  SELF_SIGNED_CERT_IN_CHAIN: {
    meaning:
      'its certificate comes from an authority that this program does not know: a company’s own, or a proxy that opens TLS',
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incomplete,
  UNABLE_TO_GET_ISSUER_CERT: incomplete,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incomplete,
  CERT_HAS_EXPIRED: { meaning: 'its certificate has expired', hint: clock },
  CERT_NOT_YET_VALID: { meaning: 'its certificate is not valid yet', hint: clock },
  ERR_TLS_CERT_ALTNAME_INVALID: other_host,
  HOSTNAME_MISMATCH: other_host,
  ERR_SSL_WRONG_VERSION_NUMBER: no_tls,
  EPROTO: no_tls,
}

function caHint(ca_field: string | undefined): string {
  return ca_field === undefined
    ? 'set NODE_EXTRA_CA_CERTS in the unit’s environment to the authority’s certificate (PEM); the list of the system is not read by Node'
    : `ask for the authority’s certificate (PEM) and name its file as ${ca_field}; the list of the system is not read by Node, but is such a file: /etc/ssl/certs/ca-certificates.crt`
}
