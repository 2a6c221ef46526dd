import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopbackAddress, isLoopbackAuthority, isLoopbackHost } from '../base/net/loopback.ts'
import { refused } from './faults/faults.ts'

export interface AddressOptions {
  listen: string
  has_tls: boolean
  public_url?: string | undefined
  public_blob_url?: string | undefined
}

/** Checks where the service listens and how others reach it. Error `config.service`. */
export function checkAddress({
  listen,
  has_tls,
  public_url,
  public_blob_url,
}: AddressOptions): void {
  if (isIP(listen) === 0)
    throw refused(
      `the local service cannot listen on ${listen}: this is not an IP address`,
      'give an IP address, for example 192.168.1.4',
    )
  if (!isLoopbackAddress(listen) && !has_tls) {
    throw refused(
      `the local service cannot listen on ${listen} without TLS: plain HTTP is for this machine only`,
      'give --tls-cert and --tls-key (`sluice serve cert` makes them), or use 127.0.0.1 or ::1',
    )
  }
  for (const [name, url] of [
    ['public_url', public_url],
    ['public_blob_url', public_blob_url],
  ] as const) {
    if (url !== undefined) checkPublic(name, url)
    else if (isEverywhere(listen)) {
      throw refused(
        `the local service cannot listen on ${listen} without ${name}: clients would not know its address`,
        `give --${name.replaceAll('_', '-')}, the address that other machines use`,
      )
    }
  }
  if (
    public_url !== undefined &&
    public_blob_url !== undefined &&
    originIn(public_url) === originIn(public_blob_url)
  ) {
    throw refused(
      `the local service cannot use one origin for the API and the blob store: ${public_url}, ${public_blob_url}`,
      'give each its own host name or port: clients send their key to the API and never to the blob store',
    )
  }
}

function checkPublic(name: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const is_safe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  // Paths are appended to the address as it is, so it must end before them.
  const is_bare = url !== undefined && !/[?#@]|\/$/.test(text)
  if (is_safe && is_bare) return
  throw refused(
    `the local service cannot use ${name} = ${text} as its address`,
    'give an address such as https://sluice.example.org, without a slash at the end',
  )
}

function originIn(url: string): string {
  return new URL(url).origin
}

/** True for `0.0.0.0` and its IPv6 form, which mean every address of this machine. */
function isEverywhere(address: string): boolean {
  return /^[0:.]+$/.test(address)
}

export function originOf(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

export interface GateOptions {
  listen: string
  certificate: X509Certificate | undefined
  public_url?: string | undefined
  public_blob_url?: string | undefined
  /** Origins whose pages may call the API: see options.ts. */
  allowed_origins?: readonly string[] | undefined
}

export type Gate = ReturnType<typeof openGate>

/**
 * False if the request has several Host headers: a proxy and this service could each take another
 * one (RFC 9112, section 3.2).
 */
export function hasOneHost({ headersDistinct }: IncomingMessage): boolean {
  return (headersDistinct.host?.length ?? 0) <= 1
}

/**
 * Decides which Host and Origin headers are allowed. Hosts: loopback names, and the names in the
 * listen address, the certificate and the public addresses. Origins: see `allowed_origins`.
 */
export function openGate({ listen, certificate, allowed_origins, ...addresses }: GateOptions) {
  const public_urls = [addresses.public_url, addresses.public_blob_url].filter(
    (url) => url !== undefined,
  )
  const names = new Set([...public_urls.map((url) => new URL(url).hostname), asInUrl(listen)])
  const is_open =
    allowed_origins === undefined
      ? isLoopbackAddress(listen) && public_urls.length === 0
      : allowed_origins.includes('*')
  const own_origin = addresses.public_url && originIn(addresses.public_url)
  const origins = new Set([...public_urls.map(originIn), ...(allowed_origins ?? [])])

  /**
   * True if the Host header names this service. A page can point its own name to this machine (DNS
   * rebinding), but then the browser sends that name.
   */
  function isOurHost(authority: string | undefined): boolean {
    if (authority === undefined) return false
    if (isLoopbackAuthority(authority)) return true
    const [, host = ''] = /^([^\s/?#@\\]*?)(?::\d{1,5})?$/.exec(authority.toLowerCase()) ?? []
    if (host === '') return false
    return names.has(host) || (certificate !== undefined && isNamed(certificate, host))
  }

  return {
    isOurHost,
    /** True if the page of this origin comes from here: from this Host, or the public address. */
    isOwnOrigin: (origin: string, authority: string): boolean =>
      [`${certificate ? 'https' : 'http'}://${authority}`, own_origin].includes(origin),
    /** True if a page of this origin may call the API. Programs send no origin, and may, too. */
    isAllowedOrigin: (origin: string | undefined): boolean => {
      if (origin === undefined || is_open || origins.has(origin)) return true
      return (
        URL.canParse(origin) &&
        new URL(origin).protocol === 'https:' &&
        isOurHost(new URL(origin).host)
      )
    },
  }
}

function isNamed(certificate: X509Certificate, host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  const found = isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare)
  return found !== undefined
}

/** The address in the form that browsers write into a Host header, without the port. */
function asInUrl(address: string): string {
  const bare = address.replace(/%.*$/, '')
  return new URL(`http://${bare.includes(':') ? `[${bare}]` : bare}`).hostname
}
