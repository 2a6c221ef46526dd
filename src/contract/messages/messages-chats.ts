import { z } from 'zod'
import { listEnvelope, openEnum, timestamp } from '../envelope.ts'
import { idSchema, text } from '../field-schemas.ts'
import type { IdKind } from '../identifiers.ts'
import {
  max_name_length,
  max_prompt_length,
  max_scope_ids,
  max_skills,
  max_source_places,
  max_unread_sources,
} from '../limits.ts'

export const intelligence_modes = ['auto', 'fast', 'expert', 'research'] as const
export const providers = ['automatic', 'anthropic', 'openai', 'google'] as const
const message_statuses = ['running', 'done', 'error'] as const
const read_amounts = ['whole', 'part', 'not'] as const
const warning_codes = [
  'files_not_read',
  'prompt_cut',
  'answer_cut',
  'searched',
  'no_closing',
  'quotations_not_found',
] as const

function scopeIds(kind: IdKind, description: string) {
  return z.array(idSchema(kind)).max(max_scope_ids).optional().meta({ description })
}

export const chatScope = z
  .strictObject({
    asset_ids: scopeIds('asset', 'These assets.'),
    chat_ids: scopeIds('chat', 'What was said in these chats.'),
    label_ids: scopeIds('label', 'Everything that carries one of these labels.'),
    concept_ids: scopeIds('concept', 'These concepts.'),
    project_ids: scopeIds('project', 'Everything in these projects.'),
    view_ids: scopeIds('view', 'What these views show.'),
  })
  .meta({
    id: 'ChatScope',
    description:
      'Narrows the knowledge of this turn only. Several kinds are a union; an empty list counts as absent, and a scope ' +
      'without any id as none at all, which means the whole project. An id out of reach is answered with 404.',
  })

export const prompt = text(1, max_prompt_length).meta({
  examples: ['What is new in these documents?'],
})

const turnFields = {
  prompt,
  intelligence: z.enum(intelligence_modes).optional().meta({
    description: 'Chooses the class of model and its tools. Default: auto.',
  }),
  provider: z.enum(providers).optional().meta({
    description:
      'Ranks the candidate models anew; depth of thought and tools still follow the mode.',
  }),
  skills: z
    .array(text(1, max_name_length))
    .max(max_skills)
    .optional()
    .meta({ description: 'Names of skills that the caller can use, loaded in this order.' }),
  public_data: z.boolean().optional().meta({ description: 'False: no web search on this turn.' }),
  scope: chatScope.optional(),
}

export const chatStart = z.strictObject(turnFields).meta({ id: 'ChatStart' })

export const chatAppend = z.strictObject(turnFields).meta({
  id: 'ChatAppend',
  description:
    'Nothing but the conversation is inherited from earlier turns: send the full set with every turn.',
})

export const chatStarted = z
  .object({ chat_id: idSchema('chat'), message_id: idSchema('message'), created_at: timestamp })
  .meta({ id: 'ChatStarted', description: 'Answered at once; read the message until it is done.' })

export const messageAppended = z
  .object({ message_id: idSchema('message'), created_at: timestamp })
  .meta({ id: 'MessageAppended' })

export const chatRecord = z
  .object({
    chat_id: idSchema('chat'),
    created_at: timestamp,
    title: text(0, max_name_length).optional(),
    modified_at: timestamp
      .optional()
      .meta({ description: 'The end of the last turn; created_at until the first ended.' }),
  })
  .meta({ id: 'Chat' })

export const chatList = listEnvelope(chatRecord, 'chat').meta({
  id: 'ChatList',
  description: 'Newest first.',
})

export const chatUpdate = z
  .strictObject({ title: text(1, max_name_length) })
  .meta({ id: 'ChatUpdate' })

const messageReference = z
  .object({ message_id: idSchema('message'), created_at: timestamp })
  .meta({ id: 'MessageReference' })

export const messageList = z
  .object({ messages: z.array(messageReference) })
  .meta({ id: 'MessageList', description: 'Oldest first, all of them.' })

const messageSource = z
  .object({
    asset_id: idSchema('asset'),
    read: openEnum(read_amounts).meta({
      description:
        'whole: all text that the service has of it was given to the assistant. part: some of it, or the service itself ' +
        'could read the file only in part. not: none of it.',
    }),
    places: z
      .array(z.string())
      .max(max_source_places)
      .optional()
      .meta({ description: 'Of `part`: what was read, such as a page.', examples: [['page 3']] }),
    why: z
      .string()
      .optional()
      .meta({ description: 'Why not all of it was read, as a clause for users.' }),
  })
  .meta({ id: 'MessageSource' })

const messageWarning = z
  .object({
    code: openEnum(warning_codes).meta({
      description:
        'files_not_read: some files in scope. prompt_cut: the host of the model may have cut the text. answer_cut: the ' +
        'model stopped at its length limit. searched: the files did not fit one call, so passages were searched. no_closing: ' +
        'there are notes on the files and no answer over all of them.',
    }),
    humane: z.string().meta({ description: 'The same for users, as it stands in the answer.' }),
  })
  .meta({ id: 'MessageWarning' })

export const messageRecord = z
  .object({
    message_id: idSchema('message'),
    created_at: timestamp,
    status: openEnum(message_statuses).meta({
      description: 'running (a value of ours), then done or error.',
    }),
    prompt: prompt.optional().meta({ description: 'Absent until the answer is written.' }),
    response: z
      .string()
      .optional()
      .meta({
        description:
          'Markdown. Absent until the answer is written. Beside the status error it is the reason.',
        examples: ['**lease.pdf**: the rent is due on the first day of the month.'],
      }),
    sources: z
      .array(messageSource)
      .optional()
      .meta({
        description:
          'What was read of the files in scope, once the answer is written: every file that was read, and the first ' +
          `${max_unread_sources} that were not. A file in scope that is not here was not read.`,
      }),
    sources_left_out: z
      .int()
      .optional()
      .meta({ description: 'So many files in scope were not read and are not in `sources`.' }),
    calls: z
      .int()
      .optional()
      .meta({ description: 'How many calls the model has answered for this turn.' }),
    progress: z.object({ done: z.int(), of: z.int() }).optional().meta({
      description:
        'While files are read in batches: the calls of the model so far, and as far as known of all.',
    }),
    warnings: z
      .array(messageWarning)
      .optional()
      .meta({ description: 'What a reader of the answer should know. Absent without any.' }),
  })
  .meta({ id: 'Message' })

export type ChatScope = z.infer<typeof chatScope>
export type ChatStart = z.infer<typeof chatStart>
export type ChatAppend = z.infer<typeof chatAppend>
export type MessageSource = z.infer<typeof messageSource>
export type MessageWarning = z.infer<typeof messageWarning>

/** What the record of an answered turn says besides its answer. */
export type TurnRecord = Pick<
  z.infer<typeof messageRecord>,
  'sources' | 'sources_left_out' | 'warnings'
>
