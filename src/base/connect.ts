import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { rootCertificates, connect as startTls, type TLSSocket } from 'node:tls'
import type { ProxyVariables } from './http-client.ts'
import { isLoopbackHost } from './loopback.ts'
import { networkFault, translateNetworkError } from './network-fault.ts'

export interface Connected {
  /** Host and port of the proxy that the way led through. */
  proxy: string | undefined
  /** Of the host's certificate, Unix milliseconds; undefined for plain http. */
  certificate: { valid_from_ms: number; valid_to_ms: number } | undefined
}

export interface ConnectOptions {
  ca?: string | undefined
  proxy?: ProxyVariables | undefined
  signal: AbortSignal
}

/**
 * Opens a connection to the URL's host as a request would, TLS included, and closes it: nothing is asked. Errors:
 * `network.<reason>`, as those of the HTTP client.
 */
export async function tryConnection(url: URL, { ca, proxy, signal }: ConnectOptions): Promise<Connected> {
  const going = { method: 'connect', host: url.host }
  const way = proxyFor(url, proxy)
  let socket: Socket | undefined
  const stop = () => socket?.destroy(new Error('stopped'))
  signal.addEventListener('abort', stop)
  try {
    socket = way === undefined ? await openPlain(url, signal) : await openTunnel(way, url, ca, signal)
    if (url.protocol !== 'https:') return { proxy: way?.host, certificate: undefined }
    const tls = startTls({
      socket,
      // Of an address there is no name to send (RFC 6066, 3).
      ...(isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
      host: bareHost(url),
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    })
    socket = tls
    await opened(tls, 'secureConnect', signal)
    const { valid_from, valid_to } = tls.getPeerCertificate()
    return {
      proxy: way?.host,
      certificate: { valid_from_ms: Date.parse(valid_from), valid_to_ms: Date.parse(valid_to) },
    }
  } catch (error) {
    throw signal.aborted ? networkFault('timeout', going) : translateNetworkError(error, going)
  } finally {
    signal.removeEventListener('abort', stop)
    socket?.destroy()
  }
}

/** The proxy that the variables name for a URL, by the rules that undici has (EnvHttpProxyAgent): exact hosts, suffixes, ports, *. */
export function proxyFor(url: URL, proxy: ProxyVariables | undefined): URL | undefined {
  const { http_proxy = '', https_proxy = '', no_proxy = '' } = proxy ?? {}
  const address = url.protocol === 'https:' ? https_proxy || http_proxy : http_proxy
  if (address === '' || isLoopbackHost(url.hostname) || !URL.canParse(address)) return undefined
  return isExcepted(url, no_proxy) ? undefined : new URL(address)
}

function isExcepted(url: URL, no_proxy: string): boolean {
  if (no_proxy === '*') return true
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
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
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = connectPlain({ host: bareHost(url), port })
  await opened(socket, 'connect', signal)
  return socket
}

/** CONNECT (RFC 9110, 9.3.6), as proxies want it for https. */
function openTunnel(proxy: URL, url: URL, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const login = Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`)
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      host: bareHost(proxy),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
      headers: proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${login.toString('base64')}` },
      signal,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    })
    const refuse = (status = 0) =>
      reject(networkFault('proxy', { method: 'connect', host: url.host }, `status ${status}`))
    asked.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket as Socket)
      socket.destroy()
      refuse(statusCode)
    })
    asked.once('response', (answer) => {
      answer.destroy()
      refuse(answer.statusCode)
    })
    asked.once('error', reject)
    asked.end()
  })
}

function opened(socket: Socket | TLSSocket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(new Error('stopped'))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', stop)
      settle()
    }
    socket.once(event, () => end(resolve))
    socket.once('error', (error) => end(() => reject(error)))
    socket.once('close', () => end(() => reject(new Error('closed'))))
  })
}

/** Without the brackets of an IPv6 address. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
