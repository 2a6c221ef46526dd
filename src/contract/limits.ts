import { z } from 'zod'
import { hasCharacters } from '../base/text/format.ts'

/**
 * Every size and count that the interface knows, in one place. (S) is said by the specification, (P) was seen on the hosted
 * service, (L) is our own choice for the local one; a client must survive other figures.
 */
export const min_list_limit = 1 // S
export const max_list_limit = 100 // S
export const default_list_limit = 25 // S

export const min_label_name_length = 2 // P
export const max_label_name_length = 255 // P

/** (L) Room for a whole path: our client sends at most 255. */
export const max_filename_length = 1_024
/** (L) Two names of at most 127 characters (RFC 6838) and a parameter. */
export const max_mime_type_length = 512
/** (L) A line or two for people. */
export const max_name_length = 255
export const max_description_length = 2_000

export const min_action_name_length = 2 // P
export const max_action_name_length = 128 // P
export const max_action_description_length = 256 // P
/** (L) More people than one would send a report to by hand. */
export const max_action_recipients = 50
/** (L) What a person writes down for an assistant to follow, not a book: together with the prompt it must fit a model. */
export const max_skill_content_length = 24_000
/** (L) One thing worth knowing; what is longer is a document, and belongs into an asset. */
export const max_memory_content_length = 4_000
/** (L) From "by the way" to "always". */
export const min_memory_importance = 0
export const max_memory_importance = 10
/** (L) Turns of one recording; a body of 1 MB ends earlier as a rule. */
export const max_session_turns = 10_000
export const max_turn_text_length = 20_000
/** (L) RFC 5321, section 4.5.3.1.3: a path of 256 octets, its brackets included. */
export const max_email_length = 254

/** (P) Prompts of roughly more than this have been refused. */
export const max_prompt_length = 24_000
/** (L) More skills than a person would name in one turn. */
export const max_skills = 20
/** (L) Ids of one kind in a scope: 10,000 take 290 KB, so that a full scope still fits the body. */
export const max_scope_ids = 10_000
/** (L) Holds the largest prompt and a scope full of ids of three kinds. */
export const max_body_bytes = 1_048_576

/** A text of `least` to `most` characters. Zod counts UTF-16 units, the description (JSON Schema) code points: an emoji is one character. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, min, max), { error: `must have ${min} to ${max} characters` })
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max })
}
