import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, messageOf } from '../base/errors.ts'

export const ignore_file_name = '.sluiceignore'

/** Rules written by hand are some kilobytes; a file beyond this is a mistake or an attack, and reading it whole would cost. */
const most_bytes = 1_048_576

/** Each path below is held against every line, so their number is what bounds the cost. Far above what hands write. */
const most_lines = 10_000

export type IgnoreFile =
  | { kind: 'none' }
  | { kind: 'lines'; lines: readonly string[] }
  /** There is one, but what it says is not known: nothing beside or below it may be sent. */
  | { kind: 'unusable'; why: string }

/** Reads a .sluiceignore, never through a symbolic link, never more than 1 MiB. */
export function readIgnoreFile(file: string): IgnoreFile {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' }
    if (code === 'ELOOP') return { kind: 'unusable', why: 'it is a symbolic link' }
    return { kind: 'unusable', why: `it cannot be read: ${code ?? messageOf(error)}` }
  }
  try {
    return readLines(descriptor)
  } catch (error) {
    return { kind: 'unusable', why: `it cannot be read: ${codeOf(error) ?? messageOf(error)}` }
  } finally {
    closeSync(descriptor)
  }
}

function readLines(descriptor: number): IgnoreFile {
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) return { kind: 'unusable', why: 'it is not a regular file' }
  if (stat.size > most_bytes) return { kind: 'unusable', why: 'it is larger than 1 MiB' }
  const buffer = Buffer.allocUnsafe(stat.size)
  let length = 0
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (count === 0) break
    length += count
  }
  const bytes = buffer.subarray(0, length)
  if (!isUtf8(bytes) || bytes.includes(0)) return { kind: 'unusable', why: 'it is not UTF-8 text' }
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
  if (lines.length > most_lines) return { kind: 'unusable', why: 'it has more than 10,000 lines' }
  return { kind: 'lines', lines }
}
