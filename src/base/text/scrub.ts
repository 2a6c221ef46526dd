/**
 * The last gate before text leaves the program: log lines, stored error texts, answers on the socket. What is a secret is not
 * put into texts in the first place; this is for what slips through, a foreign error's message above all.
 */

const hidden = '***'

/** Fields whose whole value is a secret, whatever its form; compared without case, `-` and `_`. */
const secret_fields = new Set([
  'token',
  'ticket',
  'uploadurl',
  'uploadheaders',
  'authorization',
  'proxyauthorization',
  'xapikey',
  'apikey',
  'cookie',
  'setcookie',
  'password',
  'secret',
  'signature',
])

const patterns: readonly (readonly [RegExp, string])[] = [
  // The service's tokens: `pat_` + 32 characters.
  [/pat_[A-Za-z0-9]{32,}/g, `pat_${hidden}`],
  // user:password@ in a URL, a proxy's for instance.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"@]+@/gi, `$1${hidden}@`],
  // Any query of a URL, absolute or not: a signed URL is signed there.
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s?"]*)\?[^\s"]+/gi, `$1?${hidden}`],
  [/\?[\w.~%+$-]+=[^\s"]*/g, `?${hidden}`],
  // A query torn from its URL.
  [/\b(sig|signature|x-(?:amz|goog|ms)-(?:signature|credential|security-token))=[^\s"&*]+/gi, `$1=${hidden}`],
]

/** Replaces tokens, passwords in URLs and every URL's query. Applying it twice changes nothing more. */
export function scrubText(text: string): string {
  let scrubbed = text
  for (const [pattern, replacement] of patterns) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed
}

/** Deeper structures than this are cut: nothing we log or answer is nested so deep. */
const deepest = 8

/** The same for a plain (JSON) value: fields that are secrets by name are hidden whole, every other text is scrubbed. */
export function scrubValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '…'
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1))
  const entries = Object.entries(value).map(([field, inner]): [string, unknown] => {
    const is_secret = secret_fields.has(field.toLowerCase().replaceAll(/[-_]/g, ''))
    return [scrubText(field), is_secret && inner !== undefined ? hidden : scrubValue(inner, depth + 1)]
  })
  return Object.fromEntries(entries)
}
