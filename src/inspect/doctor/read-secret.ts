import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { codeOf } from '../../base/errors.ts'

const largest_bytes = 16_384

/** What a file that holds a secret is like, and its text; or why it cannot be read, as the code of the system. */
export function readSecret(file: string): { stat: Stats; text: string } | { why: string } {
  let descriptor: number | undefined
  try {
    // Opening a pipe would otherwise wait for somebody to write into it.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return { why: 'it is not a file' }
    const bytes = Buffer.alloc(largest_bytes)
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0)).trim()
    return text === '' ? { why: 'it is empty' } : { stat, text }
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return { why: code }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
