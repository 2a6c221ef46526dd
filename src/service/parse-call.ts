import type { HttpRequest } from '../base/http-server-app.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { Route } from '../contract/route.ts'
import { fault } from './faults.ts'

export interface ParsedCall {
  params: unknown
  query: unknown
  body: unknown
}

interface Issue {
  path: PropertyKey[]
  message: string
}

/** Path, query and body by the schemas of the route; what does not fit is a 400 that names the fields. */
export function parseCall(route: Route, request: HttpRequest): ParsedCall {
  return {
    params: parse(route.params, request.params, () => 'publicapi.path.invalid'),
    query: parse(route.query, request.query, () => 'publicapi.query.invalid'),
    body: parse(route.request, request.body, (issue) => bodyCode(route, issue)),
  }
}

function parse(schema: Route['params'], value: unknown, codeOf: (issue: Issue | undefined) => ErrorCode): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw fault(codeOf(result.error.issues[0]), sentence(result.error.issues))
}

function bodyCode(route: Route, issue: Issue | undefined): ErrorCode {
  return route.field_codes?.[String(issue?.path[0])] ?? 'publicapi.body.invalid'
}

const issues_most = 5
const sentence_longest = 500

function sentence(issues: readonly Issue[]): string {
  const parts = issues.slice(0, issues_most).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`
  })
  return parts.join('; ').slice(0, sentence_longest)
}
