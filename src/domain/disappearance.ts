import { formatCount } from '../base/text/format.ts'

export interface DisappearanceLimits {
  empty_folder_files: number
  missing_files: number
  missing_percent: number
}

/** What a whole walk found of a folder, beside what is known of it. */
export interface Found {
  known: number
  /** Known paths that the walk did not meet. */
  missing: number
  /** Files that it met, known or new. */
  files: number
}

/** What stood at a folder's root when its files were missed, and how many of those that are known were found there. */
export interface FoundThere {
  device: bigint
  /** As disk/root/mount.ts compares them. */
  identity: string | undefined
  files: number
}

/** What a person is asked about. Their word is for this root with these files, and for nothing that comes after it. */
export interface Disappearance extends FoundThere {
  is_accepted: boolean
}

/** Against this a folder shrinks: what event after event took since the last whole look counts, too. */
export function knownBefore(folder: { known_files: number; counted: { files: number } | undefined }): number {
  return Math.max(folder.known_files, folder.counted?.files ?? 0)
}

/**
 * Whether so much is gone at once that it looks like an unmounted disk and not like a person's doing. What was renamed is missing at
 * one path and met at another: only by how much the folder shrank counts.
 */
export function hasVanished({ known, missing, files }: Found, limits: DisappearanceLimits): boolean {
  if (missing <= limits.empty_folder_files) return false
  if (files === 0) return true
  const fewer = known - files
  return fewer > limits.missing_files && fewer * 100 > known * limits.missing_percent
}

/** Whether clearly fewer files are found than when a person said that it is right: that was said of another disappearance. */
export function isBeyondWord(word: Disappearance, files: number, limits: DisappearanceLimits): boolean {
  return hasVanished({ known: word.files, missing: word.files - files, files }, limits)
}

/** How many of the known files were found. */
export function filesThere({ known, missing, files }: Found): number {
  return Math.max(0, Math.min(known - missing, files))
}

/** Fewer files than this must all be met. */
const few_files = 4

/**
 * `met`: how many of the known files stand there with the same size and mtime. On the known disk it
 * is at least half of them.
 */
export function isOtherDisk({ known, met }: { known: number; met: number }): boolean {
  return known < few_files ? met < known : met * 2 < known
}

const for_a_word = 'files found: waiting; if that is right: sluice accept'

/** For people; the folder waits for this, or for its files. */
export function waitingText(name: string, found: Found): string {
  return `${formatCount(filesThere(found))} of ${formatCount(found.known)} ${for_a_word} ${name}`
}

/** Whether a folder that is offline for this reason waits for a person; one whose disk is away waits for the disk. */
export function waitsForPerson(offline_reason: string | undefined): boolean {
  return offline_reason?.includes(for_a_word) === true
}
