import { api_errors, type ErrorCode } from '../../contract/errors.ts'
import type { Route } from '../../contract/routes/route.ts'
import { fillText } from '../faults/humane.ts'
import { asksForRole } from '../store/access.ts'

export type Json = { [key: string]: unknown }

/** Errors of every call: malformed HTTP, the limit on requests, failures of the service. */
const of_every_call: readonly ErrorCode[] = [
  'publicapi.request.malformed',
  'publicapi.rate.limited',
  'publicapi.internal.failed',
  'publicapi.service.unavailable',
]

/** Errors of the body of any POST or DELETE, whatever its route. The body of a GET is not read. */
const of_bodies: readonly ErrorCode[] = [
  'publicapi.body.invalid',
  'publicapi.body.too_large',
  'publicapi.body.media_type',
]

/** Every code that a call can answer with, derived from its row in the table of routes. */
function errorCodesOf(route: Route): ErrorCode[] {
  const { auth, scoped, params, query, method, errors = [], field_codes = {} } = route
  const codes: ErrorCode[] = [...of_every_call]
  if (auth) codes.push('publicapi.auth.invalid')
  if (scoped) codes.push('publicapi.tenancy.project.missing', 'publicapi.tenancy.project.not_found')
  if (scoped && asksForRole(route)) codes.push('publicapi.tenancy.role.insufficient')
  if (params) codes.push('publicapi.path.invalid')
  // Only lists have a query (contract/envelope).
  if (query) codes.push('publicapi.query.invalid', 'publicapi.cursor.unknown')
  if (method !== 'GET') codes.push(...of_bodies)
  return [...new Set([...codes, ...Object.values(field_codes), ...errors])]
}

/** The error answers of a call by status, each with the codes that it can have. */
export function errorResponsesOf(route: Route): Json {
  const by_status = byStatus(errorCodesOf(route))
  return Object.fromEntries(
    Object.entries(by_status).map(([status, codes]) => [
      status,
      status in shared
        ? { $ref: `#/components/responses/Error${status}` }
        : responseOf(Number(status), codes),
    ]),
  )
}

export function sharedErrorResponses(): Json {
  return Object.fromEntries(
    Object.entries(shared).map(([status, codes]) => [
      `Error${status}`,
      responseOf(Number(status), codes),
    ]),
  )
}

function byStatus(codes: readonly ErrorCode[]): Record<string, ErrorCode[]> {
  const by_status: Record<string, ErrorCode[]> = {}
  for (const code of codes)
    by_status[api_errors[code][0]] = [...(by_status[api_errors[code][0]] ?? []), code]
  return by_status
}

const shared = byStatus([
  'publicapi.auth.invalid',
  ...of_every_call.filter((code) => api_errors[code][0] !== 400),
])

function responseOf(status: number, codes: readonly ErrorCode[]): Json {
  return {
    description: error_texts[status] ?? 'An error; its code says what happened',
    ...(status === 429 ? { headers: { 'Retry-After': retry_after } } : {}),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { code: { enum: codes }, statusCode: { const: status } } },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}

/** One example of each error code. The described answers refer to them by `$ref`. */
export function errorExamples(): Json {
  return Object.fromEntries(
    Object.entries(api_errors).map(([code, [status, humane]]) => [
      code,
      { value: { code, humane: fillText(humane, example_values), statusCode: status } },
    ]),
  )
}

/** Values for the placeholders in the texts. */
const example_values = {
  id: 'asset_4f7k2m9q0x3c8v1b6n5z',
  name: 'contract-review',
  needed: 'owner',
  role: 'reader',
  seconds: 30,
}

const error_texts: Record<string, string> = {
  400: 'The request is invalid',
  401: 'The key is missing, malformed, unknown or revoked',
  404: 'This key and project have no such resource',
  429: 'Too many requests: try again later (a status of ours)',
  500: 'The service failed; its log says why',
  503: 'The service is busy: try again later (a status of ours)',
}

const retry_after: Json = {
  description: 'Seconds to wait.',
  schema: { type: 'integer', minimum: 0 },
  example: 30,
}
