import { z } from 'zod'
import { listEnvelope, openEnum, timestamp } from '../envelope.ts'
import { idSchema, text } from '../field-schemas.ts'
import {
  max_description_length,
  max_memory_content_length,
  max_name_length,
  max_session_turns,
  max_skill_content_length,
  max_turn_text_length,
} from '../limits.ts'

/** A `project` skill is for everybody in the project, a `user` skill only for its maker. */
const skill_scopes = ['project', 'user'] as const
const skill_categories = ['skill', 'persona'] as const

const skillFields = {
  name: text(1, max_name_length).meta({
    description: 'What chats call it by; unique among those that one can use.',
    examples: ['contract-review'],
  }),
  content: text(1, max_skill_content_length).meta({
    description: 'What the assistant is to follow, as Markdown.',
    examples: ['Name each party and its duties.'],
  }),
  scope: z
    .enum(skill_scopes)
    .meta({ description: 'Who can use it: everybody in the project, or its maker.' }),
  category: z.enum(skill_categories).meta({ description: 'Something to do, or somebody to be.' }),
  display_name: text(1, max_name_length).optional(),
  description: text(0, max_description_length).optional(),
  icon: text(1, 64).optional(),
}

const skillCreate = z.strictObject(skillFields).meta({ id: 'SkillCreate' })

const skillUpdate = z
  .strictObject(skillFields)
  .partial()
  .meta({ id: 'SkillUpdate', description: 'Fields that are left out stay as they are.' })

const skillRecord = z
  .object({
    skill_id: idSchema('skill'),
    ...skillFields,
    enabled: z.boolean(),
    created_at: timestamp,
    modified_at: timestamp,
  })
  .meta({ id: 'Skill' })

const skillList = listEnvelope(skillRecord, 'skill').meta({
  id: 'SkillList',
  description: 'Newest first.',
})

export const skill = {
  create: skillCreate,
  update: skillUpdate,
  record: skillRecord,
  list: skillList,
}

const memory_categories = ['identity', 'preference', 'fact', 'context', 'instruction'] as const
/**
 * A `user` memory is for its maker alone, unless a key without a user made it. Others are for all.
 */
const memory_scopes = ['user', 'project'] as const

const memoryFields = {
  content: text(1, max_memory_content_length).meta({
    description: 'One thing worth knowing.',
    examples: ['The fiscal year ends in June.'],
  }),
  category: z.enum(memory_categories),
  importance: z
    .int()
    .meta({ description: 'The higher, the sooner it is remembered.', examples: [5] }),
}

const memoryCreate = z
  .strictObject({
    ...memoryFields,
    scope: z.enum(memory_scopes).optional().meta({
      description:
        'Whose it is. By default the one’s of the key; project, if the key belongs to nobody.',
    }),
  })
  .meta({ id: 'MemoryCreate' })

const memoryUpdate = z
  .strictObject(memoryFields)
  .partial()
  .meta({ id: 'MemoryUpdate', description: 'Fields that are left out stay as they are.' })

const memoryRecord = z
  .object({
    memory_id: idSchema('memory'),
    ...memoryFields,
    scope: z.enum(memory_scopes),
    created_at: timestamp,
    modified_at: timestamp,
  })
  .meta({ id: 'Memory' })

const memoryList = listEnvelope(memoryRecord, 'memory').meta({
  id: 'MemoryList',
  description: 'Newest first.',
})

export const memory = {
  create: memoryCreate,
  update: memoryUpdate,
  record: memoryRecord,
  list: memoryList,
}

const turnFields = {
  speaker: z.int().meta({ description: 'The number of the one who speaks.', examples: [1] }),
  source: text(1, max_name_length).meta({
    description: 'Where it was heard.',
    examples: ['microphone'],
  }),
  text: text(1, max_turn_text_length),
  start: z.number().min(0).meta({ description: 'Seconds from the beginning of the recording.' }),
  end: z.number().min(0).meta({ description: 'Seconds from the beginning of the recording.' }),
}

const sessionTurn = z.strictObject(turnFields).meta({ id: 'SessionTurn' })

const session_states = ['active', 'ended'] as const
const state = z.enum(session_states)

const name = text(1, max_name_length).meta({ examples: ['Weekly meeting'] })
const description = text(0, max_description_length)

const sessionCreate = z
  .strictObject({
    name,
    description: description.optional(),
    state: state.optional().meta({ description: 'Ended by default: what was said is complete.' }),
    turns: z
      .array(sessionTurn)
      .max(max_session_turns)
      .optional()
      .meta({ description: 'Oldest first.' }),
  })
  .meta({
    id: 'SessionCreate',
    description: 'Our reading: the specification lists the call and no shape.',
  })

const sessionUpdate = z
  .strictObject({
    name: name.optional(),
    description: description.optional(),
    state: state.optional(),
  })
  .meta({
    id: 'SessionUpdate',
    description: 'Fields that are left out stay as they are; what was said stays.',
  })

const itemFields = {
  session_id: idSchema('session'),
  name,
  description: description.optional(),
  state: openEnum(session_states).meta({
    description: 'active while the recording goes on, then ended.',
  }),
  created_at: timestamp,
  modified_at: timestamp,
}

const sessionListItem = z.object(itemFields).meta({ id: 'SessionListItem' })

const sessionRecord = z
  .object({
    ...itemFields,
    brief: z
      .string()
      .optional()
      .meta({ description: 'What was said, in short, where the service made it.' }),
    turns: z
      .array(z.object(turnFields).meta({ id: 'SessionTurnRecord' }))
      .meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'Session' })

const sessionList = listEnvelope(sessionListItem, 'session').meta({
  id: 'SessionList',
  description: 'Newest first.',
})

export const session = {
  create: sessionCreate,
  update: sessionUpdate,
  record: sessionRecord,
  list: sessionList,
}

const transcriptTurn = z
  .object({ turn_id: idSchema('turn'), ...turnFields })
  .meta({ id: 'TranscriptTurn', description: 'The id is there to page by.' })

export const transcript = listEnvelope(transcriptTurn, 'turn').meta({
  id: 'Transcript',
  description: 'Oldest first.',
})

export type SessionTurn = z.infer<typeof sessionTurn>
export type SkillCreate = z.infer<typeof skillCreate>
export type MemoryCreate = z.infer<typeof memoryCreate>
