import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Agent, EnvHttpProxyAgent } from 'undici'

/**
 * The parts of undici that a request needs. Its index loads fetch, WebSockets, caches and mocks as well, which each start of a command
 * would pay for. Files of a package may move with its next version; this one is pinned, and what moved would be missing at once.
 */

// undici reads HTTP by WebAssembly. After some answers V8 of Node 20 would optimise one huge function of it, which takes 30 MB of memory and
// 0.1 s, and makes 20,000 answers no faster; newer ones wait longer by themselves. Only heads go through that function, not bodies.
if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=2000000000')

export const PlainAgent = createRequire(import.meta.url)('undici/lib/dispatcher/agent.js') as typeof Agent

/** A proxy is spoken to through methods that only the index adds, so whoever has one loads all of it. */
export function loadProxyAgent(): typeof EnvHttpProxyAgent {
  return (createRequire(import.meta.url)('undici') as typeof import('undici')).EnvHttpProxyAgent
}
