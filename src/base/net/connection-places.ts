import { isIP, SocketAddress } from 'node:net'

/** The places of a server: each connection takes a file descriptor of the process. */
export interface ConnectionPlaces {
  max: number
  /** Limit of one address, so that one client never takes all; absent: none. */
  max_an_address?: number
  /** True for an address that many clients share, such as that of a proxy: it has no own limit. */
  isShared?: (address: string | undefined) => boolean
  /** Bodies are small: a new connection may take the place of one whose body is not complete. */
  has_small_bodies: boolean
}

/** An open connection, as far as it matters for its place. */
export interface HeldPlace {
  /** Undefined: counted with no others. */
  network: string | undefined
  /** The newest request; undefined while its headers have not arrived. */
  request: { complete: boolean } | undefined
  /** Requests that have no whole answer yet. */
  open_requests: number
}

/**
 * The place of a new connection: `free`, that of another one, which is closed, or `none`. A request
 * in progress keeps its place, so silent connections cannot keep others out. `held` is in the order
 * of the last request. The first without any request goes, then one that is idle after its answer,
 * whose client may be about to send the next one.
 */
export function placeFor<Held extends HeldPlace>(
  network: string | undefined,
  held: readonly Held[],
  { max, max_an_address = Number.POSITIVE_INFINITY, has_small_bodies }: ConnectionPlaces,
): Held | 'free' | 'none' {
  const own = network === undefined ? [] : held.filter((place) => place.network === network)
  const is_own_limit = own.length >= max_an_address
  if (!is_own_limit && held.length < max) return 'free'
  const places = is_own_limit ? own : held
  return (
    places.find(({ request }) => !request) ??
    places.find(({ open_requests }) => open_requests === 0) ??
    places.find(({ request }) => has_small_bodies && !request?.complete) ??
    'none'
  )
}

/**
 * The network that an address counts for: itself, and of IPv6 the first 64 bits, because one client
 * has so many addresses (RFC 4291, section 2.5.4). A dual-stack socket shows IPv4 as
 * `::ffff:10.0.0.1`.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return plain
  const usual = new SocketAddress({ address: plain, family: 'ipv6' }).address
  if (/^::ffff:\d+\./.test(usual)) return usual.slice('::ffff:'.length)
  const [before = [], after] = usual.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = after ? Array(8 - before.length - after.length).fill('0') : []
  return [...before, ...zeros, ...(after ?? [])].slice(0, 4).join(':')
}
