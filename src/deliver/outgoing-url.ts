import { isLoopbackHost } from '../base/net/loopback.ts'

/**
 * An address that a report may be sent to, by the rule of the configuration: one that stands in a file was not seen there.
 * Undefined: http to another machine, a user or a password in it, or no address at all.
 */
export function outgoingUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const is_safe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  return is_safe && url.username === '' && url.password === '' ? url : undefined
}
