import { BlockList, isIP } from 'node:net'

const ipv4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/**
 * True if a `URL.hostname` is this machine: only there is plain http safe, and no proxy is used.
 * `URL` writes IPv4 addresses in dotted form (WHATWG URL, host parsing). Names below `localhost` do
 * not count: a resolver may send them anywhere.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || ipv4.test(hostname)
}

/**
 * The same for a `Host` header as sent. A web page whose name points to this machine (DNS
 * rebinding) still sends that name. It cannot fake an address, which browsers write as here.
 */
export function isLoopbackAuthority(text: string): boolean {
  const [, host] = /^(.*?)(?::\d{1,5})?$/.exec(text) ?? []
  return host !== undefined && isLoopbackHost(host.toLowerCase())
}

const this_machine = new BlockList()
this_machine.addSubnet('127.0.0.0', 8)
this_machine.addAddress('::1', 'ipv6')

/** True for an address of this machine alone, also as a dual-stack socket shows IPv4. */
export function isLoopbackAddress(address: string): boolean {
  return isWithin(this_machine, address)
}

/** A dual-stack socket shows an IPv4 address below `::ffff:`, which counts as the same address. */
export function isWithin(ranges: BlockList, address: string): boolean {
  return ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Node shows only the first of several Host headers; a proxy in between may use another one. */
export function hasOneHost({ rawHeaders }: { readonly rawHeaders: readonly string[] }): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length === 1
}
