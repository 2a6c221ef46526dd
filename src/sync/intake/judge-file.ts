import { formatDuration } from '../../base/text/format.ts'
import { hour_ms, second_ms } from '../../base/time/time.ts'
import type { Fingerprint, PathState } from '../../disk/read/examiner.ts'
import type { Ignored } from '../../disk/scan/ignore.ts'
import type { HashRule } from '../../disk/scan/scan.ts'
import type { FileFact } from '../../domain/fact.ts'
import {
  type FileStat,
  type KnownFile,
  mayChange,
  other_disk_code,
  sameStat,
  unreadableText,
} from '../../domain/file.ts'
import {
  type FileHistory,
  type SkipReason,
  skip_reasons,
  skipReason,
  skipSettings,
} from '../../domain/file-reasons.ts'
import { isBlank } from '../../domain/placeholder.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { quietBefore_ns, type SettleInput, settle } from './settle.ts'

export interface FileSeen extends SettleInput, FileHistory {
  folder: FolderSettings
  path: string
  known: KnownFile | undefined
}

/** One check of a regular file finds nothing new, a fact, or a file to hash now. */
export type FileVerdict = { kind: 'nothing' } | { kind: 'fact'; fact: FileFact } | { kind: 'hash' }

export function judgeFile(input: FileSeen): FileVerdict {
  const { folder, path, known, stat } = input
  if (isUnchanged(known, stat)) return { kind: 'nothing' }
  const reason = skipReason({ folder, path, stat, history: input })
  if (reason) return { kind: 'fact', fact: skippedFact(folder, path, stat, reason) }
  const verdict = settle(input)
  switch (verdict.kind) {
    case 'quiet':
      return { kind: 'hash' }
    case 'wait': {
      // Recorded when it began to wait. A file that keeps changing stays blocked until it is due.
      if (known && mayChange(known) && sameStat(known.stat, stat)) return { kind: 'nothing' }
      const not_before_ms = verdict.until_ms
      return {
        kind: 'fact',
        fact: { type: 'file_seen', folder: folder.name, path, stat, not_before_ms },
      }
    }
    case 'still_changing': {
      const detail = `it has been changing for longer than ${formatDuration(folder.settle_cap_ms)}`
      const not_before_ms = verdict.until_ms
      const blocked = {
        type: 'file_blocked',
        folder: folder.name,
        path,
        stat,
        reason: 'changing',
        detail,
      } as const
      return { kind: 'fact', fact: { ...blocked, not_before_ms } }
    }
  }
}

function skippedFact(
  folder: FolderSettings,
  path: string,
  stat: FileStat,
  reason: SkipReason,
): FileFact {
  const rule = skip_reasons[reason].rule(folder)
  return { type: 'file_skipped', folder: folder.name, path, stat, reason, rule }
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

/** The fact about a known file that is missing. `placeholder`: what stands in its place, if any. */
export function missingFact(
  folder: FolderSettings,
  { path, state, reason }: KnownFile,
  placeholder: FileStat | undefined,
): FileFact | undefined {
  if (placeholder === undefined || reason === 'before_start')
    return state === 'gone' ? undefined : { type: 'file_gone', folder: folder.name, path }
  if (state === 'skipped' && reason === 'placeholder') return undefined
  return skippedFact(folder, path, placeholder, 'placeholder')
}

/** The fact that follows from reading a file. */
export function hashFact(
  settings: FolderSettings,
  file: ToHash,
  outcome: Fingerprint,
  now_ms: number,
): FileFact {
  const folder = settings.name
  const { path, stat } = file
  switch (outcome.kind) {
    case 'hashed':
      if (isBlank(outcome.stat.size, outcome.md5))
        return skippedFact(settings, path, outcome.stat, 'placeholder')
      return { type: 'file_settled', folder, path, stat: outcome.stat, md5: outcome.md5 }
    case 'changed':
      return { type: 'file_seen', folder, path, stat, not_before_ms: now_ms + settings.settle_ms }
    case 'missing':
      return { type: 'file_gone', folder, path }
    case 'unreadable':
      return unreadableFact(settings, file, outcome.code, now_ms)
    case 'outside': {
      const detail =
        'its real place is outside the folder (a directory on the way is a symbolic link)'
      return {
        type: 'file_blocked',
        folder,
        path,
        stat,
        reason: 'outside',
        detail,
        not_before_ms: undefined,
      }
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
  const was_unreadable = known?.state === 'blocked' && known.reason === 'unreadable'
  const for_ms = was_unreadable ? now_ms - (known.since_ms ?? now_ms) : 0
  const wait_ms = Math.min(retry_unreadable.max_ms, Math.max(retry_unreadable.first_ms, for_ms))
  const blocked = { type: 'file_blocked', folder: name, path, stat, reason: 'unreadable' } as const
  return { ...blocked, detail: unreadableText(code), not_before_ms: now_ms + wait_ms }
}

/** Which unknown files the walk may hash; undefined: none, because `start` asks the ledger. */
export function hashRule(
  folder: FolderSettings,
  now: Pick<SettleInput, 'now_ms' | 'clock_doubt_ms'>,
): HashRule | undefined {
  if (folder.start.kind !== 'all') return undefined
  return { quiet_before_ns: quietBefore_ns(folder.settle_ms, now), folder: skipSettings(folder) }
}
