import { z } from 'zod'
import { hasCharacters } from '../base/text/format.ts'

/**
 * Every size and count of the interface. (S): from the specification. (P): seen on the hosted
 * service. (L): our choice for the local service; a client must work with other values.
 */
export const min_list_limit = 1 // S
export const max_list_limit = 100 // S
export const default_list_limit = 25 // S

export const min_label_name_length = 2 // P
export const max_label_name_length = 255 // P

/** (L) Enough for a whole path; our client sends at most 255. */
export const max_filename_length = 1_024
/** (L) Two names of at most 127 characters (RFC 6838) and a parameter. */
export const max_mime_type_length = 512
/** (L) A line or two. */
export const max_name_length = 255
export const max_description_length = 2_000

export const min_action_name_length = 2 // P
export const max_action_name_length = 128 // P
export const max_action_description_length = 256 // P
/** (L) More recipients than a user would mail by hand. */
export const max_action_recipients = 50
/** (L) Instructions for an assistant, not a book: with the prompt they must fit a model. */
export const max_skill_content_length = 24_000
/** (L) One fact. A longer text is a document and should be an asset. */
export const max_memory_content_length = 4_000
/** (L) From "by the way" to "always". */
export const min_memory_importance = 0
export const max_memory_importance = 10
/** (L) Turns of one recording; a body of 1 MB mostly ends earlier. */
export const max_session_turns = 10_000
export const max_turn_text_length = 20_000
/** (L) RFC 5321, section 4.5.3.1.3: a path of 256 octets, including its brackets. */
export const max_email_length = 254

/** (P) The hosted service has refused prompts of roughly more than this. */
export const max_prompt_length = 24_000
/** (L) More skills than a user would name in one turn. */
export const max_skills = 20
/** (L) Ids of one kind in a scope: 10,000 take 290 KB, so a full scope fits the body. */
export const max_scope_ids = 10_000
/** (L) Enough for the largest prompt and a scope full of ids of three kinds. */
export const max_body_bytes = 1_048_576

/**
 * A text of `min` to `max` characters. Zod counts UTF-16 units, but JSON Schema counts code points:
 * an emoji is one character.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, min, max), { error: `must have ${min} to ${max} characters` })
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max })
}
