import type { FileStat } from '../domain/file.ts'
import type { SpecialKind } from './entry.ts'

/** What is at a path now. */
export type Look =
  | { kind: 'file'; stat: FileStat }
  | { kind: 'directory' }
  /** Also where a part of the path is no directory, or a link: links are not followed. */
  | { kind: 'missing' }
  | { kind: 'special'; what: SpecialKind }
  | { kind: 'unreadable'; code: string }

/** What reading a file found, against the stat that it was expected to have. */
export type Fingerprint =
  /** `md5` (32 lower-case hex digits) is of exactly the bytes that had `stat` before and after they were read. */
  | { kind: 'hashed'; md5: string; stat: FileStat }
  /** Its stat is another, or became another while it was read: look again. */
  | { kind: 'changed' }
  | { kind: 'missing' }
  | { kind: 'unreadable'; code: string }
  /** The path leads out of the folder through a link that stands where a directory was. */
  | { kind: 'outside' }

export type NotHashed = Exclude<Fingerprint, { kind: 'hashed' }>

/** Between the threads only what is not known on the other side travels, in few objects: these are sent for each file. */
export interface LookRequest {
  root: string
  paths: readonly string[]
}

export interface LookAnswer {
  /** Undefined: a file, whose stat is in `stats`. */
  others: (Exclude<Look, { kind: 'file' }> | undefined)[]
  /** Four for each path: size, mtime_ns, ctime_ns, inode. */
  stats: BigInt64Array
}

export interface FingerprintRequest extends LookRequest {
  stats: BigInt64Array
}

/** A string is the md5 of a file that is as expected. */
export type FingerprintAnswer = (string | NotHashed)[]

/** What an examiner's thread is started with. */
export interface ExamineThreadData {
  progress: SharedArrayBuffer
}

export interface WholeRequest {
  root: string
  path: string
  stats: BigInt64Array
}

export type WholeAnswer = { kind: 'read'; bytes: Uint8Array; md5: string } | NotHashed
