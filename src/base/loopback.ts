/**
 * Whether a URL's host is this machine: the only ones where plain http is safe, and which no proxy is asked for. Takes
 * `URL.hostname`, where every spelling of an IPv4 address is already in dotted form (WHATWG URL, host parsing). Names below
 * `localhost` do not count: a resolver may send them anywhere.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
