import type { z } from 'zod'
import { listQuery, noBody } from './envelope.ts'
import { type ErrorCode, isKnownCode } from './error-codes.ts'
import type { IdKind } from './identifiers.ts'
import { scoped } from './route.ts'

interface CrudSchemas {
  params: z.ZodType
  create: z.ZodType
  update: z.ZodType
  record: z.ZodType
  list: z.ZodType
}

/** That there is no such thing, and what a group has besides when something is written. */
function faultsOf(kind: IdKind, more: readonly ErrorCode[] = []): ErrorCode[] {
  return [`publicapi.${kind}.not_found`, ...more].filter(isKnownCode)
}

/** The five calls of a plain group, `{group}.list` to `{group}.delete`; its ids are `{kind}_…`, its things have a word for people. */
export function crudRoutes<const Group extends string, const Kind extends IdKind, Schemas extends CrudSchemas>(
  group: Group,
  kind: Kind,
  { params, create, update, record, list }: Schemas,
  on_write: readonly ErrorCode[] = [],
) {
  type Of<Key extends keyof Schemas> = Schemas[Key]
  const path = `/v1/${group}` as const
  const one = `${path}/{${kind}_id}` as const
  return [
    {
      ...scoped,
      id: `${group}.list`,
      method: 'GET',
      path,
      summary: `List ${group}, newest first`,
      query: listQuery(kind),
      answers: { 200: list as Of<'list'> },
    },
    {
      ...scoped,
      id: `${group}.create`,
      method: 'POST',
      path,
      summary: `Make one of the ${group}`,
      request: create as Of<'create'>,
      answers: { 201: record as Of<'record'> },
      errors: on_write,
    },
    {
      ...scoped,
      id: `${group}.read`,
      method: 'GET',
      path: one,
      summary: `Read one of the ${group}`,
      params: params as Of<'params'>,
      answers: { 200: record as Of<'record'> },
      errors: faultsOf(kind),
    },
    {
      ...scoped,
      id: `${group}.update`,
      method: 'POST',
      path: one,
      summary: `Change one of the ${group}`,
      params: params as Of<'params'>,
      request: update as Of<'update'>,
      answers: { 200: record as Of<'record'> },
      errors: faultsOf(kind, on_write),
    },
    {
      ...scoped,
      id: `${group}.delete`,
      method: 'DELETE',
      path: one,
      summary: `Delete one of the ${group}`,
      params: params as Of<'params'>,
      answers: { 204: null },
      errors: faultsOf(kind),
    },
  ] as const
}

/** The two calls of a group whose things can be switched off; said twice, they answer the same. */
export function switchRoutes<
  const Group extends string,
  const Kind extends IdKind,
  Schemas extends Pick<CrudSchemas, 'params' | 'record'>,
>(group: Group, kind: Kind, { params, record }: Schemas) {
  const one = `/v1/${group}/{${kind}_id}` as const
  const alike = {
    ...scoped,
    method: 'POST',
    params: params as Schemas['params'],
    request: noBody,
    answers: { 200: record as Schemas['record'] },
    errors: faultsOf(kind),
  } as const
  return [
    { ...alike, id: `${group}.enable`, path: `${one}/enable`, summary: `Enable one of the ${group}` },
    { ...alike, id: `${group}.disable`, path: `${one}/disable`, summary: `Disable one of the ${group}` },
  ] as const
}
