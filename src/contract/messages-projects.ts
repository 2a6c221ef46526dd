import { z } from 'zod'
import { listEnvelope } from './envelope.ts'
import { idSchema } from './identifiers.ts'
import { description_longest, name_longest } from './limits.ts'

export const projectRecord = z
  .object({
    project_id: idSchema('project'),
    name: z.string().min(1).max(name_longest),
    description: z.string().max(description_longest).optional(),
    default: z.boolean().meta({ description: 'Whether this is the project that the key opens first.' }),
  })
  .meta({ id: 'Project' })

export const projectList = listEnvelope(projectRecord, 'project').meta({
  id: 'ProjectList',
  description: 'The projects within reach of the key.',
})

export type ProjectRecord = z.infer<typeof projectRecord>
