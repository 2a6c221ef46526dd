import { createHttpClient, type HttpRequest, type HttpResponse, type ProxyVariables } from '../base/http-client.ts'
import { type Clock, second_ms } from '../base/time.ts'

export interface OutsideHostOptions {
  /** The whole call, from the first byte sent to the last one read. */
  timeout_ms: number
  max_body_bytes: number
  connections: number
  proxy?: ProxyVariables | undefined
  clock: Clock
}

/** A host that the service itself asks. No redirect is followed, so that a key reaches the host it was given for and no other. */
export interface OutsideHost {
  /** Errors: `network.…`, and what the caller's signal makes of it. */
  ask(request: Omit<HttpRequest, 'signal'>, signal: AbortSignal): Promise<HttpResponse>
  close(): Promise<void>
}

const connect_ms = 10 * second_ms

export function openOutsideHost({
  timeout_ms,
  max_body_bytes,
  connections,
  proxy,
  clock,
}: OutsideHostOptions): OutsideHost {
  const silence_ms = { answer_ms: timeout_ms, body_ms: timeout_ms, stall_ms: timeout_ms }
  const timeouts = { connect_ms: Math.min(connect_ms, timeout_ms), ...silence_ms }
  const http = createHttpClient({ connections, max_body_bytes, timeouts, proxy, clock })
  return {
    async ask(request, signal) {
      // Each piece in time is not the whole in time: a host that sends a byte a minute would never end.
      const late = new AbortController()
      const over = new AbortController()
      void clock.sleep(timeout_ms, over.signal).then(() => late.abort())
      try {
        return await http.request({ ...request, signal: AbortSignal.any([signal, late.signal]) })
      } catch (error) {
        if (late.signal.aborted && !signal.aborted) throw new Error(`no whole answer within ${timeout_ms} ms`)
        throw error
      } finally {
        over.abort()
      }
    },
    close: () => http.close(),
  }
}
