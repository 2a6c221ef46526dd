import { z } from 'zod'
import { hasCharacters } from '../base/format.ts'

/** A text of `least` to `most` characters. Zod counts UTF-16 units, the description (JSON Schema) code points: an emoji is one character. */
export function text(least: number, most: number) {
  return z
    .string()
    .refine((value) => hasCharacters(value, least, most), { error: `must have ${least} to ${most} characters` })
    .meta({ ...(least === 0 ? {} : { minLength: least }), maxLength: most })
}
