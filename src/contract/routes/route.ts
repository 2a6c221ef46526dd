import { z } from 'zod'
import { listQuery, noBody } from '../envelope.ts'
import { type ErrorCode, isKnownCode } from '../errors.ts'
import { idSchema } from '../field-schemas.ts'
import type { IdKind } from '../identifiers.ts'

/** One call of the interface. The service's routes and the OpenAPI description come from these. */
export interface Route {
  id: string
  /** Updates use POST: the interface has no PATCH and no PUT. */
  method: 'GET' | 'POST' | 'DELETE'
  /** A path as in OpenAPI, with parameters in braces. */
  path: string
  summary: string
  /** True if the call needs X-API-Key. */
  auth: boolean
  /** True if the call also needs X-Project-Id. */
  scoped: boolean
  params?: z.ZodType | undefined
  query?: z.ZodType
  /**
   * The schema of the body; one that accepts `undefined` accepts an empty body. Absent: the handler
   * gets no body.
   */
  request?: z.ZodType
  /** Schemas of the successful answers by status; `null` is an answer without a body. */
  answers: { readonly [status: number]: z.ZodType | null }
  /** The media type of the answers; absent for application/json. */
  media_type?: string
  /**
   * Error codes about the call's own subject. The codes for HTTP, key, project, path, query and
   * body follow from the other fields.
   */
  errors?: readonly ErrorCode[]
  /** Codes that replace `publicapi.body.invalid` if the fault is in these fields of the body. */
  field_codes?: { readonly [field: string]: ErrorCode }
  /** A path parameter, such as `label_id`. The call also succeeds if its id is unknown. */
  may_be_gone?: string
}

type Details = Omit<Route, 'id' | 'method' | 'path' | 'summary' | 'auth' | 'scoped' | 'params'>

/** The names of the parameters in a path. */
export type ParamsIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never

/** Make routes: `open` ones need no key, `keyed` ones a key, `scoped` ones a key and a project. */
export const open = routeFor({ auth: false, scoped: false })
export const keyed = routeFor({ auth: true, scoped: false })
export const scoped = routeFor({ auth: true, scoped: true })

/**
 * Returns a function that makes a route from its row. Each parameter of a path is an id, such as
 * `{asset_id}`. Its kind gives the schema and the error code for an unknown id.
 */
function routeFor<const Who extends Pick<Route, 'auth' | 'scoped'>>(who: Who) {
  return <
    const Id extends string,
    Method extends Route['method'],
    Path extends string,
    const More extends Details,
  >(
    id: Id,
    call: `${Method} ${Path}`,
    summary: string,
    details: More,
  ) => {
    const [method, path] = call.split(' ') as [Method, Path]
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const kinds = names.map((name) => name.replace('_id', '') as IdKind)
    const params = Object.fromEntries(kinds.map((kind) => [`${kind}_id`, idSchema(kind)]))
    const unknown = kinds.filter((kind) => `${kind}_id` !== details.may_be_gone)
    return {
      ...who,
      ...details,
      id,
      method,
      path,
      summary,
      ...(names.length > 0 ? { params: z.strictObject(params) } : {}),
      errors: [
        ...unknown.map((kind) => `publicapi.${kind}.not_found`).filter(isKnownCode),
        ...(details.errors ?? []),
      ],
    }
  }
}

/** Further errors of calls: `write` of create and update, `change` of all that change a thing. */
interface CrudErrors {
  write?: readonly ErrorCode[]
  change?: readonly ErrorCode[]
}

interface CrudSchemas {
  create: z.ZodType
  update: z.ZodType
  record: z.ZodType
  list: z.ZodType
}

/** The calls list, create, read, update and delete of one group, such as `skills.list`. */
export function crudRoutes<
  const Group extends string,
  const Kind extends IdKind,
  Schemas extends CrudSchemas,
>(group: Group, kind: Kind, schemas: Schemas, { write = [], change = [] }: CrudErrors = {}) {
  const { create, update, record, list }: Pick<Schemas, keyof CrudSchemas> = schemas
  const path = `/v1/${group}` as const
  const one = `${path}/{${kind}_id}` as const
  const query = listQuery(kind)
  return [
    scoped(`${group}.list`, `GET ${path}`, `List ${group}, newest first`, {
      query,
      answers: { 200: list },
    }),
    scoped(`${group}.create`, `POST ${path}`, `Make one of the ${group}`, {
      request: create,
      answers: { 201: record },
      errors: write,
    }),
    scoped(`${group}.read`, `GET ${one}`, `Read one of the ${group}`, { answers: { 200: record } }),
    scoped(`${group}.update`, `POST ${one}`, `Change one of the ${group}`, {
      request: update,
      answers: { 200: record },
      errors: [...write, ...change],
    }),
    scoped(`${group}.delete`, `DELETE ${one}`, `Delete one of the ${group}`, {
      answers: { 204: null },
      errors: change,
    }),
  ] as const
}

/** The two calls to enable and disable a thing. A repeated call gives the same answer. */
export function switchRoutes<
  const Group extends string,
  const Kind extends IdKind,
  Record extends z.ZodType,
>(group: Group, kind: Kind, record: Record, errors: readonly ErrorCode[] = []) {
  const one = `/v1/${group}/{${kind}_id}` as const
  const details = { request: noBody, answers: { 200: record } }
  return [
    scoped(`${group}.enable`, `POST ${one}/enable`, `Enable one of the ${group}`, details),
    scoped(`${group}.disable`, `POST ${one}/disable`, `Disable one of the ${group}`, {
      ...details,
      errors,
    }),
  ] as const
}
