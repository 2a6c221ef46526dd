import { z } from 'zod'
import { idSchema } from './field-schemas.ts'
import { error_code_pattern, type IdKind } from './identifiers.ts'
import { default_list_limit, max_list_limit, min_list_limit } from './limits.ts'

/** A point in time in an answer: ISO 8601, UTC. */
export const timestamp = z.iso.datetime().meta({
  description: 'ISO 8601, UTC.',
  examples: ['2026-01-31T09:30:00.000Z'],
})

/** A value of an answer that can get further values: its description lists those of now. */
export function openEnum<const Values extends readonly string[]>(values: Values) {
  return z.enum(values).meta({ 'x-extensible-enum': values })
}

export const errorBody = z
  .object({
    code: z.string().regex(error_code_pattern).meta({
      description: 'Stable and dotted; branch on this. Codes are only ever added.',
    }),
    humane: z.string().optional().meta({ description: 'For people: shown, never parsed.' }),
    statusCode: z.int().min(400).max(599).meta({ description: 'Equals the HTTP status.' }),
  })
  .meta({
    id: 'Error',
    description: 'Every answer with a status of 400 or more.',
    examples: [
      { code: 'publicapi.auth.invalid', humane: 'This key is not valid.', statusCode: 401 },
    ],
  })

export type ErrorBody = z.infer<typeof errorBody>

/** The body of a POST that needs no fields: absent, or an empty object. */
export const noBody = z
  .strictObject({})
  .optional()
  .meta({ description: 'No body. An empty object is accepted too.' })

const after_text = 'The items after this one in list order, itself excluded.'
// The specification says of before_id "strictly before that id, toward older items". That cannot
// page back on a newest-first list. This reading is our own, so the description must say so.
const before_text =
  'Our reading of the specification: the page next to this item on the other side, in list order, itself excluded; ' +
  '`has_more` then means "further items before these". Not together with after_id.'

/**
 * `?limit=&after_id=&before_id=` of a list whose items have ids of `kind`, parsed from the strings
 * of a query.
 */
export function listQuery(kind: IdKind) {
  return z
    .strictObject({
      limit: z
        .preprocess(
          // Only plain digits are a number here; Number() would also take '', '0x10' and '1e1'.
          (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
          z.int().min(min_list_limit).max(max_list_limit).default(default_list_limit),
        )
        .meta({ description: 'How many items a page has at most.' }),
      after_id: idSchema(kind).optional().meta({ description: after_text }),
      before_id: idSchema(kind).optional().meta({ description: before_text }),
    })
    .refine((query) => query.after_id === undefined || query.before_id === undefined, {
      error: 'must have after_id or before_id, not both',
    })
}

export type ListQuery = z.output<ReturnType<typeof listQuery>>

/** The schema of one page of a list. On an empty page the ids are absent, not null. */
export function listEnvelope<Item extends z.ZodType>(item: Item, kind: IdKind) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean().meta({ description: 'Whether there are items beyond this page.' }),
    first_id: idSchema(kind).optional().meta({ description: 'Left out when the page is empty.' }),
    last_id: idSchema(kind).optional().meta({
      description: 'Left out when the page is empty. Send it as after_id to get the next page.',
    }),
  })
}

export interface ListEnvelope<Item> {
  data: Item[]
  has_more: boolean
  first_id?: string | undefined
  last_id?: string | undefined
}
