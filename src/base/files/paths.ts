import {
  accessSync,
  constants,
  lstatSync,
  opendirSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf, type PlainError } from '../run/errors.ts'
import { decodeText } from '../text/decode-text.ts'
import { second_ms } from '../time/time.ts'
import { readBeginning } from './atomic-file.ts'
import { mayHangAt } from './mount-table.ts'

/** Facts about a path of the user. */
export interface PathFacts {
  /** Absolute, without symbolic links, as far as the path exists. */
  real: string
  /** True also for a link that leads nowhere. */
  is_there: boolean
  /** Undefined if the path cannot be found: `code` says why. */
  stat: { kind: 'directory' | 'file' | 'other'; mode: number; uid: number } | undefined
  /** The error of stat(2): `ENOENT`. */
  code: string | undefined
  /** Why this user may not read it: the error of access(2). */
  closed: string | undefined
  /** It has not answered. All else is then unknown, and `real` is the path as written. */
  is_silent: boolean
}

export interface Beginning {
  kind: NonNullable<PathFacts['stat']>['kind']
  mode: number
  size: number
  bytes: Uint8Array
}

/** Questions about paths that a user has named, whose disk may not answer (ask-paths.ts). */
export interface Paths {
  look(path: string): PathFacts
  /** As `readBeginning`. Error `path.no_answer` if the file has not answered. */
  read(file: string, max_bytes: number): Beginning
  /**
   * Names in a directory, at most so many, with one character per byte (latin1). Empty if it cannot
   * be read or has not answered.
   */
  list(directory: string, max_names: number): readonly string[]
  /** Paths that have not answered. */
  silent(): readonly string[]
}

/** A call of `Paths`. */
export interface Question {
  method: 'look' | 'read' | 'list'
  path: string
  /** Bytes for `read`, names for `list`. */
  max: number
}

/** `is_silent`: the path has not answered for `patienceWith` it. */
export type Asked = { value: unknown } | { error: PlainError } | { is_silent: true }

/** After this time a command says what it waits for. */
export const slow_ms = second_ms
/** For a path on a share: a user waits. */
export const path_patience_ms = 2 * second_ms
/** A local disk may take seconds to start turning. */
const local_patience_ms = 10 * second_ms

export function patienceWith(path: string): number {
  return mayHangAt(path) ? path_patience_ms : local_patience_ms
}

function kindOf(stat: { isDirectory(): boolean; isFile(): boolean }): Beginning['kind'] {
  if (stat.isDirectory()) return 'directory'
  return stat.isFile() ? 'file' : 'other'
}

/** Facts of a path of which nothing is known. */
export const unknown = {
  is_there: false,
  stat: undefined,
  code: undefined,
  closed: undefined,
  is_silent: false,
}

/** Asks in this thread, which waits as long as it takes. */
export const direct_paths: Paths = {
  look(path) {
    const facts = { ...unknown, real: realPath(path), is_there: isThere(path) }
    try {
      const stat = statSync(path)
      // The kernel may know the rest without the server of a share. This asks the server.
      statfsSync(path)
      const { mode, uid } = stat
      return { ...facts, stat: { kind: kindOf(stat), mode, uid }, closed: whyClosed(path) }
    } catch (error) {
      return { ...facts, code: codeOf(error), closed: codeOf(error) }
    }
  },
  read(file, max_bytes) {
    const { stat, bytes } = readBeginning(file, max_bytes)
    return { kind: kindOf(stat), mode: stat.mode, size: stat.size, bytes }
  },
  list(directory, max_names) {
    try {
      return namesIn(directory, max_names)
    } catch (error) {
      if (codeOf(error) === undefined) throw error
      return []
    }
  },
  silent: () => [],
}

/** Names that one call of the system reads. */
const names_per_call = 500

function namesIn(directory: string, max_names: number): string[] {
  const entries = opendirSync(directory, { encoding: 'latin1', bufferSize: names_per_call })
  try {
    const names: string[] = []
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      names.push(entry.name)
      if (names.length === max_names) break
    }
    return names
  } finally {
    entries.closeSync()
  }
}

/**
 * Reads a small UTF-8 file that a user named. It refuses a pipe, a device or a file over
 * `max_bytes` at once. Errors: those of `read` and of `decodeText`, or one that says what the path
 * is instead.
 */
export function readSmallText(file: string, max_bytes: number, paths = direct_paths): string {
  const { kind, size, bytes } = paths.read(file, max_bytes + 1)
  if (kind !== 'file')
    throw new Error(kind === 'directory' ? 'it is a directory' : 'it is no regular file')
  if (size > max_bytes) throw new Error(`it has ${size} bytes, more than ${max_bytes}`)
  // Files in /proc report size 0.
  if (bytes.length > max_bytes) throw new Error(`it has more than ${max_bytes} bytes`)
  return decodeText(bytes)
}

function whyClosed(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** Resolves symbolic links as far as the path exists. The rest stays as written. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
