import { extname } from 'node:path'
import type { FaultNote } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'

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

/**
 * While no file of a type is ready, so many may be on their way or have failed, and the others
 * wait. A file on its way counts for this time at most, so files that the service never ends do not
 * stop the type. It is longer than `follow.pass_wait_ms`, so that a pass of `sync` ends before the
 * next files go.
 */
export const trial_ms = 10 * minute_ms

/** Reason not to upload files of a refused type. The code names the type. */
export function typeRefusal(extension: string): FaultNote {
  const message = `type refused: the service could read none of ${firstFiles(extension)}`
  return { code: `type_refused:${extension}`, message }
}

/** Reason why files of an unproven type wait. The code names the type. */
export function typeTrial(extension: string): FaultNote {
  const message = `it waits for the result of the first ${firstFiles(extension)}: the service has not read one yet`
  return { code: `type_unproven:${extension}`, message }
}

/** Begins the reason of `typeTrial` while a trouble stops uploads, and no first file goes. */
export const nothing_goes = 'nothing is uploaded now; afterwards '

function firstFiles(extension: string): string {
  return `${max_failed_of_type} ${extension === '' ? 'files without an extension' : `.${extension} files`}`
}

/** The refused type that an error code names; undefined for other codes. */
export function refusedTypeIn(code: string): string | undefined {
  return /^type_refused:(.*)$/s.exec(code)?.[1]
}

/** A pattern by which `sluice accept` takes a type; `*.` means no extension, `!` the undo. */
export function isTypePattern(text: string): boolean {
  return /^!?\*\.[^/]*$/.test(text)
}
