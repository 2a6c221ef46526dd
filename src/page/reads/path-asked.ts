import { posix } from 'node:path'
import { decoded, withoutQuotes } from '../../inspect/files/no-place.ts'

/** Characters that Sluice prints as escapes: controls, and those that change the direction. */
const escaped = /\\x([01][0-9a-f]|7f)|\\u\{([0-9a-f]{1,5})\}/gi

/**
 * The path that a user means: as a file manager copies it (in quotes, `file:///srv/a%20b`), as
 * Sluice prints it (`a\u{202e}b`), or with the slashes of Windows.
 */
export function pathAsked(text: string): string {
  const bare = withoutQuotes(text)
  const path = (/^file:\/\/\//i.test(bare) ? decoded(bare.slice('file://'.length)) : bare).replace(
    escaped,
    (_, byte, point) => String.fromCodePoint(Number.parseInt(byte ?? point, 16)),
  )
  return posix.normalize(path.includes('/') ? path : path.replaceAll('\\', '/'))
}

/** As users write a path of any machine: `/docs`, `~/docs`, `Z:\docs`, `\\server\docs`. */
const elsewhere = /^(?:\/|~\/|\\\\|[a-z]:[\\/]|[a-z]+:\/\/)/i

/** True for a path that begins outside of all folders, if it is no place in one. */
export function isElsewhere(text: string): boolean {
  return elsewhere.test(withoutQuotes(text))
}
