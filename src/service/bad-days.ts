import type { RouteId } from '../contract/routes.ts'
import { takeRequest } from './rate-limit.ts'

/** A request by what it is: a call of the interface, the PUT to the blob store, or nothing that is served. */
export type Place = RouteId | 'put' | 'unknown'

export interface Failure {
  /** Absent: every call and the PUT. */
  route?: RouteId | 'put'
  status: number
  /** Of the matching requests, every n-th one fails. */
  every?: number
  /** Only the first n matching requests fail. */
  times?: number
  retry_after_s?: number
  /** Replaces the code of the error object. */
  code?: string
  /** The form of the answer: the contract's error object, or what proxies and gateways send in its place. */
  body?: 'error' | 'html' | 'string' | 'empty'
  /** No answer at all: the connection is cut. */
  drop_connection?: boolean
  /** `after`: the work is done and kept, only the answer is replaced or lost. */
  when?: 'before' | 'after'
}

/** What can go wrong on purpose, all off by default. */
export interface BadDays {
  /** Each request waits this long before anything is done. */
  latency_ms?: number
  failures?: readonly Failure[]
  /** Of the API, over all callers; what comes above is answered 429 with Retry-After. */
  requests_per_minute?: number
  /** Connections are cut, new ones as soon as they are made. */
  down?: boolean
  /** So many of the next answers fail: their turns end in `error`. */
  failed_answers?: number
}

export const no_bad_days: BadDays = {}

export interface BadDaysJudge {
  readonly current: BadDays
  /** Changes what is named, keeps the rest; new failures count their requests from 0. */
  set(change: BadDays): void
  /** The failure that this request runs into, if any. Called once per request: it counts. */
  failureFor(place: Place): Failure | undefined
  /** Seconds to wait when the request is one too many. Called once per request: it counts. */
  limitFor(place: Place): number | undefined
  /** Whether the answer that is about to be written fails. Called once per answer: it counts. */
  failsAnswer(): boolean
}

export function judgeBadDays(start: BadDays, monotonic_ms: () => number): BadDaysJudge {
  let current: BadDays = start
  let counts: number[] = []
  const bucket = { allowance: 1, refilled_ms: monotonic_ms() }

  return {
    get current() {
      return current
    },
    set(change) {
      current = { ...current, ...change }
      if (change.failures) counts = []
    },
    failureFor(place) {
      let found: Failure | undefined
      current.failures?.forEach((failure, index) => {
        if (failure.route !== undefined && failure.route !== place) return
        const count = (counts[index] ?? 0) + 1
        counts[index] = count
        if (failure.times !== undefined && count > failure.times) return
        if (failure.every !== undefined && count % failure.every !== 0) return
        found ??= failure
      })
      return found
    },
    limitFor(place) {
      const { requests_per_minute } = current
      if (requests_per_minute === undefined || place === 'put') return undefined
      // A bucket that holds one second's worth: steady callers pass, bursts are told to wait.
      return takeRequest(bucket, requests_per_minute, Math.max(1, requests_per_minute / 60), monotonic_ms())
    },
    failsAnswer() {
      const { failed_answers = 0 } = current
      if (failed_answers > 0) current = { ...current, failed_answers: failed_answers - 1 }
      return failed_answers > 0
    },
  }
}
