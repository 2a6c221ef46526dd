import { BlockList, isIP } from 'node:net'
import { type ConnectionPlaces, networkOf } from '../../base/net/connection-places.ts'
import type { HttpRequest } from '../../base/net/http-server-app.ts'
import {
  hasOneHost,
  isLoopbackAddress,
  isLoopbackAuthority,
  isWithin,
} from '../../base/net/loopback.ts'
import { SluiceError } from '../../base/run/errors.ts'
import type { Config } from '../../config/config.ts'
import { addRange } from '../../config/listen.ts'
import { max_connections } from '../../config/open-files.ts'
import type { PageLog } from '../page-tools.ts'
import type { Trier } from './slow-down.ts'

type PageConfig = Config['page']

/**
 * Refuses requests that are not meant for this page: another Host (a name on the Internet that
 * leads here, DNS rebinding), and forms of other pages (Origin, RFC 6454). `for_agents`: agents
 * send no Origin, only browsers do. Error `page.not_for_you`.
 */
export function refuseStrangers(
  { method, url, headers, raw }: HttpRequest,
  page: PageConfig,
  for_agents: boolean,
): void {
  const { host = '', origin } = headers
  const own = page.base_url === undefined ? undefined : new URL(page.base_url)
  // Fastify also takes /%73luice/ and http://elsewhere/. These have no sessions and no safe links.
  const [path = ''] = url.split(/[?#]/)
  if (
    !`${path}/`.startsWith(`${own?.pathname.replace(/\/+$/, '') ?? ''}/`) ||
    path.startsWith('//')
  )
    throw unknownAddress()
  const is_ours =
    host === own?.host || isLoopbackAuthority(host) || (own === undefined && isAddress(host))
  if (!hasOneHost(raw) || !is_ours)
    throw strange('this page is not served under this name', 'set page.base_url to it')
  if (method === 'GET' || method === 'HEAD' || (for_agents && origin === undefined)) return
  const origins = [own?.origin, `http://${host}`, `https://${host}`]
  if (origin !== undefined && origins.includes(origin)) return
  if (for_agents)
    throw strange('an agent sends no Origin, or that of this page', 'leave the header Origin out')
  throw strange('the form is not of this page', 'load the page again, and send the form from there')
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) > 0
}

export function unknownAddress(): SluiceError {
  const hint = 'the link may be old or mistyped'
  return new SluiceError({
    code: 'http.path_unknown',
    message: 'there is no page at this address',
    hint,
  })
}

function strange(message: string, hint: string): SluiceError {
  return new SluiceError({ code: 'page.not_for_you', message, hint })
}

/** A client of the Unix socket has no address; it counts as listed. */
function listCheck(listen: string, listed: readonly string[]) {
  const ranges = new BlockList()
  for (const range of listed) addRange(ranges, range)
  return (address: string | undefined) =>
    address === undefined ? listen.startsWith('unix:') : isWithin(ranges, address)
}

/** True for an address that many clients may share: that of a proxy, or of this machine. */
function createSharedCheck({ listen, proxy }: PageConfig) {
  const isListed = listCheck(listen, proxy.from)
  return (address: string | undefined) => isLoopbackAddress(address ?? '') || isListed(address)
}

/** A browser opens six connections, and an office may share one address. */
const max_connections_an_address = 50

export function pagePlaces(page: PageConfig): ConnectionPlaces {
  return {
    max: max_connections.page,
    max_an_address: max_connections_an_address,
    isShared: createSharedCheck(page),
    has_small_bodies: true,
  }
}

/**
 * Names the client whose wrong passwords are counted together. All users of a listed proxy share
 * its address, so the address that it names last counts instead. An address that another client
 * names does not count: it could be a new one each time. `client`: undefined if many may share it.
 */
export function createClientNames(page: PageConfig) {
  const isListed = listCheck(page.listen, page.proxy.from)
  const isShared = createSharedCheck(page)
  return ({ headers, socket: { remoteAddress } }: HttpRequest): Trier => {
    const named = isListed(remoteAddress) ? lastForwarded(headers) : ''
    if (named !== '') return { client: networkOf(named), shared: [] }
    return remoteAddress === undefined || isShared(remoteAddress)
      ? { client: undefined, shared: [`from ${remoteAddress}`] }
      : { client: networkOf(remoteAddress), shared: [] }
  }
}

/** The client that the last proxy names, without the port that some proxies add; empty: none. */
function lastForwarded(headers: HttpRequest['headers']): string {
  const last = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
  return last.trim().replace(/^\[|\](:\d+)?$|(?<=\.\d+):\d+$/g, '')
}

/**
 * Logs once that a proxy of this machine passes requests on without being listed. Another address
 * does not count: anybody can send the header, and should not get listed for it.
 */
export function createProxyNote(page: PageConfig, log: PageLog) {
  const isListed = listCheck(page.listen, page.proxy.from)
  let is_noted = false
  return ({ headers, socket: { remoteAddress: from } }: HttpRequest): void => {
    if (is_noted || headers['x-forwarded-for'] === undefined) return
    if (from === undefined || !isLoopbackAddress(from) || isListed(from)) return
    is_noted = true
    const message = `a proxy passes requests on from ${from}, which page.proxy.from does not list: the page takes all its users for one client; sluice doctor has the setting`
    log({ level: 'warn', message })
  }
}

/**
 * Refuses who reaches the page over a network without TLS, past the proxy that has it: passwords
 * and reports would go in the clear. Error `page.not_for_you`.
 */
export function createWayCheck(page: PageConfig) {
  const isSafe = createSharedCheck(page)
  return ({ socket }: HttpRequest): void => {
    if (page.tls_cert === undefined && !isSafe(socket.remoteAddress))
      throw strange('this page is served by its proxy only', 'use the address of the proxy')
  }
}

/** Decides whose headers name a user. */
export function createProxyCheck({ listen, proxy }: PageConfig) {
  const isListed = listCheck(listen, proxy.from)

  /** User and groups that a listed proxy names, or undefined. A doubled header counts as none. */
  return ({ raw, socket }: HttpRequest): { user: string; groups: string[] } | undefined => {
    const onlyValue = (name: string | undefined) => {
      const is_named = (at: number) => raw.rawHeaders[at]!.toLowerCase() === name?.toLowerCase()
      const values = raw.rawHeaders.filter((_value, at) => at % 2 === 1 && is_named(at - 1))
      return values.length === 1
        ? Buffer.from(values[0]!, 'latin1').toString('utf8').trim()
        : undefined
    }
    const user = isListed(socket.remoteAddress) ? onlyValue(proxy.user_header) : undefined
    if (!user) return undefined
    const groups = onlyValue(proxy.groups_header)?.split(',') ?? []
    return { user, groups: groups.map((group) => group.trim()).filter((group) => group !== '') }
  }
}
