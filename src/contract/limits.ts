/**
 * Limits of the interface. Lengths are in characters. (S): from the specification. (P): seen on the
 * hosted service. (L): our choice for the local service; a client must work with other values.
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
/** (L) A name has a line or two, a description a page. */
export const max_name_length = 255
export const max_description_length = 2_000

export const min_action_name_length = 2 // P
export const max_action_name_length = 128 // P
export const max_action_description_length = 256 // P
/** (L) More recipients than a user would mail by hand. */
export const max_action_recipients = 50
/** (L) More users than a trigger would name by hand. */
export const max_trigger_makers = 100
/** (L) A list of every day of a month has 84 characters. */
export const max_cron_length = 100
/** (L) Instructions for an assistant, not a book: with the prompt they must fit a model. */
export const max_skill_content_length = 24_000
/** (L) One fact. A longer text is a document and should be an asset. */
export const max_memory_content_length = 4_000
/** (L) Turns of one session (a recording). Most bodies reach `max_body_bytes` earlier. */
export const max_session_turns = 10_000
export const max_turn_text_length = 20_000
/** (L) RFC 5321, section 4.5.3.1.3: a path has 256 octets, two of them its brackets. */
export const max_email_length = 254

/** (P) The hosted service has refused prompts that were longer than about this. */
export const max_prompt_length = 24_000
/** (L) Files of a turn that it lists as not read. The others count as not read, too. */
export const max_unread_sources = 1_000
/** (L) Places of one file in an answer: more than a user would look at. */
export const max_source_places = 20
/** (L) More skills than a user would name in one turn. */
export const max_skills = 20
/** (L) Ids of one kind in a scope. 10,000 take about 300 KB, so three full kinds fit a body. */
export const max_scope_ids = 10_000
/** (L) Bytes. Enough for the largest prompt and a scope full of ids of three kinds. */
export const max_body_bytes = 1_048_576
