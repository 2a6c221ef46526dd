import { z } from 'zod'
import { listEnvelope, timestamp } from '../envelope.ts'
import { idSchema, text } from '../field-schemas.ts'
import {
  max_action_description_length,
  max_action_name_length,
  max_action_recipients,
  max_cron_length,
  max_email_length,
  max_name_length,
  max_trigger_makers,
  min_action_name_length,
} from '../limits.ts'
import { chatScope, prompt } from './messages-chats.ts'

/** In cron expressions, the case of letters plays no part. JSON Schema has no flag for that. */
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((name) =>
  [...name].map((letter) => `[${letter}${letter.toUpperCase()}]`).join(''),
)

/** A cron value for one position: a list of single values, ranges and steps; `*` is any. */
function cron(value: string, range: string, example: string) {
  const item = `(\\*|(${value})(-(${value}))?)(/[1-9]\\d?)?`
  return z
    .string()
    .max(max_cron_length)
    .regex(new RegExp(`^${item}(,${item})*$`), {
      error: `must be a cron value from ${range}, such as ${example}`,
    })
    .meta({ description: `A cron value from ${range}; * is any.`, examples: [example] })
}

/** The times at which the action is due. All four fields are strings. */
const actionSchedule = z
  .strictObject({
    hour: cron('[01]?\\d|2[0-3]', '0 to 23', '9,17'),
    weekday: cron(`[0-7]|${weekdays.join('|')}`, '0 (Sunday) to 7, or sun to sat', '1-5'),
    month_day: cron('0?[1-9]|[12]\\d|3[01]', '1 to 31', '*/2'),
    timezone: text(1, 64).meta({
      description: 'A name of the IANA time zone database.',
      examples: ['Europe/Berlin'],
    }),
  })
  .meta({ id: 'ActionSchedule' })

const actionTrigger = z
  .strictObject({
    kind: text(1, max_name_length).meta({ examples: ['asset_ready'] }),
    created_by: z.array(text(1, max_name_length)).max(max_trigger_makers).optional(),
  })
  .meta({ id: 'ActionTrigger', description: 'What it is to happen upon.' })

const actionEmail = z
  .strictObject({
    to: z
      .array(
        z
          .email()
          .max(max_email_length)
          .meta({ examples: ['ada@example.org'] }),
      )
      .min(1)
      .max(max_action_recipients),
    subject: text(0, max_name_length).optional(),
    include_date_in_subject: z.boolean().optional(),
  })
  .meta({ id: 'ActionEmail' })

const fields = {
  name: text(min_action_name_length, max_action_name_length).meta({ examples: ['Monday digest'] }),
  description: text(0, max_action_description_length).optional(),
  prompt,
  schedule: actionSchedule.optional(),
  trigger: actionTrigger.optional(),
  scope: chatScope.optional(),
  email: actionEmail.optional(),
}

/** True if the action has a schedule or a trigger, but not both. */
function hasOneTiming({ schedule, trigger }: { schedule?: unknown; trigger?: unknown }): boolean {
  return (schedule === undefined) !== (trigger === undefined)
}

const one_timing = { error: 'must have either a schedule or a trigger' }
const timing_text = 'Exactly one of `schedule` and `trigger` is there.'
/** The same rule as JSON Schema, for the OpenAPI description: that cannot contain a function. */
const timing_shape = { oneOf: [{ required: ['schedule'] }, { required: ['trigger'] }] }

const actionCreate = z
  .strictObject({
    ...fields,
    enabled: z.boolean().optional().meta({ description: 'True by default.' }),
  })
  .refine(hasOneTiming, one_timing)
  .meta({ id: 'ActionCreate', description: timing_text, ...timing_shape })

const actionUpdate = z
  .strictObject({
    ...fields,
    enabled: z.boolean().optional().meta({ description: 'Unchanged by default.' }),
  })
  .refine(hasOneTiming, one_timing)
  .meta({
    id: 'ActionUpdate',
    description: `Replaces the whole: what is left out is gone. ${timing_text}`,
    ...timing_shape,
  })

/** In an answer, these can get further fields. */
const shown_fields = {
  ...fields,
  schedule: actionSchedule.strip().optional(),
  trigger: actionTrigger.strip().optional(),
  scope: chatScope.strip().optional(),
  email: actionEmail.strip().optional(),
}

const actionRecord = z
  .object({
    action_id: idSchema('action'),
    ...shown_fields,
    enabled: z.boolean(),
    created_at: timestamp,
    modified_at: timestamp,
  })
  .meta({ id: 'Action', description: timing_text, ...timing_shape })

const actionListItem = z
  .object({
    action_id: idSchema('action'),
    name: fields.name,
    enabled: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'ActionListItem' })

const actionList = listEnvelope(actionListItem, 'action').meta({
  id: 'ActionList',
  description: 'Newest first. One full page: has_more is always false.',
})

export const action = {
  create: actionCreate,
  update: actionUpdate,
  record: actionRecord,
  list: actionList,
}
