import { createRequire } from 'node:module'
import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici'

/**
 * The parts of undici that a request needs. Its index loads fetch, WebSockets, caches and mocks as well, which each start of a command
 * would pay for. Files of a package may move with its next version; this one is pinned, and what moved would be missing at once.
 */

export const PlainAgent = createRequire(import.meta.url)('undici/lib/dispatcher/agent.js') as typeof Agent

const request = createRequire(import.meta.url)('undici/lib/api/api-request.js') as (
  this: Dispatcher,
  options: Dispatcher.RequestOptions,
) => Promise<Dispatcher.ResponseData>

/** What `dispatcher.request` does; the index is what would make a method of it. */
export function requestThrough(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return request.call(dispatcher, options)
}

/** A proxy is spoken to through methods that only the index adds, so whoever has one loads all of it. */
export function loadProxyAgent(): typeof EnvHttpProxyAgent {
  return (createRequire(import.meta.url)('undici') as typeof import('undici')).EnvHttpProxyAgent
}
