import { parse } from 'yaml'

/** One finding of Prism about a request or its answer. */
interface Violation {
  location: string[]
  message: string
}

export interface Watch {
  fetch: (input: string | Request, options?: RequestInit) => Promise<Response>
  /** Returns what Prism found since the last call. */
  takeViolations(): string[]
  /** The calls of the description that were not made. */
  missing(): string[]
}

const real_fetch = fetch

/**
 * Sends what it is given, and keeps what Prism says of it in its header. A request that the service
 * refuses may be wrong on purpose, so only its answer counts.
 */
export function watchCalls(description: string): Watch {
  const { paths } = parse(description) as { paths: Record<string, object> }
  const left = new Set(
    Object.keys(paths).flatMap((path) =>
      Object.keys(paths[path]!).map((method) => `${method} ${path}`),
    ),
  )
  const patterns = Object.keys(paths).map(
    (path) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), path] as const,
  )
  const violations: string[] = []
  return {
    async fetch(input, options) {
      const request = new Request(input, options)
      const response = await real_fetch(request)
      const { pathname } = new URL(request.url)
      const path = patterns.find(([pattern]) => pattern.test(pathname))?.[1]
      left.delete(`${request.method.toLowerCase()} ${path}`)
      const found = JSON.parse(response.headers.get('sl-violations') ?? '[]') as Violation[]
      for (const { location, message } of found) {
        if (location[0] === 'request' && response.status >= 400) continue
        violations.push(
          `${request.method} ${pathname} ${response.status}: ${location.join('.')} ${message}`,
        )
      }
      return response
    },
    takeViolations: () => violations.splice(0),
    missing: () => [...left],
  }
}
