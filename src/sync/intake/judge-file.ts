import { hour_ms, second_ms } from '../../base/time/time.ts'
import type { Fingerprint, PathState } from '../../disk/read/examiner.ts'
import type { Ignored } from '../../disk/scan/ignore.ts'
import type { HashRule } from '../../disk/scan/scan.ts'
import type { FileFact } from '../../domain/fact.ts'
import {
  type FileStat,
  isBeforeStart,
  type KnownFile,
  other_disk_code,
  sameStat,
  unreadableText,
} from '../../domain/file.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { isWaiting, quietBefore_ns, type SettleInput, settle } from './settle.ts'

export interface FileSeen extends SettleInput {
  folder: FolderSettings
  path: string
  /** Unix ms when the folder was set up; its setting `start` refers to it. */
  started_ms: number
  /** True once a full scan has ended: files found later are arrivals. */
  first_scan_done: boolean
  /** True for a file that `start` left out at another path and that was moved here. */
  moved_from_before_start: boolean
}

/** One check of a regular file finds nothing new, a fact, or a file to hash now. */
export type FileVerdict = { kind: 'nothing' } | { kind: 'fact'; fact: FileFact } | { kind: 'hash' }

export function judgeFile(input: FileSeen): FileVerdict {
  const { folder, path, known, stat } = input
  if (isUnchanged(known, stat)) return { kind: 'nothing' }
  const skip = skipReason(input)
  if (skip) return { kind: 'fact', fact: { type: 'file_skipped', folder: folder.name, path, stat, ...skip } }
  const verdict = settle(input)
  switch (verdict.kind) {
    case 'quiet':
      return { kind: 'hash' }
    case 'wait': {
      // Recorded when it began to wait. A file that keeps changing stays blocked until it is due.
      if (isWaiting(known) && sameStat(known.stat, stat)) return { kind: 'nothing' }
      const not_before_ms = verdict.until_ms
      return { kind: 'fact', fact: { type: 'file_seen', folder: folder.name, path, stat, not_before_ms } }
    }
    case 'still_changing': {
      const detail = `it has been changing for longer than settle_cap_ms (${folder.settle_cap_ms} ms)`
      const not_before_ms = verdict.until_ms
      const blocked = { type: 'file_blocked', folder: folder.name, path, stat, reason: 'changing', detail } as const
      return { kind: 'fact', fact: { ...blocked, not_before_ms } }
    }
  }
}

/** True if no check is needed. The user decides about a file over the upload limit. */
function isUnchanged(known: KnownFile | undefined, stat: FileStat): boolean {
  if (!known || !sameStat(known.stat, stat)) return false
  return (
    known.state === 'present' ||
    known.state === 'skipped' ||
    (known.state === 'blocked' && known.reason === 'upload_limit')
  )
}

function skipReason(input: FileSeen): Pick<Extract<FileFact, { type: 'file_skipped' }>, 'reason' | 'rule'> | undefined {
  const { folder, stat } = input
  if (stat.size === 0) return { reason: 'empty', rule: 'it has no bytes, so there is nothing to ask about' }
  if (stat.size > folder.max_file_bytes) {
    return { reason: 'too_large', rule: `folders.${folder.name}.max_file_bytes is ${folder.max_file_bytes}` }
  }
  if (isLeftOut(input)) return { reason: 'before_start', rule: `folders.${folder.name}.start is ${startText(folder)}` }
  return undefined
}

/**
 * True if `start` leaves out this file. `start` is only about the first scan: a file that it finds
 * and that is too old stays out until its size or mtime changes. A later arrival is wanted, however
 * old its times are. A left-out file that was moved is no arrival.
 */
function isLeftOut({ folder, known, stat, started_ms, ...input }: FileSeen): boolean {
  const { start } = folder
  if (start.kind === 'all' || known?.accepted) return false
  // A file that was left out stays so for its mtime alone: a move or a chmod changes its ctime.
  const is_still_old = isBeforeStart(start, { ...stat, ctime_ns: stat.mtime_ns }, started_ms)
  if (known?.reason === 'before_start') {
    return known.stat.size === stat.size && known.stat.mtime_ns === stat.mtime_ns && is_still_old
  }
  if (input.moved_from_before_start) return is_still_old
  return known === undefined && !input.first_scan_done && isBeforeStart(start, stat, started_ms)
}

function startText({ start }: FolderSettings): string {
  return start.kind === 'newer_than' ? `newer_than ${Math.round(start.age_ms / 86_400_000)}d` : start.kind
}

export interface ToHash {
  path: string
  known: KnownFile | undefined
  stat: FileStat
}

const retry_unreadable = { first_ms: 30 * second_ms, max_ms: hour_ms }

/** True if its directory cannot be entered, so its ignore rules are unknown. The file is kept. */
export function isShut({ passing }: Ignored, path_state: PathState): boolean {
  return passing === true && path_state.kind === 'unreadable'
}

/** True for an unknown or gone file below a mount point in the folder. It is not recorded. */
export function isStranger(path_state: PathState, known: KnownFile | undefined): boolean {
  return (
    path_state.kind === 'unreadable' &&
    path_state.code === other_disk_code &&
    (known === undefined || known.state === 'gone')
  )
}

/** The fact that follows from reading a file. */
export function hashFact(settings: FolderSettings, file: ToHash, outcome: Fingerprint, now_ms: number): FileFact {
  const folder = settings.name
  const { path, stat } = file
  switch (outcome.kind) {
    case 'hashed':
      return { type: 'file_settled', folder, path, stat: outcome.stat, md5: outcome.md5 }
    case 'changed':
      return { type: 'file_seen', folder, path, stat, not_before_ms: now_ms + settings.settle_ms }
    case 'missing':
      return { type: 'file_gone', folder, path }
    case 'unreadable':
      return unreadableFact(settings, file, outcome.code, now_ms)
    case 'outside': {
      const detail = 'its real place is outside the folder (a directory on the way is a symbolic link)'
      return { type: 'file_blocked', folder, path, stat, reason: 'outside', detail, not_before_ms: undefined }
    }
  }
}

/** The wait grows with time: short for a lock, long for a missing permission. */
export function unreadableFact(
  { name }: FolderSettings,
  { path, known, stat }: Omit<ToHash, 'stat'> & { stat: FileStat | undefined },
  code: string,
  now_ms: number,
): FileFact {
  const since_ms = known?.state === 'blocked' ? now_ms - known.seen_ms : 0
  const wait_ms = Math.min(retry_unreadable.max_ms, Math.max(retry_unreadable.first_ms, since_ms))
  const blocked = { type: 'file_blocked', folder: name, path, stat, reason: 'unreadable' } as const
  return { ...blocked, detail: unreadableText(code), not_before_ms: now_ms + wait_ms }
}

/** The walk hashes only small files: some batches are read in vain where known files begin. */
const max_bytes_on_the_way = 256 * 1_024

/** Which unknown files the walk may hash, as `judgeFile` would; undefined if `start` decides. */
export function hashRule(
  { settle_ms, max_file_bytes, start }: FolderSettings,
  now: Pick<SettleInput, 'now_ms' | 'clock_doubt_ms'>,
): HashRule | undefined {
  if (start.kind !== 'all') return undefined
  const quiet_before_ns = quietBefore_ns(settle_ms, now)
  return { quiet_before_ns, max_bytes: Math.min(max_file_bytes, max_bytes_on_the_way) }
}
