import { z } from 'zod'
import { listEnvelope, timestamp } from '../envelope.ts'
import { idSchema } from '../identifiers.ts'
import { memory_content_longest, memory_importance_least, memory_importance_most, text } from '../limits.ts'

const memory_categories = ['identity', 'preference', 'fact', 'context', 'instruction'] as const
/** `user`: of the one who made it; `project`: made with a key that belongs to nobody, and known to all in the project. */
const memory_scopes = ['user', 'project'] as const

const fields = {
  content: text(1, memory_content_longest).meta({
    description: 'One thing worth knowing.',
    examples: ['The fiscal year ends in June.'],
  }),
  category: z.enum(memory_categories),
  importance: z
    .int()
    .min(memory_importance_least)
    .max(memory_importance_most)
    .meta({ description: 'The higher, the sooner it is remembered.' }),
}

export const memoryCreate = z.strictObject(fields).meta({ id: 'MemoryCreate' })

export const memoryUpdate = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'MemoryUpdate', description: 'Fields that are left out stay as they are.' })

export const memoryRecord = z
  .object({
    memory_id: idSchema('memory'),
    ...fields,
    scope: z.enum(memory_scopes),
    created_at: timestamp,
    modified_at: timestamp,
  })
  .meta({ id: 'Memory' })

export const memoryList = listEnvelope(memoryRecord, 'memory').meta({ id: 'MemoryList', description: 'Newest first.' })
