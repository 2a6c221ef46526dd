import { z } from 'zod'
import type { HttpReply } from '../base/net/http-server-app.ts'
import { hasCharacters } from '../base/text/format.ts'
import {
  max_body_bytes,
  max_filename_length,
  max_name_length,
  max_prompt_length,
} from '../contract/limits.ts'
import { fault } from './faults/faults.ts'
import { fieldSentence, fillText, finding_texts } from './faults/humane.ts'

export function whole(min: number, max?: number) {
  const range = max === undefined ? `${min} on` : `${min} to ${max}`
  const error = `must be a whole number from ${range}`
  return z
    .int({ error })
    .min(min, { error })
    .max(max ?? Number.MAX_SAFE_INTEGER, { error })
}

/**
 * The limits of this service. They can be stricter than those of the interface, but never looser.
 * The minimum lets every client work: its names, a short question, a filename of 255 characters.
 */
export const limit_options = z.object({
  // The defaults are the limits of the interface, so that every client of the interface works.
  /** Bytes of a JSON body. */
  body_bytes: whole(4_096, max_body_bytes).default(max_body_bytes),
  /** Characters of a prompt, of a filename, and of every other name and title. */
  prompt_length: whole(100, max_prompt_length).default(max_prompt_length),
  filename_length: whole(255, max_filename_length).default(max_filename_length),
  name_length: whole(32, max_name_length).default(max_name_length),
  /** Requests of one token. A request above it is answered 429 with Retry-After. 0: no limit. */
  // No limit by default: the first sync of a large folder should run at the speed of the disk.
  requests_per_minute: whole(0, 1_000_000).default(0),
})

export type Limits = z.output<typeof limit_options>

const limit_defaults = limit_options.parse({})

/** The body fields that a limit of this service applies to. */
const limited_fields: Record<string, keyof Limits> = {
  prompt: 'prompt_length',
  filename: 'filename_length',
  name: 'name_length',
  display_name: 'name_length',
  label_name: 'name_length',
  title: 'name_length',
}

/** The most characters of a body field; undefined if this service adds no stricter limit. */
export function maxLengthOf(field: string, limits: Limits): number | undefined {
  const limit = limited_fields[field]
  return limit === undefined || limits[limit] === limit_defaults[limit] ? undefined : limits[limit]
}

/**
 * Checks a body that fits its schema against the stricter limits of this service. The fault is the
 * same 400 as for any invalid body.
 */
export function checkLengths(body: unknown, limits: Limits): void {
  if (typeof body !== 'object' || body === null) return
  for (const [field, value] of Object.entries(body)) {
    const max_length = maxLengthOf(field, limits)
    if (
      max_length === undefined ||
      typeof value !== 'string' ||
      hasCharacters(value, 0, max_length)
    )
      continue
    const finding = fillText(finding_texts.max_characters, { limit: max_length })
    throw fault('publicapi.body.invalid', {}, fieldSentence('request', [field], finding))
  }
}

/** The number of requests that may come at once, and the monotonic time when it was counted. */
interface Bucket {
  allowance: number
  refilled_ms: number
}

/**
 * Takes one request out of a bucket, which refills at `per_minute` up to `max_allowance`. Returns
 * the seconds to wait if the bucket is empty, else undefined.
 */
export function takeRequest(
  bucket: Bucket,
  per_minute: number,
  max_allowance: number,
  now_ms: number,
): number | undefined {
  const per_ms = per_minute / 60_000
  bucket.allowance = Math.min(
    max_allowance,
    bucket.allowance + (now_ms - bucket.refilled_ms) * per_ms,
  )
  bucket.refilled_ms = now_ms
  if (bucket.allowance < 1) return Math.max(1, Math.ceil((1 - bucket.allowance) / per_ms / 1_000))
  bucket.allowance -= 1
  return undefined
}

/**
 * The most callers that are remembered, those with the latest requests. A team has far fewer, and
 * an attacker with many addresses must not use up the memory.
 */
const max_buckets = 10_000

/**
 * Limits the requests of each token or address per minute. A bucket holds the requests of ten
 * seconds: with 120 a minute, a page with twenty lists loads at once, but no token uses its whole
 * minute in one second. 0: no limit. The function that it returns counts a request, so call it once
 * for each. It returns the seconds to wait, or undefined.
 */
export function limitRequests(
  per_minute: number,
  monotonic_ms: () => number,
): (caller: number | string) => number | undefined {
  if (per_minute === 0) return () => undefined
  const max_allowance = Math.max(1, per_minute / 6)
  const buckets = new Map<number | string, Bucket>()
  return (caller) => {
    const now_ms = monotonic_ms()
    const bucket = buckets.get(caller) ?? { allowance: max_allowance, refilled_ms: now_ms }
    buckets.delete(caller)
    if (buckets.size >= max_buckets) buckets.delete(buckets.keys().next().value!)
    buckets.set(caller, bucket)
    return takeRequest(bucket, per_minute, max_allowance, now_ms)
  }
}

/** Throws if the caller must wait. */
export function checkRate(reply: HttpReply, wait_s: number | undefined): void {
  if (wait_s === undefined) return
  reply.header('retry-after', String(wait_s))
  throw fault('publicapi.rate.limited', { seconds: wait_s })
}
