import { X509Certificate } from 'node:crypto'
import { isNoAnswer } from '../base/files/ask-paths.ts'
import { max_certificates_bytes } from '../base/files/atomic-file.ts'
import { direct_paths, readSmallText } from '../base/files/paths.ts'
import { causeOf, SluiceError } from '../base/run/errors.ts'

/** The certificates of `service.ca_file`. Errors `config.ca_file`, `path.no_answer`. */
export function readCa(file: string, paths = direct_paths): string {
  try {
    const text = readSmallText(file, max_certificates_bytes, paths)
    // Node skips text that is no certificate. Every connection would then fail with a misleading
    // error.
    new X509Certificate(text)
    return text
  } catch (error) {
    if (isNoAnswer(error)) throw error
    throw new SluiceError({
      code: 'config.ca_file',
      message: `service.ca_file ${file} cannot be used: ${causeOf(error)}`,
      hint: 'give the path of a PEM file with certificates that this user can read',
      cause: error,
    })
  }
}
