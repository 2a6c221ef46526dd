import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Route } from '../../../src/contract/routes/route.ts'
import { routes } from '../../../src/contract/routes/routes.ts'
import { describeInterface, toYaml } from '../../../src/service/api/openapi.ts'
import { start } from '../fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Document = any

async function description(): Promise<Document> {
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
  for (const route of routes as readonly Route[]) {
    const operation = document.paths[route.path][route.method.toLowerCase()]
    const by_key = route.auth ? ['401'] : []
    const by_id = route.scoped || route.params ? ['404'] : []
    const statuses = [
      ...Object.keys(route.answers),
      '400',
      ...by_key,
      ...by_id,
      '429',
      '500',
      '503',
    ]
    expect(Object.keys(operation.responses), route.id).toEqual(statuses)
    expect(operation.security).toEqual(route.auth ? [{ key: [] }] : [])
    const in_header = (operation.parameters ?? []).filter(
      (parameter: { in: string }) => parameter.in === 'header',
    )
    expect(in_header.length, route.id).toBe(route.scoped ? 1 : 0)
    const in_path = (operation.parameters ?? []).filter(
      (parameter: { in: string }) => parameter.in === 'path',
    )
    expect(in_path.map(({ name }: { name: string }) => `{${name}}`)).toEqual(
      route.path.match(/\{\w+\}/g) ?? [],
    )
  }
})

test('A-29 it says openly that before_id is our own reading', async () => {
  const document = await description()
  expect(document.info.description).toContain('before_id is our reading')
  const list = document.paths['/v1/assets'].get.parameters.find(
    ({ name }: { name: string }) => name === 'before_id',
  )
  expect(list.schema.description).toContain('Our reading')
})

test('every reference in it leads to a definition', async () => {
  const document = await description()
  const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
  expect(references.length).toBeGreaterThan(20)
  for (const reference of new Set(references)) {
    const [, group = '', name = ''] = /#\/components\/(\w+)\/([\w.]+)/.exec(reference) ?? []
    expect(document.components[group], reference).toHaveProperty([name])
  }
})

/** Every schema of the document, with its place. */
function* schemasIn(document: Document): Generator<[string, Document]> {
  function* below(schema: Document, at: string): Generator<[string, Document]> {
    yield [at, schema]
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      yield* below(inner, `${at}.${name}`)
    for (const key of ['items', 'additionalProperties']) {
      if (typeof schema[key] === 'object') yield* below(schema[key], `${at} ${key}`)
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      for (const [index, inner] of (schema[key] ?? []).entries())
        yield* below(inner, `${at} ${key} ${index}`)
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas))
    yield* below(schema, name)
  for (const [at, { schema }] of contentsIn(document)) yield* below(schema, at)
  for (const [path, operations] of Object.entries<Document>(document.paths)) {
    for (const operation of Object.values<Document>(operations)) {
      for (const { name, schema } of operation.parameters ?? [])
        yield* below(schema, `${path} ${name}`)
    }
  }
}

/** Every body that is sent or answered, with its place. */
function* contentsIn(document: Document): Generator<[string, Document]> {
  for (const [path, operations] of Object.entries<Document>(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries<Document>(operations)) {
      for (const content of Object.values(requestBody?.content ?? {}))
        yield [`${method} ${path} body`, content]
      for (const [status, response] of Object.entries<Document>(responses)) {
        for (const content of Object.values(response.content ?? {}))
          yield [`${method} ${path} ${status}`, content]
      }
    }
  }
  for (const [name, { content }] of Object.entries<Document>(document.components.responses)) {
    yield [name, content['application/json']]
  }
}

test('A-02 no schema in it is empty', async () => {
  const document = await description()
  let schemas = 0
  for (const [at, schema] of schemasIn(document)) {
    schemas += 1
    const says_something = Object.keys(schema).some(
      (key) => !['description', 'examples', 'default'].includes(key),
    )
    expect(says_something, at).toBe(true)
  }
  expect(schemas).toBeGreaterThan(100)
})

/** A schema, and all that it refers to. */
function* reached(document: Document, schema: Document): Generator<Document> {
  if (typeof schema !== 'object' || schema === null) return
  if (typeof schema.$ref === 'string')
    yield* reached(document, document.components.schemas[schema.$ref.split('/').at(-1)])
  if (!Array.isArray(schema)) yield schema
  for (const inner of Object.values(schema)) yield* reached(document, inner)
}

test('A-03 what is sent has no other fields; what is answered can get more, and its status other values', async () => {
  const document = await description()
  const counts = { sent: 0, answered: 0 }
  for (const [at, { schema }] of contentsIn(document)) {
    const is_sent = at.endsWith('body')
    for (const each of reached(document, schema)) {
      if (is_sent) expect(each, at).not.toHaveProperty('x-extensible-enum')
      else if (each.properties?.status)
        expect(each.properties.status, at).not.toHaveProperty('enum')
      if (each.type !== 'object') continue
      counts[is_sent ? 'sent' : 'answered'] += 1
      // A map says what its values are.
      const is_map =
        typeof each.additionalProperties === 'object' &&
        Object.keys(each.additionalProperties).length > 0
      if (!is_map) expect(each.additionalProperties, at).toBe(is_sent ? false : undefined)
    }
  }
  expect(counts.sent).toBeGreaterThan(20)
  expect(counts.answered).toBeGreaterThan(100)
  expect(document.components.schemas.Asset.properties.status['x-extensible-enum']).toContain(
    'ready',
  )
})

test('A-21 a status beyond the specification says that it is ours', async () => {
  const document = await description()
  const of_specification = ['200', '201', '202', '400', '401', '404', '500']
  for (const [path, operations] of Object.entries<Document>(document.paths)) {
    for (const { responses } of Object.values<Document>(operations)) {
      for (const [status, response] of Object.entries<Document>(responses)) {
        const { description: text } = response.$ref
          ? document.components.responses[`Error${status}`]
          : response
        expect(text.includes('of ours'), `${path} ${status}: ${text}`).toBe(
          !of_specification.includes(status),
        )
      }
    }
  }
})

test('A-02 every request, answer and error has an example that fits its schema', async () => {
  const document = await description()
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'description')
  const absolute = (schema: Document) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/'))
  let examples = 0
  for (const [at, { schema, example, examples: several }] of contentsIn(document)) {
    const values: unknown[] = several
      ? Object.keys(several).map((code) => document.components.examples[code].value)
      : [example]
    expect(values.length, at).toBeGreaterThan(0)
    const validate = ajv.compile(absolute(schema))
    for (const value of values) {
      expect(value, at).toBeDefined()
      validate(value)
      expect(validate.errors, `${at} ${JSON.stringify(value)}`).toBeNull()
      examples += 1
    }
  }
  expect(examples).toBeGreaterThan(200)
})

test('A-02 the schemas of the routes accept the examples of requests', () => {
  for (const route of routes as readonly Route[]) {
    if (!route.request) continue
    const operation: Document = describeInterface([route], 'http://127.0.0.1')
    const { example } =
      operation.paths[route.path][route.method.toLowerCase()].requestBody.content[
        'application/json'
      ]
    expect(
      route.request.safeParse(example).error,
      `${route.id} ${JSON.stringify(example)}`,
    ).toBeUndefined()
  }
})

test('D-08 the schema itself asks for exactly one of schedule and trigger', async () => {
  const document = await description()
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'description')
  for (const name of ['ActionCreate', 'ActionUpdate']) {
    const fits = ajv.getSchema(`description#/components/schemas/${name}`)!
    const { schedule, ...rest } =
      document.paths['/v1/actions'].post.requestBody.content['application/json'].example
    const trigger = { kind: 'asset_ready' }
    expect(schedule).toBeDefined()
    expect(
      [
        { ...rest, schedule },
        { ...rest, trigger },
      ].map((body) => fits(body)),
    ).toEqual([true, true])
    expect([rest, { ...rest, schedule, trigger }].map((body) => fits(body))).toEqual([false, false])
  }
})

test('any JSON written as YAML reads back unchanged', () => {
  const value = {
    plain: 'text',
    odd: [
      'yes',
      'no',
      '1',
      '1.0',
      'null',
      '',
      ' lead',
      'a: b',
      '# c',
      'line\nbreak',
      '\u2028',
      "'",
      '"',
      'ä',
    ],
    empty: { list: [], object: {} },
    nested: [[1, [2]], { a: [{ b: null }], on: true, 200: false, 'a b': 1.5, '': 'no name' }],
  }
  expect(parse(toYaml(value))).toEqual(value)
})
