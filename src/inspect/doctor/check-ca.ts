import { X509Certificate } from 'node:crypto'
import { readCertificates } from '../../base/atomic-file.ts'
import { messageOf } from '../../base/errors.ts'
import { day_ms } from '../../base/time.ts'
import { type Check, type Findings, findings } from './check.ts'

const soon_ms = 30 * day_ms

/** The certificates of service.ca_file; `pem` is undefined where it cannot be used, or none is named. */
export function checkCa(file: string | undefined, now_ms: number): { checks: Check[]; pem: string | undefined } {
  if (file === undefined) return { checks: [], pem: undefined }
  const find = findings('ca', file)
  try {
    const pem = readCertificates(file)
    const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    if (found.length === 0) throw new Error('it holds no certificate in PEM form')
    const ends = found.map((text) => Date.parse(new X509Certificate(text).validTo))
    return { checks: [judge(find, ends, now_ms)], pem }
  } catch (error) {
    const hint = 'name a PEM file with certificates that this user can read as service.ca_file'
    return { checks: [find.fault(`it cannot be used: ${messageOf(error)}`, hint)], pem: undefined }
  }
}

function judge(find: Findings, ends_ms: readonly number[], now_ms: number): Check {
  const expired = ends_ms.filter((end_ms) => end_ms <= now_ms).length
  const count = ends_ms.length === 1 ? 'one certificate' : `${ends_ms.length} certificates`
  const hint = 'ask whoever issues them for the new ones'
  if (expired === ends_ms.length) return find.fault(`${count}, and none is valid any more`, hint)
  if (expired > 0) return find.ok(`${count}, ${expired} of them expired`)
  const is_soon = ends_ms.every((end_ms) => end_ms - now_ms < soon_ms)
  return is_soon ? find.warning(`${count}, which expire within 30 days`, hint) : find.ok(count)
}
