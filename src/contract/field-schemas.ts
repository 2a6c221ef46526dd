import { z } from 'zod'
import { hasCharacters } from '../base/text/format.ts'
import { type IdKind, idPattern } from './identifiers.ts'

/** The schema of an id of one kind. */
export function idSchema(kind: IdKind) {
  return z
    .string()
    .regex(idPattern(kind), {
      error: `must be an id of the form ${kind}_ and 20 lower-case letters or digits`,
    })
    .meta({ description: `The id of a ${kind}.`, examples: [`${kind}_4f7k2m9q0x3c8v1b6n5z`] })
}

/**
 * The schema of a text with `min` to `max` characters (code points, as in JSON Schema). Zod's own
 * limits count UTF-16 units, and an emoji has two.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, min, max), {
      error: `must have ${min} to ${max} characters`,
    })
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max })
}
