import { isUtf8 } from 'node:buffer'
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../base/run/errors.ts'

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

/** Who may do what with a directory: the permission bits of `st_mode`, the owner, the group. */
export interface Access {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

const may_list_and_enter = 0o5

/**
 * Why fewer people can read `directory` than the folder it lies in; undefined where it is open to all of them. In a project
 * everybody sees every file, so what lies in a narrower directory would reach people who cannot reach it on the disk. It goes by
 * mode, owner and group alone: access lists (acl(5)) are not read, and the mask that they put into the group's bits counts as the
 * group's right. Who is in a group is not known either: another group counts as other people.
 */
export function narrowerBecause(directory: Access, folder: Access): string | undefined {
  const same_group = directory.gid === folder.gid
  if (isOpen(folder.mode, 0)) {
    if (!isOpen(directory.mode, 0)) return 'it is closed to others'
    // The bits of the group come first: they shut out its members, whatever others may.
    const shuts_group_out = !isOpen(directory.mode, 3) && (!same_group || isOpen(folder.mode, 3))
    return shuts_group_out ? 'it is closed to its group' : undefined
  }
  if (isOpen(folder.mode, 3)) {
    if (same_group ? isOpen(directory.mode, 3) : isOpen(directory.mode, 0)) return undefined
    return same_group ? 'it is closed to the group of the folder' : 'it belongs to another group'
  }
  // Open to its owner alone, and the superuser reads everything.
  if (directory.uid === folder.uid || folder.uid === 0 || isOpen(directory.mode, 0)) return undefined
  return same_group && isOpen(directory.mode, 3) ? undefined : 'it belongs to another user'
}

function isOpen(mode: number, shift: 0 | 3): boolean {
  return ((mode >> shift) & may_list_and_enter) === may_list_and_enter
}

export function accessOf({ mode, uid, gid }: Pick<BigIntStats, 'mode' | 'uid' | 'gid'>): Access {
  return { mode: Number(mode), uid: Number(uid), gid: Number(gid) }
}

/** What `widening: skip` says of each directory that is narrower than its folder. */
export const narrower_ignored = {
  ignored: true as const,
  rule: 'widening: skip',
  source: 'config widening',
  reason: 'fewer people can read it than the folder it lies in, and in the project everybody could',
}

/** Of a directory below the root, relative to it; where it cannot be checked, whoever reads it has to. */
export function isNarrower(root: string, directory: string): boolean {
  try {
    const folder = accessOf(statSync(root, { bigint: true }))
    const stat = lstatSync(join(root, directory), { bigint: true })
    return stat.isDirectory() && narrowerBecause(accessOf(stat), folder) !== undefined
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}
