import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { error_statuses } from '../../src/contract/error-codes.ts'
import { routes } from '../../src/contract/routes.ts'
import { toYaml } from '../../src/service/yaml-text.ts'
import { start } from './fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
async function description(): Promise<any> {
  const client = await start()
  return parse((await client.get('/v1/openapi.yaml')).body)
}

test('A-02 the description is valid OpenAPI 3.1', async () => {
  const document = await description()
  expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0'])
  const result = await new Validator().validate(document)
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

test('A-02 it describes every call with its answers, its key and its project, and no other', async () => {
  const document = await description()
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
  for (const route of routes) {
    const operation = document.paths[route.path][route.method.toLowerCase()]
    expect(Object.keys(operation.responses)).toEqual([...Object.keys(route.answers), 'default'])
    expect(operation.security).toEqual(route.auth ? [{ key: [] }] : [])
    const in_header = (operation.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'header')
    expect(in_header.length, route.id).toBe(route.scoped ? 1 : 0)
    const in_path = (operation.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'path')
    expect(in_path.map(({ name }: { name: string }) => `{${name}}`)).toEqual(route.path.match(/\{\w+\}/g) ?? [])
  }
})

test('A-29 it says openly that before_id is our reading', async () => {
  const document = await description()
  expect(document.info.description).toContain('before_id is our reading')
  const list = document.paths['/v1/assets'].get.parameters.find(({ name }: { name: string }) => name === 'before_id')
  expect(list.schema.description).toContain('Our reading')
})

test('every reference in it leads somewhere', async () => {
  const document = await description()
  const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
  expect(references.length).toBeGreaterThan(20)
  for (const reference of new Set(references)) {
    const name = /#\/components\/schemas\/(\w+)/.exec(reference)?.[1]
    expect(document.components.schemas, reference).toHaveProperty(name ?? '?')
  }
})

test('A-03 what /v1 offers is never taken back: routes, fields that must be sent, answers and codes', async () => {
  const document = await description()
  const now = { calls: callsOf(document), codes: error_statuses }
  const file = fileURLToPath(new URL('v1.lock.json', import.meta.url))
  if (process.env.SLUICE_WRITE_LOCK) writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`)
  const locked = JSON.parse(readFileSync(file, 'utf8')) as typeof now
  expect(now.codes).toMatchObject(locked.codes)
  for (const [call, { must_send, may_send, statuses, answers }] of Object.entries(locked.calls)) {
    expect(now.calls, call).toHaveProperty([call])
    const current = now.calls[call]!
    // A caller that was right stays right: nothing more is asked for, nothing that could be sent is refused.
    expect(must_send, call).toEqual(expect.arrayContaining(current.must_send))
    expect(current.may_send, call).toEqual(expect.arrayContaining(may_send))
    expect(current.statuses, call).toEqual(statuses)
    expect(current.answers, call).toEqual(expect.arrayContaining(answers))
  }
})

interface LockedCall {
  must_send: string[]
  may_send: string[]
  statuses: string[]
  answers: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
function callsOf(document: any): Record<string, LockedCall> {
  const resolve = (schema: { $ref?: string }) =>
    schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!] : schema
  const calls: Record<string, LockedCall> = {}
  for (const { method, path } of routes) {
    const operation = document.paths[path][method.toLowerCase()]
    const body = resolve(operation.requestBody?.content['application/json'].schema ?? {})
    const query = (operation.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'query')
    const statuses = Object.keys(operation.responses).filter((status) => status !== 'default')
    const answers = statuses.flatMap((status) => {
      const schema = operation.responses[status].content?.['application/json']?.schema
      return Object.keys(schema ? (resolve(schema).properties ?? {}) : {}).map((field) => `${status} ${field}`)
    })
    calls[`${method} ${path}`] = {
      must_send: body.required ?? [],
      may_send: [...Object.keys(body.properties ?? {}), ...query.map(({ name }: { name: string }) => `?${name}`)],
      statuses,
      answers,
    }
  }
  return calls
}

test('YAML of any JSON reads back as it was', () => {
  const value = {
    plain: 'text',
    odd: ['yes', 'no', '1', '1.0', 'null', '', ' lead', 'a: b', '# c', 'line\nbreak', '\u2028', "'", '"', 'ä'],
    empty: { list: [], object: {} },
    nested: [[1, [2]], { a: [{ b: null }], on: true, 200: false, 'a b': 1.5, '': 'no name' }],
  }
  expect(parse(toYaml(value))).toEqual(value)
})
