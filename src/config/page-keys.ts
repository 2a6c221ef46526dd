import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { max_certificates_bytes } from '../base/files/atomic-file.ts'
import { direct_paths, type Paths, readSmallText } from '../base/files/paths.ts'
import type { TlsKeys } from '../base/net/http-server.ts'
import { causeOf, messageOf, SluiceError } from '../base/run/errors.ts'
import { shellWord } from '../base/text/format.ts'
import type { Config } from './config.ts'

/** The certificate and key of the page; undefined without. Error `page.tls`. */
export function readPageKeys(
  { tls_cert, tls_key }: Config['page'],
  paths = direct_paths,
): TlsKeys | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined
  const keys = { cert: pem(tls_cert, paths), key: pem(tls_key, paths) }
  const is_open = ((paths.look(tls_key).stat?.mode ?? 0o777) & 0o077) !== 0
  if (is_open)
    throw fault(`group or others can read the key ${tls_key}`, `chmod 600 ${shellWord(tls_key)}`)
  try {
    // createSecureContext accepts an empty key, and the key of another kind of certificate.
    const is_pair = new X509Certificate(keys.cert).checkPrivateKey(createPrivateKey(keys.key))
    if (!is_pair) throw new Error('the key does not belong to the certificate')
    createSecureContext(keys)
  } catch (error) {
    throw fault(
      `${tls_cert} and ${tls_key} cannot be used: ${messageOf(error)}`,
      'give a PEM certificate and its key',
    )
  }
  return keys
}

function pem(file: string, paths: Paths): string {
  try {
    return readSmallText(file, max_certificates_bytes, paths)
  } catch (error) {
    const hint = 'check page.tls_cert and page.tls_key, and who may read them'
    throw fault(`the page cannot read ${file}: ${causeOf(error)}`, hint)
  }
}

function fault(message: string, hint: string): SluiceError {
  return new SluiceError({ code: 'page.tls', message, hint })
}
