import { extname } from 'node:path'
import type { FaultNote } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'

const max_extension_chars = 16

/** Type of a file: its extension in lower case without the dot, or an empty text. */
export function extensionOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  return extension.length > max_extension_chars ? '' : extension
}

/** A content that the service refused on create. */
export interface Refusal {
  /** Code of the answer. Contents with the same one are refused alike. */
  answer: string
  /** The type of the content: the extension of the name that the service was given. */
  extension: string
}

/**
 * Contents of one project that were refused alike on create, without a slot between. An asset that
 * the service has already is no slot: that depends on the bytes alone.
 */
export interface AlikeRefusals {
  /** Their number, with the content in question. */
  contents: number
  /** 1 if they were enough to blame their types before this content. */
  is_test: 0 | 1
  /** 1 if contents of its type rest already. */
  rests: 0 | 1
  /** 1 if its type rested before for the same answer, and nothing of it was taken since. */
  rested: 0 | 1
  /** 1 if a content of another type waits, which will show what the answer is about. */
  has_other: 0 | 1
  /** 1 if any content of the project was ready before. */
  is_project_proven: 0 | 1
}

/** One failure may be chance. Three in a row, or alike, of different items are the service's. */
export const failures_to_blame = 3

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

/** `said`: the reason of a file that failed. If it is about the type, it holds for all of them. */
export function typeRefusal(extension: string, said?: string): FaultNote {
  const message =
    said === unreadType(extension)
      ? said
      : `the service could read none of the first ${firstFiles(extension)}`
  return { code: `type_refused:${extension}`, message }
}

/** For a type that the service says it does not read. */
export function unreadType(extension: string): string {
  return `the service cannot read ${filesOf(extension)}`
}

export function typeTrial(extension: string): FaultNote {
  const message = `it waits for the result of the first ${firstFiles(extension)}: the service has not read one yet`
  return { code: `type_unproven:${extension}`, message }
}

/** `said`: the answer. Not its words: they may name a file, and all files of the type show this. */
export function typeRest(extension: string, said: string): FaultNote {
  const message = `the service refuses ${filesOf(extension)}: ${said}`
  return { code: `type_rests:${extension}`, message }
}

/** Begins the reason of `typeTrial` while a trouble stops uploads, and no first file goes. */
export const nothing_goes = 'nothing is uploaded now; afterwards '

/** About files that would be uploaded, of a type of which some failed and none is ready. */
export function unreadSoFar(extension: string): string {
  return `the service has read no ${filesOf(extension)} so far, and failed on some`
}

function firstFiles(extension: string): string {
  return `${max_failed_of_type} ${filesOf(extension)}`
}

function filesOf(extension: string): string {
  return extension === '' ? 'files without an extension' : `.${extension} files`
}

export function refusedTypeIn(code: string): string | undefined {
  return /^type_(?:refused|rests):(.*)$/s.exec(code)?.[1]
}

/** A pattern by which `sluice accept` takes a type; `*.` means no extension, `!` the undo. */
export function isTypePattern(text: string): boolean {
  return /^!?\*\.[^/]*$/.test(text)
}
