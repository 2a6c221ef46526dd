import { isLoopbackHost } from '../base/net/loopback.ts'
import { SluiceError } from '../base/run/errors.ts'

/** The service's address: prefix of every path, and the only origin that gets the token. */
export interface BaseAddress {
  origin: string
  /** Empty, or a path that begins with a slash and does not end in one. */
  prefix: string
}

/**
 * Reads `base_url`, with an optional path and trailing slash. Only https, or http for loopback
 * hosts. Error `config.base_url`, which quotes nothing, because the address may hold a password.
 */
export function parseBaseUrl(base_url: string): BaseAddress {
  if (!URL.canParse(base_url)) throw oddBaseUrl('it is not a URL')
  const url = new URL(base_url)
  if (url.username !== '' || url.password !== '') throw oddBaseUrl('it holds a user name or a password')
  if (url.search !== '' || url.hash !== '') throw oddBaseUrl('it has a query or a fragment')
  if (!isSafe(url))
    throw oddBaseUrl(`${url.protocol}// is refused for ${url.hostname}: the token would travel in the clear`)
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** The address of an upload; undefined if no bytes may be sent there. */
export function parseUploadUrl(upload_url: string): URL | undefined {
  if (!URL.canParse(upload_url)) return undefined
  const url = new URL(upload_url)
  return isSafe(url) && url.username === '' && url.password === '' ? url : undefined
}

/** Escapes each segment, so that an id cannot leave its place in the path. */
export function apiUrl(
  { origin, prefix }: BaseAddress,
  segments: readonly string[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): URL {
  const url = new URL(`${origin}${prefix}/v1/${segments.map(encodeURIComponent).join('/')}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

function oddBaseUrl(why: string): SluiceError {
  return new SluiceError({
    code: 'config.base_url',
    message: `service.base_url cannot be used: ${why}`,
    hint: 'an address of the form https://api.example.com; http:// is for this machine only (http://127.0.0.1:8080)',
  })
}
