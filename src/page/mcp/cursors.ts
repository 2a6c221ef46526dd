import type { z } from 'zod'
import { SluiceError } from '../../base/run/errors.ts'

/** A place in a list, for an agent to hand back. It has nothing that the agent may not know. */
export function cursorOf(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The place in a cursor, which the agent may have made up. Error `usage.cursor`. */
export function placeAt<Schema extends z.ZodType>(cursor: string | undefined, schema: Schema) {
  if (cursor === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw noCursor()
  }
}

export function noCursor(): SluiceError {
  const message = 'this is no next_cursor of this tool with these values'
  const hint = 'leave cursor out to begin with the first page'
  return new SluiceError({ code: 'usage.cursor', message, hint })
}
