import { createHttpClient, type ProxyVariables } from '../../base/net/http-client.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms, within } from '../../base/time/time.ts'
import { parseBaseUrl } from '../../remote/api.ts'

/** A user waits for it. A service that is there answers within a second, also over a slow line. */
const max_wait_ms = 3 * second_ms
/** The status says enough. */
const max_body_bytes = 4_096

/**
 * Asks an address once for its projects without a token, which a service refuses with 401.
 * Returns why it may be the wrong address; undefined if it is that of a service. A certificate that
 * is not trusted is no reason: a later question is about its authority.
 */
export async function addressTrouble(
  base_url: string,
  { ca, proxy, clock }: { ca: string | undefined; proxy: ProxyVariables; clock: Clock },
): Promise<string | undefined> {
  const { origin, prefix } = parseBaseUrl(base_url)
  const url = new URL(`${origin}${prefix}/v1/projects`)
  const timeouts = {
    connect_ms: max_wait_ms,
    answer_ms: max_wait_ms,
    body_ms: max_wait_ms,
    stall_ms: max_wait_ms,
  }
  const http = createHttpClient({ connections: 1, ca, proxy, timeouts, max_body_bytes, clock })
  const ending = new AbortController()
  const { signal } = ending
  try {
    const request = http.request({ method: 'GET', url, headers: {}, signal })
    const answer = await within(request, max_wait_ms, clock)
    if (answer === undefined) return `${url.host} gave no answer within 3 s`
    if (answer.status === 401) return undefined
    return `${url.host} answers, but not as a service with this interface (status ${answer.status} for GET ${url.pathname})`
  } catch (error) {
    if (!isSluiceError(error)) throw error
    if (error.code === 'network.tls') return undefined
    return error.message.replace(/^GET /, '')
  } finally {
    ending.abort()
    await http.close()
  }
}
