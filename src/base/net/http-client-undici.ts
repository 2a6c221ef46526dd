import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Agent, EnvHttpProxyAgent } from 'undici'

// undici's index also loads fetch, WebSockets, caches and mocks, which slows each start. So only
// its agent is loaded. package.json pins the version, because undici may move its files.

// undici parses HTTP heads in WebAssembly. After some answers, V8 of Node 20 would optimise one
// huge function of it: 30 MB and 0.1 s for no gain in 20,000 answers. Newer versions wait longer.
if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=2000000000')

export const PlainAgent = createRequire(import.meta.url)(
  'undici/lib/dispatcher/agent.js',
) as typeof Agent

/** Only the index adds the methods that a proxy needs, so a proxy loads all of undici. */
export function loadProxyAgent(): typeof EnvHttpProxyAgent {
  return (createRequire(import.meta.url)('undici') as typeof import('undici')).EnvHttpProxyAgent
}
