import { posix } from 'node:path'
import { didYouMean } from '../../base/text/did-you-mean.ts'
import { formatCount, printable } from '../../base/text/format.ts'

/** The longest path that the system takes, with the zero byte at its end. */
const max_path_bytes = 4_096

/**
 * The longest text that may be a path: one of 4,096 bytes has three times as many characters as a
 * `file:` URL. A browser cuts what is longer without a word, so the rest must be too long, too.
 */
export const max_path_chars = 12_500

/** Why nothing can have this path; undefined if something can. */
export function pathFault(path: string): string | undefined {
  if (path.includes('\0')) return 'no path has a zero byte (\\x00) in it: leave it out'
  const bytes = Buffer.byteLength(path)
  if (bytes <= max_path_bytes) return undefined
  return `it is longer than any path can be: ${formatCount(bytes)} bytes, and the system takes ${formatCount(max_path_bytes)}`
}

const quoted = /^(["'])(.*)\1$/s

/** A text as it was before a file manager put it in quotes. */
export function withoutQuotes(text: string): string {
  return text.trim().replace(quoted, '$2')
}

/** A text of a URL without its escapes, if it has such. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The start of a path on another machine: `G:\`, `file:///G:/`, `\\server\`, `smb://server/`. */
const drive_or_server =
  /^(?:(?:file:\/\/\/)?[a-z]:|\\\\[^\\/]+|(?:smb|cifs|afp|nfs|file):\/\/[^\\/]+)[\\/]+/i

/** Returns the part behind drive or server, with `/` between names; undefined without these. */
export function behindDrive(text: string): string | undefined {
  const path = withoutQuotes(text)
  const start = drive_or_server.exec(path)?.[0]
  if (start === undefined) return undefined
  const rest = path.slice(start.length)
  const plain = start.includes('://') ? decoded(rest) : rest
  return plain.replace(/[\\/]+/g, '/').replace(/\/$/, '')
}

/** Why a text names no place in these folders, and the place that it may mean. */
export interface NoPlace {
  why: string
  meant: string | undefined
}

/** Undefined if nothing more is known than that no folder holds it. */
export function noPlace(
  text: string,
  folders: readonly { readonly name: string }[],
): NoPlace | undefined {
  const names = folders.map(({ name }) => name)
  const rest = behindDrive(text)
  if (rest !== undefined)
    return { why: 'drive letters and servers are not known here', meant: fromFolderOn(rest, names) }
  const path = posix.normalize(withoutQuotes(text))
  const [first = '', ...below] = path.split(path.includes('/') ? '/' : '\\')
  if (names.includes(first)) return undefined
  const near = names.find((name) => isAlike(name, first)) ?? didYouMean(first, names)
  // A single word may be the name of a file.
  if (near === undefined || (below.length === 0 && !isAlike(near, first))) return undefined
  return { why: `there is no folder ${printable(first)}`, meant: [near, ...below].join('/') }
}

/** The same in a sentence. */
export function noPlaceText(
  text: string,
  folders: readonly { readonly name: string }[],
): string | undefined {
  const found = noPlace(text, folders)
  if (found?.meant !== undefined) return `${found.why}; did you mean ${printable(found.meant)}?`
  const example = `${folders[0]?.name ?? 'FOLDER'}/PATH`
  return found && `${found.why}: give the path from the name of the folder on, such as ${example}`
}

/** `Team/Docs/a.txt` becomes `docs/a.txt` if there is a folder `docs`. */
function fromFolderOn(rest: string, names: readonly string[]): string | undefined {
  const parts = rest.split('/')
  for (const [at, part] of parts.entries()) {
    const name = names.find((each) => isAlike(each, part))
    if (name !== undefined) return [name, ...parts.slice(at + 1)].join('/')
  }
  return undefined
}

function isAlike(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase()
}
