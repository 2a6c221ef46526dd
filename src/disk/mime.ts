import { isUtf8 } from 'node:buffer'
import { extname } from 'node:path'
import { lookup } from 'mime-types'

/**
 * The media type to declare: the config's for the extension (`overrides`: keys without a dot, any
 * case), else the public registry's, else the one that the first bytes show. `first_bytes`: at
 * least `type_bytes` of a larger file; undefined: only the extension counts.
 */
export function mimeType(
  path: string,
  first_bytes: Uint8Array | undefined,
  overrides: Readonly<Record<string, string>>,
): string {
  const extension = extname(path).slice(1).toLowerCase()
  return (
    overrideFor(extension, overrides) ??
    (extension === '' ? undefined : lookup(extension) || undefined) ??
    (first_bytes === undefined ? undefined : typeByBytes(first_bytes)) ??
    'application/octet-stream'
  )
}

function overrideFor(
  extension: string,
  overrides: Readonly<Record<string, string>>,
): string | undefined {
  if (extension === '') return undefined
  return Object.entries(overrides).find(([key]) => key.toLowerCase() === extension)?.[1]
}

/** Signatures at offset 0, from the formats' own specifications. */
const signatures: readonly (readonly [bytes: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['\x1f\x8b', 'application/gzip'],
]

/** A ZIP of OOXML (ECMA-376) has its main part's folder among its first entries. */
const office_folders: readonly (readonly [folder: string, type: string])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
]

/** ODF 1.3 and EPUB: the first entry is `mimetype`, uncompressed, and its content is the type. */
const stored_mimetype = /^.{30}mimetype(application\/[\w.+-]+?)(?=PK)/s

/** Bytes: enough for the first entries of a ZIP, and to distinguish text from binary. */
export const type_bytes = 4_096

function typeByBytes(bytes: Uint8Array): string | undefined {
  const first = bytes.subarray(0, type_bytes)
  const start = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString('latin1')
  const signature = signatures.find(([begin]) => start.startsWith(begin))
  if (signature !== undefined) return signature[1]
  if (start.startsWith('PK\x03\x04')) return typeOfZip(start)
  return isPlainText(first) ? 'text/plain' : undefined
}

function typeOfZip(start: string): string {
  const declared = stored_mimetype.exec(start)?.[1]
  if (declared !== undefined) return declared
  return office_folders.find(([folder]) => start.includes(folder))?.[1] ?? 'application/zip'
}

/** True for UTF-8 without control characters that text lacks. The last character may be cut. */
function isPlainText(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false
  for (const byte of bytes) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d)
      return false
  }
  return [0, 1, 2, 3].some(
    (cut) => cut < bytes.length && isUtf8(bytes.subarray(0, bytes.length - cut)),
  )
}
