import { type EventEmitter, once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as startTls } from 'node:tls'
import { type ProxyVariables, trusting } from './http-client.ts'
import { isLoopbackHost } from './loopback.ts'
import { networkFault, translateNetworkError } from './network-fault.ts'

export interface ConnectOptions {
  ca?: string | undefined
  proxy: URL | undefined
  signal: AbortSignal
}

/**
 * Connects as a request would, TLS included, but sends no request. Answers when the host's
 * certificate ends, Unix ms; undefined for plain http. Errors: as from the HTTP client.
 */
export async function tryConnection(
  url: URL,
  { ca, proxy, signal }: ConnectOptions,
): Promise<number | undefined> {
  const going = { method: 'connect', host: url.host }
  let socket: Socket | undefined
  try {
    socket =
      proxy === undefined ? await openPlain(url, signal) : await openTunnel(proxy, url, ca, signal)
    if (url.protocol !== 'https:') return undefined
    const tls = startTls({
      socket,
      // SNI carries no IP addresses (RFC 6066, 3).
      ...(isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
      host: bareHost(url),
      ...trusting(ca),
    })
    socket = tls
    await happened(tls, 'secureConnect', signal)
    return Date.parse(tls.getPeerCertificate().valid_to)
  } catch (error) {
    throw signal.aborted ? networkFault('timeout', going) : translateNetworkError(error, going)
  } finally {
    socket?.destroy()
  }
}

/** The HTTP client's proxy for a URL, if any. Reads `no_proxy` as undici's EnvHttpProxyAgent. */
export function proxyFor(url: URL, proxy: ProxyVariables | undefined): URL | undefined {
  const { http_proxy = '', https_proxy = '', no_proxy = '' } = proxy ?? {}
  const address = url.protocol === 'https:' ? https_proxy || http_proxy : http_proxy
  if (address === '' || isLoopbackHost(url.hostname) || !URL.canParse(address)) return undefined
  return isExcepted(url, no_proxy) ? undefined : new URL(address)
}

function isExcepted(url: URL, no_proxy: string): boolean {
  if (no_proxy === '*') return true
  const port = String(portOf(url))
  return no_proxy
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, host = '', only_port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (only_port !== undefined && only_port !== port) return false
      const suffix = host.replace(/^\*?\./, '')
      return url.hostname === suffix || url.hostname.endsWith(`.${suffix}`)
    })
}

async function openPlain(url: URL, signal: AbortSignal): Promise<Socket> {
  const socket = connectPlain({ host: bareHost(url), port: portOf(url) })
  try {
    await happened(socket, 'connect', signal)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Tunnels through CONNECT (RFC 9110, 9.3.6), which proxies require for https. */
async function openTunnel(
  proxy: URL,
  url: URL,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const login = Buffer.from(
    `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`,
  )
  const asked = request({
    method: 'CONNECT',
    host: bareHost(proxy),
    port: portOf(proxy),
    path: `${url.hostname}:${portOf(url)}`,
    headers:
      proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${login.toString('base64')}` },
    signal,
    ...trusting(ca),
  })
  asked.end()
  // Node reports every answer to CONNECT by this event, whatever its status.
  const [{ statusCode = 0 }, socket] = (await happened(asked, 'connect', signal)) as [
    IncomingMessage,
    Socket,
  ]
  if (statusCode >= 200 && statusCode < 300) return socket
  socket.destroy()
  throw networkFault('proxy', { method: 'connect', host: url.host }, `status ${statusCode}`)
}

/** Waits for an event. A later error, as from a destroyed socket, must not end the process. */
function happened(emitter: EventEmitter, event: string, signal: AbortSignal): Promise<unknown[]> {
  emitter.on('error', () => {})
  return once(emitter, event, { signal })
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** The host without the brackets of an IPv6 address. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
