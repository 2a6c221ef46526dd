import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { api_errors } from '../../src/contract/errors.ts'
import { error_code_pattern } from '../../src/contract/identifiers.ts'
import type { Route } from '../../src/contract/routes/route.ts'
import {
  type ParamsOf,
  type QueryOf,
  type RequestOf,
  routes,
} from '../../src/contract/routes/routes.ts'

const table: readonly Route[] = routes

test('ids and (method, path) are unique, and every path is under /v1', () => {
  expect(new Set(table.map((route) => route.id)).size).toBe(table.length)
  expect(new Set(table.map((route) => `${route.method} ${route.path}`)).size).toBe(table.length)
  for (const route of table) expect(route.path).toMatch(/^\/v1(\/[a-z_.]+|\/\{[a-z_]+\})+$/)
})

test('the parameters of a path and of its schema are the same', () => {
  for (const route of table) {
    const in_path = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const schema = route.params
      ? (z.toJSONSchema(route.params) as { properties: object })
      : { properties: {} }
    expect(Object.keys(schema.properties), route.id).toEqual(in_path)
  }
})

test('creating answers 201 (202 where the answer is written later), deleting 204, all else 200', () => {
  for (const route of table) {
    const statuses = Object.keys(route.answers).map(Number)
    if (route.method === 'DELETE') expect(statuses, route.id).toEqual([204])
    else if (route.id === 'assets.create') expect(statuses).toEqual([200, 201])
    else if (['chats.start', 'messages.append'].includes(route.id)) expect(statuses).toEqual([202])
    else if (/\.(create|attach_label|invite)$/.test(route.id))
      expect(statuses, route.id).toEqual([201])
    else expect(statuses, route.id).toEqual([200])
  }
})

test('only the description needs no key, and only /v1/projects needs no project', () => {
  expect(table.filter((route) => !route.auth).map((route) => route.id)).toEqual([
    'description.read',
  ])
  for (const { auth, scoped, path } of table) {
    if (auth) expect(scoped, path).toBe(!path.startsWith('/v1/projects'))
  }
})

test('every schema can be described as JSON Schema', () => {
  for (const route of table) {
    for (const schema of [
      route.params,
      route.query,
      route.request,
      ...Object.values(route.answers),
    ]) {
      if (schema) expect(z.toJSONSchema(schema, { io: 'input' }), route.id).toBeTypeOf('object')
    }
  }
})

test('a request with an unknown field is refused', () => {
  for (const route of table) {
    if (!route.request) continue
    const codes = route.request
      .safeParse({ nobody_knows: 1 })
      .error?.issues.map((issue) => issue.code)
    expect(codes, route.id).toContain('unrecognized_keys')
  }
})

test('error codes have the form of the contract and a status of it', () => {
  for (const [code, [status]] of Object.entries(api_errors)) {
    expect(code).toMatch(error_code_pattern)
    expect([400, 401, 404, 429, 500, 503], code).toContain(status)
  }
})

test('handlers get parsed types', () => {
  expect(table.find(({ id }) => id === 'assets.read')?.path).toBe('/v1/assets/{asset_id}')
  expectTypeOf<RequestOf<'assets.create'>>().toEqualTypeOf<{
    filename: string
    mime_type: string
    md5?: string | undefined
  }>()
  expectTypeOf<ParamsOf<'assets.detach_label'>>().toEqualTypeOf<{
    asset_id: string
    label_id: string
  }>()
  expectTypeOf<QueryOf<'assets.list'>['limit']>().toEqualTypeOf<number>()
  expectTypeOf<RequestOf<'assets.read'>>().toEqualTypeOf<undefined>()
})
