import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '../base/net/loopback.ts'

/** Host and port of an address, or undefined for a Unix socket. */
export function hostAndPort(text: string): { host: string; port: number } | undefined {
  const { host, port } =
    /^(?<host>\[[\da-f:]+\]|[\d.]+):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {}
  if (host === undefined || isIP(host.replace(/^\[|\]$/g, '')) === 0 || Number(port) > 65_535)
    return undefined
  return { host, port: Number(port) }
}

/** True if only this machine can reach the address. */
export function isLocalListen(text: string): boolean {
  return isLoopbackHost(hostAndPort(text)?.host ?? 'localhost')
}

/** True if the text is an IP address or a range such as 10.0.0.0/8. All addresses are no proxy. */
export function isRange(text: string): boolean {
  if (/\/0+$/.test(text)) return false
  try {
    addRange(new BlockList(), text)
    return true
  } catch {
    return false
  }
}

export function addRange(ranges: BlockList, text: string): void {
  const [address = '', bits] = text.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (bits === undefined) ranges.addAddress(address, family)
  else ranges.addSubnet(address, /^\d+$/.test(bits) ? Number(bits) : -1, family)
}
