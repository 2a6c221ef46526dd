import { z } from 'zod'
import { hasCharacters } from '../../base/text/format.ts'
import { max_body_bytes, max_filename_length, max_name_length, max_prompt_length } from '../../contract/limits.ts'
import { fault } from '../faults/faults.ts'

export function whole(min: number, max?: number) {
  const range = max === undefined ? `${min} on` : `${min} to ${max}`
  const error = `a whole number from ${range} is needed`
  return z
    .int({ error })
    .min(min, { error })
    .max(max ?? Number.MAX_SAFE_INTEGER, { error })
}

/**
 * What a service takes; narrower than the interface where its owner says so, never wider. Below the least no client works: a
 * client's names, a short question, a filename of 255 bytes.
 */
export const limit_options = z.object({
  // What the interface allows: whoever narrows it knows why, and a client of the interface works as it is.
  /** Bytes of a JSON body. */
  body_bytes: whole(4_096, max_body_bytes).default(max_body_bytes),
  /** Characters of a prompt, of a filename, and of every other name and title. */
  prompt_length: whole(100, max_prompt_length).default(max_prompt_length),
  filename_length: whole(255, max_filename_length).default(max_filename_length),
  name_length: whole(32, max_name_length).default(max_name_length),
  /** Of one token; what comes above is answered 429 with Retry-After. 0: no limit. */
  // Off: the first sync of a large folder is meant to go as fast as the disk.
  requests_per_minute: whole(0, 1_000_000).default(0),
})

export type Limits = z.output<typeof limit_options>

const limit_defaults = limit_options.parse({})

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
export function maxLengthOf(field: string, limits: Limits): number | undefined {
  const limit = limited_fields[field]
  return limit === undefined || limits[limit] === limit_defaults[limit] ? undefined : limits[limit]
}

/** A body that fits the schema, against the narrower limits of this service: 400 as for any other body that does not fit. */
export function checkLengths(body: unknown, limits: Limits): void {
  if (typeof body !== 'object' || body === null) return
  for (const [field, value] of Object.entries(body)) {
    const max_length = maxLengthOf(field, limits)
    if (max_length === undefined || typeof value !== 'string' || hasCharacters(value, 0, max_length)) continue
    throw fault('publicapi.body.invalid', `${field}: this service takes at most ${max_length} characters`)
  }
}

/** How many requests may still come at once, and when that was counted. */
interface Bucket {
  allowance: number
  refilled_ms: number
}

/** Takes one request out of a bucket that refills at `per_minute` up to `most`; seconds to wait when it is one too many. */
export function takeRequest(
  bucket: Bucket,
  per_minute: number,
  max_allowance: number,
  now_ms: number,
): number | undefined {
  const per_ms = per_minute / 60_000
  bucket.allowance = Math.min(max_allowance, bucket.allowance + (now_ms - bucket.refilled_ms) * per_ms)
  bucket.refilled_ms = now_ms
  if (bucket.allowance < 1) return Math.max(1, Math.ceil((1 - bucket.allowance) / per_ms / 1_000))
  bucket.allowance -= 1
  return undefined
}

/**
 * So many requests a minute of each token, spread evenly: a bucket holds ten seconds' worth, so that somebody who opens a page
 * of twenty lists is served at once, and nobody takes a minute's worth in one second. 0: no limit. Answers the seconds to wait,
 * or undefined; called once per request, since it counts.
 */
export function limitRequests(per_minute: number, monotonic_ms: () => number): (token: number) => number | undefined {
  if (per_minute === 0) return () => undefined
  const max_allowance = Math.max(1, per_minute / 6)
  const buckets = new Map<number, Bucket>()
  return (token) => {
    const now_ms = monotonic_ms()
    const bucket = buckets.get(token) ?? { allowance: max_allowance, refilled_ms: now_ms }
    buckets.set(token, bucket)
    return takeRequest(bucket, per_minute, max_allowance, now_ms)
  }
}
