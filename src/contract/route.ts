import type { z } from 'zod'
import type { ErrorCode } from './error-codes.ts'

/** One call of the interface. The service registers its handlers, and the description is made, from these. */
export interface Route {
  id: string
  /** Updates are POST: the interface has no PATCH and no PUT. */
  method: 'GET' | 'POST' | 'DELETE'
  /** In the form of OpenAPI: parameters in braces. */
  path: string
  summary: string
  /** Whether the call needs X-API-Key. */
  auth: boolean
  /** Whether the call needs X-Project-Id besides. */
  scoped: boolean
  params?: z.ZodType
  query?: z.ZodType
  /** The body; a schema that accepts `undefined` accepts an empty one. Without it a body is not looked at. */
  request?: z.ZodType
  /** Answers by status; `null` is an answer without a body. */
  answers: { readonly [status: number]: z.ZodType | null }
  /** Of the answers, where it is not application/json. */
  media_type?: string
  /** Faults of what the call is about; those of HTTP, key, project, path, query and body follow from the rest of the row. */
  errors?: readonly ErrorCode[]
  /** The code for a fault in this field of the body, where it has one of its own. */
  field_codes?: { readonly [field: string]: ErrorCode }
}

/** Who a route asks about: nobody, a key, a key and a project. */
export const open = { auth: false, scoped: false } as const
export const keyed = { auth: true, scoped: false } as const
export const scoped = { auth: true, scoped: true } as const
