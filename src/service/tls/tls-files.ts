import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { TlsKeys } from '../../base/net/http-server.ts'
import { causeOf } from '../../base/run/errors.ts'
import { day_ms } from '../../base/time/time.ts'
import { refused } from '../faults/faults.ts'

/** The PEM files of both listeners: the certificate with its chain, and its key. */
export interface TlsFiles {
  cert_file: string
  key_file: string
}

/** The log warns this long before the expiry: a company's office may need weeks for a new one. */
const expiry_warning_ms = 30 * day_ms

/**
 * Reads and checks both files, because a wrong one would only show as failed connections. Error
 * `config.service` for a file that is unreadable or not PEM, a key that others can read or that
 * does not match, and a certificate that is expired or not yet valid.
 */
export function readTls(
  { cert_file, key_file }: TlsFiles,
  now_ms: number,
  log: (line: string) => void,
) {
  const cert = parse('the certificate', cert_file, () => readFileSync(cert_file, 'utf8'))
  const certificate = parse('the certificate', cert_file, () => new X509Certificate(cert))
  checkKeyMode(key_file)
  const key = parse('the key', key_file, () => readFileSync(key_file, 'utf8'))
  const private_key = parse('the key', key_file, () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(private_key)) {
    throw refused(
      `the key ${key_file} does not belong to the certificate ${cert_file}`,
      'give the key of this certificate; in a chain the certificate of this host comes first',
    )
  }
  checkTimes(certificate, cert_file, now_ms, log)
  return { keys: { cert, key } satisfies TlsKeys, certificate }
}

/** Throws `config.service` if the key file is missing, or group or others have any right to it. */
export function checkKeyMode(key_file: string): void {
  const mode = parse('the key', key_file, () => statSync(key_file)).mode & 0o077
  if (mode !== 0)
    throw refused(`group or others can read the key ${key_file}`, `chmod 600 ${key_file}`)
}

function checkTimes(
  certificate: X509Certificate,
  file: string,
  now_ms: number,
  log: (line: string) => void,
): void {
  const { validFrom, validTo } = certificate
  if (Date.parse(validTo) <= now_ms) {
    throw refused(
      `the certificate ${file} expired on ${validTo}`,
      'make a new one, for example with `sluice serve cert`',
    )
  }
  if (Date.parse(validFrom) > now_ms) {
    throw refused(
      `the certificate ${file} is not valid before ${validFrom}`,
      'check the clock of this machine',
    )
  }
  if (Date.parse(validTo) - now_ms < expiry_warning_ms)
    log(`the certificate ${file} expires on ${validTo}; make a new one in time`)
}

function parse<Value>(what: string, file: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw refused(
      `${what} ${file} cannot be used: ${causeOf(error)}`,
      'give the path of a PEM file that this user can read, without a passphrase',
      error,
    )
  }
}
