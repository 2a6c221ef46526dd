import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, SluiceError } from '../base/run/errors.ts'

/** Secrets are far smaller. A wrong path must not load a large file. */
const max_secret_bytes = 16_384

/**
 * Reads a secret anew for each try, so that users can change it. Errors: `delivery.secret_file`.
 */
export function readSecretFile(file: string, what: string): string {
  let descriptor: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(descriptor).isFile()) throw unusable(file, what, 'not a file')
    const bytes = Buffer.alloc(max_secret_bytes + 1)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    const text = bytes.toString('utf8', 0, length).trim()
    if (text === '') throw unusable(file, what, 'it is empty')
    if (length > max_secret_bytes) throw unusable(file, what, `it is larger than ${max_secret_bytes} bytes`)
    return text
  } catch (error) {
    throw error instanceof SluiceError ? error : unusable(file, what, codeOf(error) ?? 'unreadable')
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unusable(file: string, what: string, why: string): SluiceError {
  return new SluiceError({
    code: 'delivery.secret_file',
    message: `${what} cannot be read from ${file}: ${why}`,
    hint: 'check that it is there, what it holds, and who may read it',
  })
}
