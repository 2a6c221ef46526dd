import { z } from 'zod'
import { second_ms } from '../../base/time/time.ts'
import {
  countFault,
  durationFault,
  durationText,
  parseDuration_ms,
  parseSize_bytes,
  sizeFault,
  sizeText,
} from './units.ts'

/**
 * Kinds of fields. Each field has a default as a user would write it, limits, and a description
 * that ends with the reason for the default. The JSON schema and docs/config.md show the same text.
 */

interface Limits<Written = number> {
  min: Written
  max: Written
}

/** Limits and default, as a user would write it in the file. */
type Amount<Usual = string, Written = number> = Limits<Written> & { usual: Usual }

const unit_ms = { ms: 1, s: second_ms }

/** A duration in the unit of the field name, also for plain numbers and limits. */
export function duration(unit: keyof typeof unit_ms, { usual, min, max }: Amount) {
  const limits = `${durationText(min * unit_ms[unit])} to ${durationText(max * unit_ms[unit])}`
  const parse = (text: string) => parseDuration_ms(text) / unit_ms[unit]
  const isValid = (value: number) => value >= min && value <= max
  const examples = valid(durations, (text) => isValid(parse(text)))
  const wrong = `must be a duration from ${limits}, such as ${examples}, or a number of ${unit}`
  const faultOf: FaultOf = (text, fits) =>
    durationFault(text, fits) ??
    (/^\d+$/.test(text) ? `${text} is read as ${text}${unit}: ${wrong}` : undefined)
  return amount(parse, faultOf, isValid, wrong)
    .transform((value) => Math.round(value * unit_ms[unit]) / unit_ms[unit])
    .prefault(usual)
}

/** A duration for a field without a unit in its name: the user writes one. Output in ms. */
export function span({ usual, min, max }: Amount<string, string>) {
  const [min_ms, max_ms] = [parseDuration_ms(min), parseDuration_ms(max)]
  const fits = (text: string) =>
    parseDuration_ms(text) >= min_ms && parseDuration_ms(text) <= max_ms
  const wrong = `must be a duration from ${min} to ${max} with its unit, such as ${valid(durations, fits)}`
  return spanValue(min, max, wrong).prefault(usual)
}

const durations = ['90s', '20m', '12h', '90d']
const sizes = ['500MB', '4GiB']

/** The examples that a field takes. */
function valid(examples: readonly string[], fits: (example: string) => boolean): string {
  return examples.filter(fits).join(', ')
}

export function spanValue(min: string, max: string, wrong: string) {
  const min_ms = parseDuration_ms(min)
  const max_ms = parseDuration_ms(max)
  const isValid = (ms: number) => ms >= min_ms && ms <= max_ms
  return amountText(wrong).transform(reading(parseDuration_ms, durationFault, isValid, wrong))
}

/** A size in bytes, also for plain numbers. */
export function size({ usual, ...limits }: Amount) {
  return sizeValue(limits).prefault(usual)
}

export function sizeValue({ min, max }: Limits) {
  const isValid = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max
  const examples = valid(sizes, (text) => isValid(parseSize_bytes(text)))
  const wrong = `must be a size from ${sizeText(min)} to ${sizeText(max)}, such as ${examples}, or a number of bytes`
  return amount(parseSize_bytes, sizeFault, isValid, wrong)
}

/** Why a text is no amount. An example in it is one that `fits` the field. */
type FaultOf = (text: string, fits: (example: string) => boolean) => string | undefined

function amount(
  parse: (text: string) => number,
  faultOf: FaultOf,
  isValid: (value: number) => boolean,
  wrong: string,
) {
  return z
    .union([z.number(), amountText(wrong)], wrong)
    .transform(
      reading((text) => (/^\d+$/.test(text) ? Number(text) : parse(text)), faultOf, isValid, wrong),
    )
}

/** A text with an amount; editors check its form only. */
export function amountText(wrong: string) {
  return z.string(wrong).meta({ pattern: String.raw`^\s*\.?\d` })
}

/** Reads an amount; the fault says why it is none, as far as that can be known. */
export function reading(
  parse: (text: string) => number,
  faultOf: FaultOf,
  isValid: (value: number) => boolean,
  wrong: string,
) {
  return (written: string | number, context: z.core.$RefinementCtx) => {
    const read = typeof written === 'number' ? written : parse(written.trim())
    if (isValid(read)) return read
    context.addIssue(faultOf(String(written), (example) => isValid(parse(example))) ?? wrong)
    return z.NEVER
  }
}

/** A whole number. */
export function count({ usual, ...limits }: Amount<number>) {
  return countValue(limits).prefault(usual)
}

export function countValue({ min, max }: Limits) {
  const wrong = `must be a whole number from ${min} to ${max}, without a unit, quotes or separators`
  const fits = (example: string) => Number(example) >= min && Number(example) <= max
  return z
    .int({ error: ({ input }) => countFault(String(input), fits) ?? wrong })
    .min(min, wrong)
    .max(max, wrong)
}

export const wrong_flag = 'must be true or false, without quotes'

export function flag(usual: boolean) {
  return z.boolean(wrong_flag).prefault(usual)
}

export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  usual: Words[number],
) {
  const schema = z.enum(words, `must be one of ${words.join(', ')}`)
  return schema.prefault(usual as z.input<typeof schema>)
}

/** A list, empty by default. A list with more than `max_entries` is a mistake. */
export function list<Rule extends z.ZodType>(rule: Rule, max_entries: number) {
  return z
    .array(rule, 'must be a list, each entry on a line of its own after "- "')
    .max(max_entries, `must not have more than ${max_entries} entries`)
    .prefault([])
}

/** A text that matches a pattern. `wrong` is the message for every fault. */
export function matching(pattern: RegExp, wrong: string) {
  return z.string(wrong).regex(pattern, wrong)
}

/** `off` is a text in YAML 1.2, but users and older tools also write false. */
export const off = z.literal(['off', false]).transform(() => 'off' as const)

/** A check that refuses a text for which `faultOf` returns a message. */
export function refusing(faultOf: (text: string) => string | undefined) {
  return ({ value, issues }: z.core.ParsePayload<string>) => {
    const message = faultOf(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  }
}
