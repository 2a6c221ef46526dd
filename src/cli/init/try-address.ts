import { createHttpClient, type ProxyVariables } from '../../base/net/http-client.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms, within } from '../../base/time/time.ts'

/** A user waits for it. A service that is there answers within a second, also over a slow line. */
const wait_ms = 3 * second_ms
const timeouts = { connect_ms: wait_ms, answer_ms: wait_ms, body_ms: wait_ms, stall_ms: wait_ms }
/** The status says enough. */
const max_body_bytes = 4_096

/**
 * Asks an address once for its projects without a token, which a service refuses with 401.
 * Returns why it may be the wrong address; undefined if it is that of a service. A certificate that
 * is not trusted is no reason: a later question is about its authority.
 */
export async function addressTrouble(
  base_url: string,
  tools: { ca: string | undefined; proxy: ProxyVariables; clock: Clock },
): Promise<string | undefined> {
  const url = new URL(`${base_url.replace(/\/+$/, '')}/v1/projects`)
  const http = createHttpClient({ ...tools, connections: 1, timeouts, max_body_bytes })
  try {
    const asked = http.request({ method: 'GET', url, headers: {} })
    const answer = await within(asked, wait_ms, tools.clock)
    if (answer === undefined) return `${url.host} gave no answer within 3 s`
    if (answer.status === 401) return undefined
    return `${url.host} answers, but not as a service with this interface (status ${answer.status} for GET ${url.pathname})`
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return error.code === 'network.tls' ? undefined : error.message.replace(/^GET /, '')
  } finally {
    // Cuts the request that is late.
    await http.close()
  }
}
