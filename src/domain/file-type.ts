import { extname } from 'node:path'
import type { FaultNote } from '../base/run/errors.ts'

/** A longer ending is no extension. */
const max_extension_chars = 16

/** Type of a file: its extension in lower case without the dot, or an empty text. */
export function extensionOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  return extension.length > max_extension_chars ? '' : extension
}

/**
 * Number of files of one type that failed, while none became ready, from which the type is refused:
 * the rest is not uploaded. It is small, because each of them is uploaded for nothing. It is no
 * smaller, because a few damaged files say nothing about their type.
 */
export const max_failed_of_type = 20

/** Reason not to upload files of a refused type. The code names the type. */
export function typeRefusal(extension: string): FaultNote {
  const files = extension === '' ? 'files without an extension' : `.${extension} files`
  const message = `type refused: the service could read none of ${max_failed_of_type} ${files}`
  return { code: `type_refused:${extension}`, message }
}

/** The refused type that an error code names; undefined for other codes. */
export function refusedTypeIn(code: string): string | undefined {
  return /^type_refused:(.*)$/s.exec(code)?.[1]
}

/** True for a pattern by which `sluice accept` takes a type; `*.` means no extension. */
export function isTypePattern(text: string): boolean {
  return /^\*\.[^/]*$/.test(text)
}
