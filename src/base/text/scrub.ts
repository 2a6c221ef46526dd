// The last filter before text leaves the program (log, stored errors, answers on the socket). Code
// never puts secrets into texts. This catches what slips through, mostly in foreign errors.

const hidden = '***'

/** The service's tokens: `pat_` and 32 printable characters without spaces (A-36). */
export const token_pattern = /^pat_[\x21-\x7e]{32}$/

/** One character of a token in a text: bare, or escaped as in a URL, in JSON or in HTML. */
export const token_character = String.raw`(?:\\+u[\dA-Fa-f]{4}|\\*(?:%(?:25)*[\dA-Fa-f]{2}|&#?\w{2,6};|[!-~]))`
const word_start = String.raw`(?:^|[^A-Za-z0-9]|%[\dA-Fa-f]{2}|\\[bfnrt]|\\u[\dA-Fa-f]{4})`
const already_hidden = String.raw`\*{3}(?![A-Za-z0-9])`
/** `{1,32}` never backtracks, so that a hostile text costs no time. */
const any_token = new RegExp(
  `pat_(?<=${word_start}pat_)(?!${already_hidden})(?=[!-~]{32})${token_character}{1,32}[A-Za-z0-9]*`,
  'g',
)

/** Fields whose whole value is a secret. Names are compared without case, `-` and `_`. */
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
  // A token of letters and digits, wherever it stands.
  [/pat_[A-Za-z0-9]{32,}/g, `pat_${hidden}`],
  // Any other token at the start of a word. A long file name that begins so is hidden, too: Sluice
  // cannot tell it from a token.
  [any_token, `pat_${hidden}`],
  // user:password@ in a URL, for example a proxy's.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"@]+@/gi, `$1${hidden}@`],
  // Any query of a URL, absolute or not: a signed URL has its signature there.
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s?"]*)\?[^\s"]+/gi, `$1?${hidden}`],
  [/\?[\w.~%+$-]+=[^\s"]*/g, `?${hidden}`],
  // A part of a query that was cut from its URL.
  [
    /\b(sig|signature|x-(?:amz|goog|ms)-(?:signature|credential|security-token))=[^\s"&*]+/gi,
    `$1=${hidden}`,
  ],
]

/** Replaces tokens, passwords in URLs and URL queries. A second call changes nothing. */
export function scrubText(text: string): string {
  let scrubbed = text
  for (const [pattern, replacement] of patterns) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed
}

/** Deeper structures are cut. Nothing that we log or answer is nested so deep. */
const deepest = 8

/** Scrubs a plain (JSON) value: hides fields with secret names whole, scrubs all other texts. */
export function scrubValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '…'
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1))
  const entries = Object.entries(value).map(([field, inner]): [string, unknown] => {
    const is_secret = secret_fields.has(field.toLowerCase().replaceAll(/[-_]/g, ''))
    return [
      scrubText(field),
      is_secret && inner !== undefined ? hidden : scrubValue(inner, depth + 1),
    ]
  })
  return Object.fromEntries(entries)
}
