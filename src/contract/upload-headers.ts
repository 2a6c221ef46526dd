import { api_key_header, project_header } from './identifiers.ts'

/** A signed URL needs two or three headers; a ticket with more than this is refused. */
const max_headers = 32

/** Names and values of RFC 9110, sections 5.1 and 5.5. */
const header_name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const header_value = /^[\t\x20-\x7e\x80-\xff]*$/

/** A ticket must not name these: they are the connection's (RFC 9110, 7.6.1), or leak our token. */
const never_sent = new Set([
  api_key_header,
  project_header,
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Characters of a header's name in messages. */
const max_name_length = 64

/**
 * Why these headers cannot be sent verbatim to this host, or undefined. Names the header, but never
 * contains a value. `size` is in bytes; absent if it is not known yet.
 */
export function findHeaderFault(
  headers: Readonly<Record<string, unknown>>,
  host: string,
  size?: number,
): string | undefined {
  const names = Object.keys(headers)
  if (names.length > max_headers) return `upload_headers has more than ${max_headers} headers`
  const lower_names = names.map((name) => name.toLowerCase())
  for (const [at, name] of lower_names.entries()) {
    const is_twice = lower_names.indexOf(name) < at
    const why = is_twice
      ? 'it is there twice'
      : whyUnsendable(name, headers[names[at]!], host, size)
    if (why !== undefined)
      return `the header ${shownName(names[at]!)} of upload_headers cannot be sent: ${why}`
  }
  return undefined
}

/** `name`: in lower case. */
function whyUnsendable(
  name: string,
  value: unknown,
  host: string,
  size: number | undefined,
): string | undefined {
  if (!header_name.test(name)) return 'this is not the name of a header'
  if (never_sent.has(name)) return 'only the client itself may set it'
  if (typeof value !== 'string' || !header_value.test(value))
    return 'its value is not one of a header'
  if (name === 'host' && value.toLowerCase() !== host)
    return 'it names another host than upload_url'
  if (name === 'content-length' && size !== undefined && value.trim() !== String(size))
    return 'it is not the length of the file'
  return undefined
}

/** Only the beginning of a name that is not valid: the rest may be a value. */
function shownName(name: string): string {
  return name.slice(0, max_name_length).replace(/[^\w-].*$/s, '…')
}
