import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Clock } from '../base/time/time.ts'
import type { ErrorBody } from '../contract/envelope.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { RouteId } from '../contract/routes/routes.ts'
import { sendXml } from './blobs/refusals.ts'
import { takeRequest, whole } from './limits.ts'

/** The kind of a request. `put`: the PUT to the blob store. `unknown`: an unknown path. */
export type Place = RouteId | 'put' | 'unknown'

export interface Failure {
  /** The kind of request that fails. Absent: every request, also on unknown paths. */
  route?: RouteId | 'put'
  status: number
  /** True: only requests for a later page of a list fail, those with `after_id`. */
  later_pages?: boolean
  /** Every n-th of the matching requests fails. */
  every?: number
  /** Only the first n matching requests fail. */
  times?: number
  retry_after_s?: number
  /** Replaces the code of the error object. */
  code?: string
  /** The form of the body. `error`: the error object, or XML for a PUT. Others: as of a proxy. */
  body?: 'error' | 'html' | 'string' | 'empty'
  /** True: no answer, the connection is cut. */
  drop_connection?: boolean
  /** `after`: the work is done and kept, only the answer is replaced or lost. Absent: `before`. */
  when?: 'before' | 'after'
}

/** Faults that the service injects; none by default. */
export const injected_faults = z.object({
  /** Each request waits this long before any work. */
  latency_ms: whole(0).optional(),
  failures: z.custom<readonly Failure[]>().optional(),
  /** Requests to the API by all callers together; the next one is answered 429 with Retry-After. */
  requests_per_minute: whole(1).optional(),
  /** True: open connections are cut, and new ones at once. */
  down: z.boolean().optional(),
  /** The number of answers of the assistant that fail next. Their turns end in `error`. */
  failed_answers: whole(0).optional(),
  /** Fields that every read of a message shows in place of its own, once its turn has ended. */
  turn_shows: z.object({ status: z.string(), response: z.string() }).optional(),
})

export type InjectedFaults = z.output<typeof injected_faults>
export type FaultInjection = ReturnType<typeof openFaultInjection>

export function openFaultInjection(start: InjectedFaults, clock: Clock) {
  let current: InjectedFaults = start
  let counts: number[] = []
  const bucket = { allowance: 1, refilled_ms: clock.monotonic_ms() }

  /** The seconds to wait if the request is one too many, else undefined. */
  function wait(place: Place): number | undefined {
    const { requests_per_minute } = current
    if (requests_per_minute === undefined || place === 'put') return undefined
    // The bucket holds the requests of one second: steady callers pass, and bursts have to wait.
    return takeRequest(
      bucket,
      requests_per_minute,
      Math.max(1, requests_per_minute / 60),
      clock.monotonic_ms(),
    )
  }

  function nextFailure(place: Place, is_later_page: boolean): Failure | undefined {
    let found: Failure | undefined
    current.failures?.forEach((failure, index) => {
      if (failure.route !== undefined && failure.route !== place) return
      if (failure.later_pages && !is_later_page) return
      const count = (counts[index] ?? 0) + 1
      counts[index] = count
      if (failure.times !== undefined && count > failure.times) return
      if (failure.every !== undefined && count % failure.every !== 0) return
      found ??= failure
    })
    return found
  }

  return {
    get current(): InjectedFaults {
      return current
    },
    /** Changes the named faults and keeps the rest. New failures count their requests from 0. */
    set(change: InjectedFaults): void {
      current = { ...current, ...change }
      if (change.failures) counts = []
    },
    /**
     * Waits for the injected latency. Returns the injected failure of this request, if any. Call it
     * once per request, because it counts.
     */
    async meet(place: Place, is_later_page = false): Promise<Failure | undefined> {
      const { latency_ms = 0 } = current
      if (latency_ms > 0) await clock.sleep(latency_ms)
      const wait_s = wait(place)
      return wait_s === undefined
        ? nextFailure(place, is_later_page)
        : { status: 429, retry_after_s: wait_s }
    },
    /** True if this answer of the assistant must fail. Call it once for each, because it counts. */
    failsAnswer(): boolean {
      const { failed_answers = 0 } = current
      if (failed_answers > 0) current = { ...current, failed_answers: failed_answers - 1 }
      return failed_answers > 0
    },
  }
}

/** The error code for an injected status, if the failure names none. */
const codes: Record<number, ErrorCode> = {
  401: 'publicapi.auth.invalid',
  404: 'publicapi.tenancy.project.not_found',
  429: 'publicapi.rate.limited',
  500: 'publicapi.internal.failed',
}

const by_order = 'This answer comes from the fault injection of the local service.'

export function sendFailure(
  response: ServerResponse,
  failure: Failure,
  entry: { place: Place; status: number },
): void {
  const { status, retry_after_s, body = 'error', drop_connection = false } = failure
  entry.status = drop_connection ? 0 : status
  if (drop_connection) {
    response.socket?.destroy()
    return
  }
  const headers: Record<string, string> =
    retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }
  if (entry.place === 'put' && body === 'error') {
    sendXml(response, status, 'ServerBusy', by_order, headers)
    return
  }
  const { type, text } = formOf(failure)
  if (type !== undefined) headers['content-type'] = type
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function formOf({ status, body = 'error', code }: Failure): { type?: string; text: string } {
  switch (body) {
    case 'empty':
      return { text: '' }
    case 'html':
      return {
        type: 'text/html',
        text: `<!doctype html><title>${status}</title><h1>${by_order}</h1>`,
      }
    case 'string':
      return { type: 'application/json', text: JSON.stringify(by_order) }
    case 'error': {
      const fallback =
        status >= 500 ? 'publicapi.service.unavailable' : 'publicapi.request.malformed'
      const error: ErrorBody = {
        code: code ?? codes[status] ?? fallback,
        humane: by_order,
        statusCode: status,
      }
      return { type: 'application/json; charset=utf-8', text: JSON.stringify(error) }
    }
  }
}
