import { hour_ms, second_ms } from '../base/time.ts'
import type { Fingerprint, Look } from '../disk/examiner.ts'
import type { Ignored } from '../disk/ignore.ts'
import type { FileFact } from '../domain/fact.ts'
import type { FileStat, KnownFile } from '../domain/file.ts'
import { other_disk_code, unreadableText } from '../domain/unreadable.ts'
import type { FolderSettings } from './folder-settings.ts'

export interface ToHash {
  path: string
  known: KnownFile | undefined
  stat: FileStat
}

const retry_unreadable = { first_ms: 30 * second_ms, most_ms: hour_ms }

/** Its directory cannot be entered, so nobody knows whether there are rules in it: it is not let go for that. */
export function isShut({ passing }: Ignored, look: Look): boolean {
  return passing === true && look.kind === 'unreadable'
}

/** On a disk that is mounted in the folder: not ours to take up. What it covers of ours is not gone. */
export function isStranger(look: Look, known: KnownFile | undefined): boolean {
  return look.kind === 'unreadable' && look.code === other_disk_code && (known === undefined || known.state === 'gone')
}

/** What reading a file came to. */
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

/** Tried again after as long as it has been so, within bounds: soon for a lock, rarely for a file nobody may read. */
export function unreadableFact(
  { name }: FolderSettings,
  { path, known, stat }: Omit<ToHash, 'stat'> & { stat: FileStat | undefined },
  code: string,
  now_ms: number,
): FileFact {
  const since_ms = known?.state === 'blocked' ? now_ms - known.seen_ms : 0
  const wait_ms = Math.min(retry_unreadable.most_ms, Math.max(retry_unreadable.first_ms, since_ms))
  const blocked = { type: 'file_blocked', folder: name, path, stat, reason: 'unreadable' } as const
  return { ...blocked, detail: unreadableText(code), not_before_ms: now_ms + wait_ms }
}
