import { formatCount } from '../base/text/format.ts'
import { minute_ms } from '../base/time/time.ts'
import { isSameRoot } from './root-identity.ts'

export interface DisappearanceLimits {
  empty_folder_files: number
  missing_files: number
  missing_percent: number
}

/**
 * Programs unpack an archive, read its files and delete them again: that takes minutes. On the
 * known disk, the loss of a file whose content is known for a shorter time shows no lost disk.
 */
export const newcomer_ms = 10 * minute_ms

/** A time in the future is of a clock that was wrong: it shows nothing. */
export function isNewcomer(arrived_ms: number | undefined, now_ms: number): boolean {
  if (arrived_ms === undefined || arrived_ms > now_ms) return false
  return now_ms - arrived_ms < newcomer_ms
}

/** `known` and `missing` count files that are evidence (`isEvidence` in rows/file-rows.ts). */
export interface Found {
  known: number
  /** Known files that were not found, or that single events have reported as deleted. */
  missing: number
  /** Files that are there, known or new, without the skipped ones that the ledger knows. */
  files: number
}

/** Root of a folder when files were missing, and the number of known files found there. */
export interface FoundThere {
  device: bigint
  /** Identity as root-identity.ts compares it; undefined if not known. */
  identity: string | undefined
  files: number
}

/** Question to a user: were files deleted? The answer is for this root with these files only. */
export interface Disappearance extends FoundThere {
  is_accepted: boolean
}

/** True if both questions are about the same root with as many files. */
export function isSameQuestion(
  one: FoundThere | undefined,
  other: FoundThere | undefined,
): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.device === other.device &&
    isSameRoot(one.identity, other.identity) &&
    one.files === other.files
  )
}

/** True if the user is already asked about exactly this, and has not answered. */
export function isAskedAbout(
  asked: Disappearance | undefined,
  found: FoundThere | undefined,
): boolean {
  return asked?.is_accepted !== true && isSameQuestion(asked, found)
}

/**
 * True if it seems an unmounted disk, not a user's work. A renamed file is missing at one path and
 * found at another, and exports are replaced by newer ones, so only the decrease of the number of
 * files counts.
 */
export function hasVanished(
  { known, missing, files }: Found,
  limits: DisappearanceLimits,
): boolean {
  if (missing <= limits.empty_folder_files) return false
  if (files === 0) return true
  const fewer = known - files
  return fewer > limits.missing_files && fewer * 100 > known * limits.missing_percent
}

/** True if far fewer files are found than the user accepted: another disappearance. */
export function exceedsAcknowledgement(
  accepted: Disappearance,
  files: number,
  limits: DisappearanceLimits,
): boolean {
  return hasVanished({ known: accepted.files, missing: accepted.files - files, files }, limits)
}

/** On the known disk, lost newcomers show no loss while another known file is there. */
export function withoutNewcomers(found: Found, newcomers: number): Found {
  const no_loss = found.missing < found.known ? newcomers : 0
  return { ...found, known: found.known - no_loss, missing: found.missing - no_loss }
}

/** Number of the known files that were found. */
export function filesThere({ known, missing, files }: Found): number {
  return Math.max(0, Math.min(known - missing, files))
}

/** With fewer known files than this, all of them must be found on the known disk. */
const few_files = 4

/** True if too few are found. `met`: known files that were found with the same size and mtime. */
export function isOtherDisk({ known, met }: { known: number; met: number }): boolean {
  return known < few_files ? met < known : met * 2 < known
}

const accept_question = 'files found: waiting; if that is right: sluice accept'

/** Offline reason to show to users. The folder waits for an acknowledgement, or for its files. */
export function waitingText(name: string, found: Found): string {
  return `${formatCount(filesThere(found))} of ${formatCount(found.known)} ${accept_question} ${name}`
}

export function waitsForUser(offline_reason: string | undefined): boolean {
  return offline_reason?.includes(accept_question) === true
}
