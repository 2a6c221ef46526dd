import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, SluiceError } from '../base/errors.ts'

/** A key and its line end; a larger file is the wrong one. */
const largest_bytes = 4_096

/**
 * The key in a file that nobody else can read. It is read for every call, so that another one is taken up by itself. Errors
 * `config.service`, which never show what was found.
 */
export function readKeyFile(file: string): string {
  let descriptor: number | undefined
  try {
    // Opening a pipe would otherwise wait for somebody to write into it.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw unusable(file, 'it is not a file')
    if ((stat.mode & 0o077) !== 0) throw unusable(file, 'group or others can read it', `chmod 600 ${file}`)
    const bytes = Buffer.alloc(largest_bytes)
    const key = bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0)).trim()
    if (!/^[\x21-\x7e]+$/.test(key)) throw unusable(file, 'a key is one word of visible characters')
    return key
  } catch (error) {
    throw error instanceof SluiceError ? error : unusable(file, codeOf(error) ?? 'it cannot be read')
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unusable(file: string, why: string, hint?: string): SluiceError {
  return new SluiceError({ code: 'config.service', message: `the key file ${file} cannot be used: ${why}`, hint })
}
