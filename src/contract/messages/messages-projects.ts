import { z } from 'zod'
import { listEnvelope, openEnum, timestamp } from '../envelope.ts'
import { idSchema, text } from '../field-schemas.ts'
import { max_description_length, max_email_length, max_name_length } from '../limits.ts'

/**
 * An owner changes the project and its members, a collaborator changes its content. A reader reads,
 * asks, and keeps own memories. Each role may also do what the roles below it may.
 */
export const roles = ['owner', 'collaborator', 'reader'] as const

/**
 * How a user became a member: made the project, was invited by an owner, or was added by a command
 * of the service. Only the field is known (P), the names are ours.
 */
const join_methods = ['created', 'invited', 'added'] as const

const name = text(1, max_name_length).meta({ examples: ['Finance'] })
const new_name = text(1, max_name_length)
  .refine((value) => value.trim() !== '', { error: 'must have a visible character' })
  .meta({ description: 'With a visible character.', examples: ['Finance'] })
const description = text(0, max_description_length)
const email = z
  .email()
  .max(max_email_length)
  .meta({ examples: ['ada@example.org'] })

export const projectCreate = z
  .strictObject({ name: new_name, description: description.optional() })
  .meta({ id: 'ProjectCreate' })

export const projectUpdate = z
  .strictObject({ name: new_name, description: description.optional() })
  .meta({
    id: 'ProjectUpdate',
    description: 'Replaces the whole: a description that is left out is gone.',
  })

export const projectRecord = z
  .object({
    project_id: idSchema('project'),
    name,
    description: description.optional(),
    default: z
      .boolean()
      .meta({ description: 'Whether this is the project that the key opens first.' }),
    role: z
      .enum(roles)
      .optional()
      .meta({ description: 'What the key may do in it. Another service may not tell.' }),
  })
  .meta({ id: 'Project' })

export const projectList = listEnvelope(projectRecord, 'project').meta({
  id: 'ProjectList',
  description:
    'The projects within reach of the key, newest first. One full page: has_more is always false.',
})

const memberRecord = z
  .object({
    user_id: idSchema('user'),
    email,
    name: text(0, max_name_length).optional(),
    role: z.enum(roles),
    join_method: openEnum(join_methods).meta({ description: 'How the user became a member.' }),
    added_at: timestamp,
  })
  .meta({ id: 'Member' })

export const memberList = listEnvelope(memberRecord, 'user').meta({
  id: 'MemberList',
  description: 'Oldest first.',
})

export const invitationCreate = z.strictObject({ email, role: z.enum(roles) }).meta({
  id: 'InvitationCreate',
  description: 'A member gets the role at once, others when they accept.',
})

export const invitationRecord = z
  .object({
    invitation_id: idSchema('invitation'),
    email,
    role: z.enum(roles),
    url: z.url().meta({
      description:
        'A page to accept on. It works once, for a week, and until the next invitation. Who is a member already reads that they are.',
      examples: ['http://127.0.0.1:4000/invitations/2fUHG7aXlQ0v8WmDq5nR1cYtK6sBzE9jLp3oV4xTiwA'],
    }),
    created_at: timestamp,
  })
  .meta({ id: 'Invitation' })

export type Role = (typeof roles)[number]
export type JoinMethod = (typeof join_methods)[number]
