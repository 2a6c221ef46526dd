import type { FileStat, KnownFile } from './file.ts'

// A sync client can keep the bytes of a file elsewhere until a user opens it. On Linux, Nextcloud
// and ownCloud leave a file with a single blank, under its name or with an ending of theirs. iCloud
// Drive leaves a hidden file. Such a file means "not on this disk": nothing was deleted or changed.

const max_bytes = 1
const blank_md5 = '7215ee9c7d9dc229d2921a40e899ec5f'

/** The file that a path with such an ending stands for; undefined for other paths. */
export function originalOf(path: string): string | undefined {
  return /^(.*[^/])\.(?:nextcloud|owncloud)$/s.exec(path)?.[1]
}

/** The paths at which a placeholder of this file may lie, if the file itself is missing. */
export function placeholdersOf(path: string): string[] {
  return [`${path}.nextcloud`, `${path}.owncloud`, path.replace(/[^/]+$/, '.$&.icloud')]
}

/**
 * Judges a file by its stat. `known`: what the ledger has for the path. A document that had more
 * than one byte, and now has one, is not rewritten by hand. Of a new file, the byte decides.
 */
export function isPlaceholder(
  path: string,
  { size }: Pick<FileStat, 'size'>,
  known: Pick<KnownFile, 'reason' | 'is_evidence' | 'stat'> | undefined,
): boolean {
  if (size > max_bytes) return false
  if (originalOf(path) !== undefined) return true
  if (size === 0 || known === undefined || known.reason === 'before_start') return false
  return known.reason === 'placeholder' || (known.is_evidence && known.stat.size > max_bytes)
}

/** True for the bytes of a placeholder: a blank alone, which no question can be about. */
export function isBlank(size: number, md5: string | undefined): boolean {
  return size === max_bytes && md5 === blank_md5
}
