import { X509Certificate } from 'node:crypto'
import { readCertificates } from '../base/files/atomic-file.ts'
import { messageOf, SluiceError } from '../base/run/errors.ts'

/** The certificates of `service.ca_file`. Error `config.ca_file`. */
export function readCa(file: string): string {
  try {
    const text = readCertificates(file)
    // Node skips text that is no certificate. Every connection would then fail with a misleading
    // error.
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new SluiceError({
      code: 'config.ca_file',
      message: `service.ca_file ${file} cannot be used: ${messageOf(error)}`,
      hint: 'give the path of a PEM file with certificates that this user can read',
      cause: error,
    })
  }
}
