import { SluiceError } from '../base/errors.ts'
import { hasCharacters } from '../base/format.ts'
import { body_bytes_most, filename_longest, name_longest, prompt_longest } from '../contract/limits.ts'
import { fault } from './faults.ts'

/** What a service takes; narrower than the interface where its owner says so, never wider. */
export interface LimitOptions {
  /** Bytes of a JSON body. */
  body_bytes?: number
  /** Characters of a prompt, of a filename, and of every other name and title. */
  prompt_length?: number
  filename_length?: number
  name_length?: number
  /** Of one token; what comes above is answered 429 with Retry-After. 0: no limit. */
  requests_per_minute?: number
}

export type Limits = Required<LimitOptions>

const limit_defaults: Limits = {
  // What the interface allows: whoever narrows it knows why, and a client of the interface works as it is.
  body_bytes: body_bytes_most,
  prompt_length: prompt_longest,
  filename_length: filename_longest,
  name_length: name_longest,
  // Off: the first sync of a large folder is meant to go as fast as the disk.
  requests_per_minute: 0,
}

/** Below these no client works: a client's names, a short question, a filename of 255 bytes. Above: what the interface allows. */
const bounds: Record<keyof Limits, [least: number, most: number]> = {
  body_bytes: [4_096, body_bytes_most],
  prompt_length: [100, prompt_longest],
  filename_length: [255, filename_longest],
  name_length: [32, name_longest],
  requests_per_minute: [0, 1_000_000],
}

/** Error `config.service`. */
export function limitsFrom(options: LimitOptions = {}): Limits {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const limits: Limits = { ...limit_defaults, ...Object.fromEntries(given) }
  for (const [name, [least, most]] of Object.entries(bounds) as [keyof Limits, [number, number]][]) {
    const value = limits[name]
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue
    throw new SluiceError({
      code: 'config.service',
      message: `the local service cannot work with limits.${name} = ${value}: a whole number from ${least} to ${most} is needed`,
    })
  }
  return limits
}

/** The fields of bodies that a limit of the owner's can narrow. */
const limited_fields: Record<string, keyof Limits> = {
  prompt: 'prompt_length',
  filename: 'filename_length',
  name: 'name_length',
  display_name: 'name_length',
  label_name: 'name_length',
  title: 'name_length',
}

/** The longest text of a field in the body of a request; undefined where the interface alone decides. */
export function longestOf(field: string, limits: Limits): number | undefined {
  const limit = limited_fields[field]
  return limit === undefined || limits[limit] === limit_defaults[limit] ? undefined : limits[limit]
}

/** A body that fits the schema, against the narrower limits of this service: 400 as for any other body that does not fit. */
export function checkLengths(body: unknown, limits: Limits): void {
  if (typeof body !== 'object' || body === null) return
  for (const [field, value] of Object.entries(body)) {
    const longest = longestOf(field, limits)
    if (longest === undefined || typeof value !== 'string' || hasCharacters(value, 0, longest)) continue
    throw fault('publicapi.body.invalid', `${field}: this service takes at most ${longest} characters`)
  }
}
