import { api_key_header, project_header } from '../contract/identifiers.ts'

/** A signed URL asks for two or three headers; more than this is no upload. */
const headers_most = 32

/** Names and values of RFC 9110, sections 5.1 and 5.5. */
const header_name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const header_value = /^[\t\x20-\x7e\x80-\xff]*$/

/** They belong to the connection and not to the upload (RFC 9110, section 7.6.1), or would carry our token to another host. */
const never_sent = new Set([
  api_key_header,
  project_header,
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What keeps these headers from being sent verbatim, or undefined. Names a header at most, never a value. */
export function findHeaderFault(headers: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(headers)
  if (names.length > headers_most) return `upload_headers has more than ${headers_most} headers`
  const lower = new Set(names.map((name) => name.toLowerCase()))
  if (lower.size < names.length) return 'upload_headers names a header twice'
  for (const [name, value] of Object.entries(headers)) {
    if (!header_name.test(name)) return 'upload_headers has a name that is not one of a header'
    if (never_sent.has(name.toLowerCase())) return `upload_headers asks for ${name}`
    if (typeof value !== 'string' || !header_value.test(value))
      return `the value of ${name} in upload_headers cannot be sent`
  }
  return undefined
}

/**
 * The headers of the PUT: the ticket's, verbatim and alone; the length is ours. Undefined where the ticket demands another
 * length than the body has.
 */
export function uploadHeaders(
  wanted: Readonly<Record<string, string>>,
  size: number,
): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (name.toLowerCase() !== 'content-length') headers[name] = value
    else if (value.trim() !== String(size)) return undefined
  }
  return headers
}
