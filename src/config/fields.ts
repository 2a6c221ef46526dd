import { z } from 'zod'
import { duration_pattern, durationText, parseDuration_ms, parseSize_bytes, size_pattern, sizeText } from './units.ts'

/**
 * The kinds of fields. Each field is made with its default as one would write it, its limits, and a description that ends
 * with the reason of the default: the same words stand in the JSON schema and in docs/config.md.
 */

interface Amount {
  /** The default, as one would write it in the file. */
  usual: string | number
  least: number
  most: number
  about: string
}

const unit_ms = { ms: 1, s: 1_000 }

/** A duration; a plain number counts in the unit of the field's name. Gives that unit. Limits are in that unit, too. */
export function duration(unit: keyof typeof unit_ms, { usual, least, most, about }: Amount) {
  const limits = `${durationText(least * unit_ms[unit])} to ${durationText(most * unit_ms[unit])}`
  const wrong = `must be a duration from ${limits}, such as 90s, 20m, 12h, 90d, or a number of ${unit}`
  return z
    .union([z.number({ error: wrong }), z.string({ error: wrong }).regex(duration_pattern, { error: wrong })], {
      error: wrong,
    })
    .transform((value) => (typeof value === 'number' ? value : parseDuration_ms(value) / unit_ms[unit]))
    .refine((value) => value >= least && value <= most, { error: wrong })
    .prefault(usual)
    .meta({ description: about })
}

/** A duration in a field whose name has no unit: it must be written with one. Gives milliseconds. */
export function span({ usual, least, most, about }: Record<'usual' | 'least' | 'most' | 'about', string>) {
  const wrong = `must be a duration from ${least} to ${most}, such as 90s, 20m, 12h, 7d`
  return spanValue(least, most, wrong).prefault(usual).meta({ description: about })
}

export function spanValue(least: string, most: string, wrong: string) {
  const [least_ms, most_ms] = [parseDuration_ms(least), parseDuration_ms(most)]
  return z
    .string({ error: wrong })
    .regex(duration_pattern, { error: wrong })
    .transform(parseDuration_ms)
    .refine((ms) => ms >= least_ms && ms <= most_ms, { error: wrong })
}

/** A size; a plain number counts bytes. Gives bytes. */
export function size(amount: Amount) {
  return sizeValue(amount).prefault(amount.usual).meta({ description: amount.about })
}

export function sizeValue({ least, most }: Pick<Amount, 'least' | 'most'>) {
  const wrong = `must be a size from ${sizeText(least)} to ${sizeText(most)}, such as 500MB or 4GiB, or a number of bytes`
  return z
    .union([z.number({ error: wrong }), z.string({ error: wrong }).regex(size_pattern, { error: wrong })], {
      error: wrong,
    })
    .transform((value) => (typeof value === 'number' ? value : parseSize_bytes(value)))
    .refine((value) => Number.isSafeInteger(value) && value >= least && value <= most, { error: wrong })
}

/** A whole number. */
export function count(amount: Amount & { usual: number }) {
  return countValue(amount).prefault(amount.usual).meta({ description: amount.about })
}

export function countValue({ least, most }: Pick<Amount, 'least' | 'most'>) {
  const wrong = `must be a whole number from ${least} to ${most}`
  return z.int({ error: wrong }).min(least, { error: wrong }).max(most, { error: wrong })
}

export function flag(usual: boolean, about: string) {
  return z.boolean({ error: 'must be true or false' }).prefault(usual).meta({ description: about })
}

export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  usual: Words[number],
  about: string,
) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` })
  return schema.prefault(usual as z.input<typeof schema>).meta({ description: about })
}

/** A list of texts, empty by default. `most` entries: a longer one is a mistake, not a wish. */
export function texts(rule: z.ZodString, most: number, about: string) {
  return z
    .array(rule, { error: 'must be a list, each entry on a line of its own after "- "' })
    .max(most, { error: `must not have more than ${most} entries` })
    .prefault([])
    .meta({ description: about })
}
