import { z } from 'zod'
import { hasCharacters } from '../base/text/format.ts'

/**
 * Every size and count that the interface knows, in one place. (S) is said by the specification, (P) was seen on the hosted
 * service, (L) is our own choice for the local one; a client must survive other figures.
 */
export const list_limit_least = 1 // S
export const list_limit_most = 100 // S
export const list_limit_default = 25 // S

export const label_name_shortest = 2 // P
export const label_name_longest = 255 // P

/** (L) Room for a whole path: our client sends at most 255. */
export const filename_longest = 1_024
/** (L) Two names of at most 127 characters (RFC 6838) and a parameter. */
export const mime_type_longest = 512
/** (L) A line or two for people. */
export const name_longest = 255
export const description_longest = 2_000

export const action_name_shortest = 2 // P
export const action_name_longest = 128 // P
export const action_description_longest = 256 // P
/** (L) More people than one would send a report to by hand. */
export const action_recipients_most = 50
/** (L) What a person writes down for an assistant to follow, not a book: together with the prompt it must fit a model. */
export const skill_content_longest = 24_000
/** (L) One thing worth knowing; what is longer is a document, and belongs into an asset. */
export const memory_content_longest = 4_000
/** (L) From "by the way" to "always". */
export const memory_importance_least = 0
export const memory_importance_most = 10
/** (L) Turns of one recording; a body of 1 MB ends earlier as a rule. */
export const session_turns_most = 10_000
export const turn_text_longest = 20_000
/** (L) RFC 5321, section 4.5.3.1.3: a path of 256 octets, its brackets included. */
export const email_longest = 254

/** (P) Prompts of roughly more than this have been refused. */
export const prompt_longest = 24_000
/** (L) More skills than a person would name in one turn. */
export const skills_most = 20
/** (L) Ids of one kind in a scope: 10,000 take 290 KB, so that a full scope still fits the body. */
export const scope_ids_most = 10_000
/** (L) Holds the largest prompt and a scope full of ids of three kinds. */
export const body_bytes_most = 1_048_576

/** A text of `least` to `most` characters. Zod counts UTF-16 units, the description (JSON Schema) code points: an emoji is one character. */
export function text(least: number, most: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, least, most), { error: `must have ${least} to ${most} characters` })
    .meta({ ...(least === 0 ? {} : { minLength: least }), maxLength: most })
}
