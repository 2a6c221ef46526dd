/** How many requests may still come at once, and when that was counted. */
export interface Bucket {
  allowance: number
  refilled_ms: number
}

/** Takes one request out of a bucket that refills at `per_minute` up to `most`; seconds to wait when it is one too many. */
export function takeRequest(bucket: Bucket, per_minute: number, most: number, now_ms: number): number | undefined {
  const per_ms = per_minute / 60_000
  bucket.allowance = Math.min(most, bucket.allowance + (now_ms - bucket.refilled_ms) * per_ms)
  bucket.refilled_ms = now_ms
  if (bucket.allowance < 1) return Math.max(1, Math.ceil((1 - bucket.allowance) / per_ms / 1_000))
  bucket.allowance -= 1
  return undefined
}

/** More tokens than one machine's service has at work within a minute. */
const buckets_most = 1_000

/**
 * So many requests a minute of each token, spread evenly: a bucket holds ten seconds' worth, so that somebody who opens a page
 * of twenty lists is served at once, and nobody takes a minute's worth in one second. 0: no limit. Answers the seconds to wait,
 * or undefined; called once per request, since it counts.
 */
export function limitRequests(per_minute: number, monotonic_ms: () => number): (token: number) => number | undefined {
  if (per_minute === 0) return () => undefined
  const most = Math.max(1, per_minute / 6)
  const buckets = new Map<number, Bucket>()
  return (token) => {
    const now_ms = monotonic_ms()
    let bucket = buckets.get(token)
    if (!bucket) {
      if (buckets.size >= buckets_most) forgetFull(buckets, per_minute, most, now_ms)
      bucket = { allowance: most, refilled_ms: now_ms }
      buckets.set(token, bucket)
    }
    return takeRequest(bucket, per_minute, most, now_ms)
  }
}

/** A bucket that has filled up again says nothing that a new one does not. */
function forgetFull(buckets: Map<number, Bucket>, per_minute: number, most: number, now_ms: number): void {
  for (const [token, { allowance, refilled_ms }] of buckets) {
    if (allowance + ((now_ms - refilled_ms) * per_minute) / 60_000 >= most) buckets.delete(token)
  }
}
