import { isUtf8 } from 'node:buffer'
import { type BigIntStats, constants, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readBeginning } from '../../base/files/atomic-file.ts'
import { causeOf, codeOf } from '../../base/run/errors.ts'

export const ignore_file_name = '.sluiceignore'

/** Hand-written rules are some kilobytes. A larger file is a mistake or an attack, and costly. */
const max_bytes = 1_048_576

/** Every path below is matched with every line. Far above hand-written files. */
const max_lines = 10_000

export type IgnoreFile =
  | { kind: 'none' }
  | { kind: 'lines'; lines: readonly string[] }
  /** The rules of the file are unknown: nothing beside or below it may be uploaded. */
  | { kind: 'unusable'; why: string }

export function readIgnoreFile(file: string): IgnoreFile {
  try {
    const { stat, bytes } = readBeginning(file, max_bytes + 1, constants.O_NOFOLLOW)
    if (!stat.isFile()) return { kind: 'unusable', why: 'it is not a regular file' }
    if (bytes.length > max_bytes) return { kind: 'unusable', why: 'it is larger than 1 MiB' }
    if (!isUtf8(bytes) || bytes.includes(0))
      return { kind: 'unusable', why: 'it is not UTF-8 text' }
    const lines = bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
    if (lines.length > max_lines) return { kind: 'unusable', why: 'it has more than 10,000 lines' }
    return { kind: 'lines', lines }
  } catch (error) {
    const code = codeOf(error)
    // Only open(2) says that no file is there. A file that then cannot be read has unknown rules.
    const is_opening = (error as NodeJS.ErrnoException).syscall === 'open'
    if (is_opening && (code === 'ENOENT' || code === 'ENOTDIR')) return { kind: 'none' }
    const why = code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be read: ${causeOf(error)}`
    return { kind: 'unusable', why }
  }
}

export interface Access {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

const may_list_and_enter = 0o5

/**
 * Why fewer users can read `directory` than its folder's root; undefined if all of them can. Every
 * user of a project sees all its files. It compares mode, owner and group only: an access list
 * (acl(5)) counts by its mask in the group bits, and another group counts as other users.
 */
export function narrowerBecause(directory: Access, folder: Access): string | undefined {
  const same_group = directory.gid === folder.gid
  if (isOpen(folder.mode, 0)) {
    if (!isOpen(directory.mode, 0)) return 'it is closed to others'
    // Group bits apply first: they shut out members, whatever others may do.
    const shuts_group_out = !isOpen(directory.mode, 3) && (!same_group || isOpen(folder.mode, 3))
    return shuts_group_out ? 'it is closed to its group' : undefined
  }
  if (isOpen(folder.mode, 3)) {
    if (same_group ? isOpen(directory.mode, 3) : isOpen(directory.mode, 0)) return undefined
    return same_group ? 'it is closed to the group of the folder' : 'it belongs to another group'
  }
  // Only its owner can read the folder, and the superuser reads everything.
  if (directory.uid === folder.uid || folder.uid === 0 || isOpen(directory.mode, 0))
    return undefined
  return same_group && isOpen(directory.mode, 3) ? undefined : 'it belongs to another user'
}

function isOpen(mode: number, shift: 0 | 3): boolean {
  return ((mode >> shift) & may_list_and_enter) === may_list_and_enter
}

export function accessOf({ mode, uid, gid }: Pick<BigIntStats, 'mode' | 'uid' | 'gid'>): Access {
  return { mode: Number(mode), uid: Number(uid), gid: Number(gid) }
}

export const narrower_ignored = {
  ignored: true as const,
  rule: 'widening: skip',
  source: 'config widening',
  reason: 'fewer people can read it than the folder it lies in, and in the project everybody could',
}

/** False also if a stat fails: then reading it fails too, or a walk checks it again. */
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
