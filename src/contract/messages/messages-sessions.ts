import { z } from 'zod'
import { listEnvelope, timestamp } from '../envelope.ts'
import { idSchema } from '../identifiers.ts'
import { description_longest, name_longest, session_turns_most, text, turn_text_longest } from '../limits.ts'

const turnFields = {
  speaker: text(1, name_longest).meta({ examples: ['Ada'] }),
  source: text(1, name_longest).meta({ description: 'Where it was heard.', examples: ['microphone'] }),
  text: text(1, turn_text_longest),
  start: z.number().min(0).meta({ description: 'Seconds from the beginning of the recording.' }),
  end: z.number().min(0).meta({ description: 'Seconds from the beginning of the recording.' }),
}

const sessionTurn = z.strictObject(turnFields).meta({ id: 'SessionTurn' })

const name = text(1, name_longest).meta({ examples: ['Weekly meeting'] })
const description = text(0, description_longest)

export const sessionCreate = z
  .strictObject({
    name,
    description: description.optional(),
    turns: z.array(sessionTurn).max(session_turns_most).optional().meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'SessionCreate', description: 'Our reading: the specification lists the call and no shape.' })

export const sessionUpdate = z
  .strictObject({ name: name.optional(), description: description.optional() })
  .meta({ id: 'SessionUpdate', description: 'Fields that are left out stay as they are; what was said stays.' })

const itemFields = {
  session_id: idSchema('session'),
  name,
  description: description.optional(),
  created_at: timestamp,
  modified_at: timestamp,
}

const sessionListItem = z.object(itemFields).meta({ id: 'SessionListItem' })

export const sessionRecord = z
  .object({
    ...itemFields,
    brief: z.string().optional().meta({ description: 'What was said, in short, where the service made it.' }),
    turns: z.array(z.object(turnFields).meta({ id: 'SessionTurnRecord' })).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'Session' })

export const sessionList = listEnvelope(sessionListItem, 'session').meta({
  id: 'SessionList',
  description: 'Newest first.',
})

const transcriptTurn = z
  .object({ turn_id: idSchema('turn'), ...turnFields })
  .meta({ id: 'TranscriptTurn', description: 'The id is there to page by.' })

export const transcript = listEnvelope(transcriptTurn, 'turn').meta({
  id: 'Transcript',
  description: 'Oldest first.',
})

export type SessionTurn = z.infer<typeof sessionTurn>
