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

/** (P) Prompts of roughly more than this have been refused. */
export const prompt_longest = 24_000
/** (L) More skills than a person would name in one turn. */
export const skills_most = 20
/** (L) Ids of one kind in a scope: 10,000 take 290 KB, so that a full scope still fits the body. */
export const scope_ids_most = 10_000
/** (L) Holds the largest prompt and a scope full of ids of three kinds. */
export const body_bytes_most = 1_048_576
