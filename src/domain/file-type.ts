import { extname } from 'node:path'
import type { FaultNote } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'

const max_extension_chars = 16

/** Type of a file: its extension in lower case without the dot, or an empty text. */
export function extensionOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  return extension.length > max_extension_chars ? '' : extension
}

/** The standing of the type (the extension) of a file in its project. */
export interface TypeStanding {
  extension: string
  /** True if the service refuses contents of this type on create. */
  rests: boolean
  /** True if a file of the type was ready. */
  is_proven: boolean
  /** True if a file of any type was ready. */
  is_project_proven: boolean
}

/**
 * Failures without a success from which a type is refused. It is small, as each is uploaded for
 * nothing, and no smaller, as a few damaged files say nothing about their type.
 */
export const max_failed_of_type = 20

/**
 * While no file of a type is ready, no more than `max_failed_of_type` may be on their way or have
 * failed. One on its way counts for this time, or files that the service never ends would stop the
 * type. It is longer than `follow.pass_wait_ms`: a pass of `sync` ends before the next files go.
 */
export const trial_ms = 10 * minute_ms

export function typeRefusal(extension: string): FaultNote {
  const message = `type refused: the service could read none of ${firstFiles(extension)}`
  return { code: `type_refused:${extension}`, message }
}

export function typeTrial(extension: string): FaultNote {
  const message = `it waits for the result of the first ${firstFiles(extension)}: the service has not read one yet`
  return { code: `type_unproven:${extension}`, message }
}

/** `said`: the answer. Not its words: they may name a file, and all files of the type show this. */
export function typeRest(extension: string, said: string): FaultNote {
  const files = extension === '' ? 'files without an extension' : `.${extension} files`
  return { code: `type_rests:${extension}`, message: `the service refuses ${files}: ${said}` }
}

/** Begins the reason of `typeTrial` while a trouble stops uploads, and no first file goes. */
export const nothing_goes = 'nothing is uploaded now; afterwards '

function firstFiles(extension: string): string {
  return `${max_failed_of_type} ${extension === '' ? 'files without an extension' : `.${extension} files`}`
}

export function refusedTypeIn(code: string): string | undefined {
  return /^type_(?:refused|rests):(.*)$/s.exec(code)?.[1]
}

/** A pattern by which `sluice accept` takes a type; `*.` means no extension, `!` the undo. */
export function isTypePattern(text: string): boolean {
  return /^!?\*\.[^/]*$/.test(text)
}
