const ipv4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/**
 * Whether a URL's host is this machine: the only ones where plain http is safe, and which no proxy is asked for. Takes
 * `URL.hostname`, where every spelling of an IPv4 address is already in dotted form (WHATWG URL, host parsing). Names below
 * `localhost` do not count: a resolver may send them anywhere.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || ipv4.test(hostname)
}

/**
 * The same of a `Host` header as it was sent, which is not read as a URL: nothing but a host and a port is meant there. A page
 * in a browser that has its own name point to this machine (DNS rebinding) still sends that name; addresses it cannot fake, for a
 * browser writes them as they are here, whatever way they were spelled.
 */
export function isLoopbackAuthority(text: string): boolean {
  const [, host] = /^(.*?)(?::\d{1,5})?$/.exec(text) ?? []
  return host !== undefined && isLoopbackHost(host.toLowerCase())
}
