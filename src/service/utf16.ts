const sample_bytes = 16_384

/** UTF-16 without a mark gives itself away where ASCII letters occur: in two bytes, one of them always the same zero. */
export function utf16WithoutMark(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length % 2 === 1) return undefined
  const sample = bytes.subarray(0, sample_bytes)
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  // A few bytes are no evidence.
  if (odd + even < 3) return undefined
  if (odd > sample.length / 8 && even < odd / 16) return 'utf-16le'
  if (even > sample.length / 8 && odd < even / 16) return 'utf-16be'
  return undefined
}
