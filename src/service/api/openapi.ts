import { stringify } from 'yaml'
import { z } from 'zod'
import { errorBody } from '../../contract/envelope.ts'
import { error_statuses } from '../../contract/errors.ts'
import { idPattern } from '../../contract/identifiers.ts'
import type { Route } from '../../contract/routes/route.ts'
import { errorExamples, errorResponsesOf, type Json, sharedErrorResponses } from './openapi-errors.ts'

/**
 * Describes the interface in OpenAPI 3.1. The same table of routes and the same schemas check the
 * requests, so the description always matches what the service accepts.
 */
export function describeInterface(routes: readonly Route[], server_url: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) }
  }
  schemaOf(z.object({ error: errorBody }), 'output', schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assistant API',
      version: '1.0.0',
      description: introduction,
    },
    servers: [{ url: server_url }],
    paths,
    components: {
      schemas,
      responses: sharedErrorResponses(),
      examples: errorExamples(),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'pat_ and 32 characters' },
      },
    },
  }
}

const introduction = `Files become assets, assets are asked about in chats.

Every call but this description sends X-API-Key; every call that is about a project sends X-Project-Id besides. Every error
answer is the error object; branch on its code, of which there are: ${Object.keys(error_statuses).join(', ')}.

Lists: after_id gives the items after that one in list order. before_id is our reading of the specification, whose words cannot
walk back on a newest-first list: the page next to that item on the other side, in list order, has_more then meaning that there are
further items before these.`

function operationOf(route: Route, schemas: Json): Json {
  const parameters = [
    ...(route.scoped ? [projectParameter()] : []),
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
  ]
  return {
    operationId: route.id.replace('.', '_'),
    summary: route.summary,
    tags: [route.id.split('.')[0]],
    ...(route.auth ? { security: [{ key: [] }] } : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.request ? { requestBody: requestBodyOf(route.request, schemas) } : {}),
    responses: responsesOf(route, schemas),
  }
}

function projectParameter(): Json {
  return {
    name: 'X-Project-Id',
    in: 'header',
    required: true,
    schema: { type: 'string', pattern: idPattern('project').source },
    example: 'project_4f7k2m9q0x3c8v1b6n5z',
  }
}

function parametersOf(schema: Route['params'], place: 'path' | 'query', schemas: Json): Json[] {
  if (!schema) return []
  // The output schema has the bounds of a number that arrives as a string. Only the input schema
  // says which parameters are required.
  const { properties = {} } = schemaOf(schema, 'output', schemas) as { properties?: Json }
  const { required = [] } = schemaOf(schema, 'input', schemas) as { required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBodyOf(schema: z.ZodType, schemas: Json): Json {
  return {
    required: !schema.safeParse(undefined).success,
    content: { 'application/json': contentOf(schema, 'input', schemas) },
  }
}

function responsesOf(route: Route, schemas: Json): Json {
  const responses: Json = {}
  for (const [status, schema] of Object.entries(route.answers)) {
    const media_type = route.media_type ?? 'application/json'
    responses[status] = {
      description: status_texts[status] ?? 'Done',
      ...(schema ? { content: { [media_type]: contentOf(schema, 'output', schemas) } } : {}),
    }
  }
  return { ...responses, ...errorResponsesOf(route) }
}

const status_texts: Record<string, string> = { 200: 'Done', 201: 'Made', 202: 'Accepted', 204: 'Done, without a body' }

function contentOf(schema: z.ZodType, direction: Direction, schemas: Json): Json {
  const described = schemaOf(schema, direction, schemas)
  return { schema: described, example: exampleOf(described, schemas) }
}

/** Clients send input, the service answers output. Output schemas always rule out other fields. */
type Direction = 'input' | 'output'

/** A schema as JSON Schema. Schemas with an id go to `schemas` and are referenced. */
function schemaOf(schema: z.ZodType, direction: Direction, schemas: Json): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: direction })).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  )
  const { $schema: _, $defs, ...own } = JSON.parse(text) as Json & { $defs?: Json }
  Object.assign(schemas, $defs)
  return own
}

interface Shape {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  examples?: readonly unknown[]
  minimum?: number
  properties?: Record<string, Shape>
  items?: Shape
  oneOf?: readonly { required?: readonly string[] }[]
  allOf?: readonly Shape[]
}

/**
 * A complete example of a schema, made from the examples of its parts (`.meta({ examples })` in the
 * contract). Of alternatives it takes the first. A part without an example becomes a plain text or
 * the lowest number.
 */
function exampleOf(schema: Shape, schemas: Json): unknown {
  if (schema.$ref !== undefined) return exampleOf(schemas[schema.$ref.split('/').at(-1)!] as Shape, schemas)
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema, schemas)
    case 'array':
      return schema.items ? [exampleOf(schema.items, schemas)] : []
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    default:
      return schema.allOf?.[0] ? exampleOf(schema.allOf[0], schemas) : 'Some words.'
  }
}

function exampleOfObject({ properties = {}, oneOf = [] }: Shape, schemas: Json): Json {
  const left_out = oneOf.slice(1).flatMap(({ required = [] }) => required)
  const shown = Object.entries(properties).filter(([name]) => !left_out.includes(name))
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas)]))
}

/** Texts (not keys) are in double quotes, so that no reader takes one for a number or a keyword. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    aliasDuplicateObjects: false,
    lineWidth: 0,
  })
}
