import { posix } from 'node:path'

const quoted = /^(["'])(.*)\1$/s
/** Characters that Sluice prints as escapes: controls, and those that change the direction. */
const escaped = /\\x([01][0-9a-f]|7f)|\\u\{([0-9a-f]{1,5})\}/gi

/**
 * The path that a user means: as a file manager copies it (in quotes, `file:///srv/a%20b`), as
 * Sluice prints it (`a\u{202e}b`), or with the slashes of Windows. No path holds a zero byte.
 */
export function pathAsked(text: string): string {
  const bare = text.replace(quoted, '$2')
  const path = (/^file:\/\/\//i.test(bare) ? ofFileUrl(bare) : bare)
    .replace(escaped, (_, byte, point) => String.fromCodePoint(Number.parseInt(byte ?? point, 16)))
    .replaceAll('\0', '')
  return posix.normalize(path.includes('/') ? path : path.replaceAll('\\', '/'))
}

function ofFileUrl(url: string): string {
  const path = url.slice('file://'.length)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
