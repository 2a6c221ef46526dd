import { z } from 'zod'
import { listEnvelope, timestamp } from '../envelope.ts'
import { idSchema } from '../identifiers.ts'
import { description_longest, name_longest, skill_content_longest, text } from '../limits.ts'

/** `project`: everybody in the project can use it; `user`: whoever made it. */
const skill_scopes = ['project', 'user'] as const
const skill_categories = ['skill', 'persona'] as const

const fields = {
  name: text(1, name_longest).meta({
    description: 'What chats call it by; unique among those that one can use.',
    examples: ['contract-review'],
  }),
  content: text(1, skill_content_longest).meta({
    description: 'What the assistant is to follow, as Markdown.',
    examples: ['Name each party and its duties.'],
  }),
  scope: z.enum(skill_scopes).meta({ description: 'Who can use it: everybody in the project, or its maker.' }),
  category: z.enum(skill_categories).meta({ description: 'Something to do, or somebody to be.' }),
  display_name: text(1, name_longest).optional(),
  description: text(0, description_longest).optional(),
  icon: text(1, 64).optional(),
}

export const skillCreate = z.strictObject(fields).meta({ id: 'SkillCreate' })

export const skillUpdate = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'SkillUpdate', description: 'Fields that are left out stay as they are.' })

export const skillRecord = z
  .object({
    skill_id: idSchema('skill'),
    ...fields,
    enabled: z.boolean(),
    created_at: timestamp,
    modified_at: timestamp,
  })
  .meta({ id: 'Skill' })

export const skillList = listEnvelope(skillRecord, 'skill').meta({ id: 'SkillList', description: 'Newest first.' })
