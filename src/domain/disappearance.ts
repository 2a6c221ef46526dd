import { formatCount } from '../base/text/format.ts'

export interface DisappearanceLimits {
  empty_folder_files: number
  missing_files: number
  missing_percent: number
}

/** Result of a full scan of a folder, beside the number of files known before. */
export interface Found {
  known: number
  /** Known paths that the scan did not find. */
  missing: number
  /** Files that the scan found, known or new. */
  files: number
}

/** Root of a folder when files were missing, and the number of known files found there. */
export interface FoundThere {
  device: bigint
  /** Identity as disk/root/root.ts compares it; undefined if not known. */
  identity: string | undefined
  files: number
}

/** Question to a user. The answer is for this root with these files, and for nothing later. */
export interface Disappearance extends FoundThere {
  is_accepted: boolean
}

/** Number of files to compare with, with those gone event by event since the last full scan. */
export function knownBefore(folder: { known_files: number; counted: { files: number } | undefined }): number {
  return Math.max(folder.known_files, folder.counted?.files ?? 0)
}

/**
 * True if so many files are gone at once that it seems an unmounted disk, not a user's work. A
 * renamed file is missing at one path and found at another, so only the decrease of the number of
 * files counts.
 */
export function hasVanished({ known, missing, files }: Found, limits: DisappearanceLimits): boolean {
  if (missing <= limits.empty_folder_files) return false
  if (files === 0) return true
  const fewer = known - files
  return fewer > limits.missing_files && fewer * 100 > known * limits.missing_percent
}

/** True if clearly fewer files are found than acknowledged: that was another disappearance. */
export function isBeyondWord(word: Disappearance, files: number, limits: DisappearanceLimits): boolean {
  return hasVanished({ known: word.files, missing: word.files - files, files }, limits)
}

/** Number of the known files that were found. */
export function filesThere({ known, missing, files }: Found): number {
  return Math.max(0, Math.min(known - missing, files))
}

/** A folder with fewer known files must have all of them. */
const few_files = 4

/** `met`: known files with the same size and mtime; on the known disk at least half of them. */
export function isOtherDisk({ known, met }: { known: number; met: number }): boolean {
  return known < few_files ? met < known : met * 2 < known
}

const for_a_word = 'files found: waiting; if that is right: sluice accept'

/** Offline reason to show to users. The folder waits for an acknowledgement, or for its files. */
export function waitingText(name: string, found: Found): string {
  return `${formatCount(filesThere(found))} of ${formatCount(found.known)} ${for_a_word} ${name}`
}

/** True if a folder with this offline reason waits for a user, not for its disk. */
export function waitsForPerson(offline_reason: string | undefined): boolean {
  return offline_reason?.includes(for_a_word) === true
}
