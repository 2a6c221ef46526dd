import { stringify } from 'yaml'
import { z } from 'zod'
import { errorBody } from '../../contract/envelope.ts'
import { api_errors } from '../../contract/errors.ts'
import { idPattern } from '../../contract/identifiers.ts'
import type { Route } from '../../contract/routes/route.ts'
import {
  errorExamples,
  errorResponsesOf,
  type Json,
  sharedErrorResponses,
} from './openapi-errors.ts'
import { addExamples } from './openapi-examples.ts'

/**
 * Describes the interface in OpenAPI 3.1. The same table of routes and the same schemas check the
 * requests, so the description always matches what the service accepts.
 */
export function describeInterface(routes: readonly Route[], server_url: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, schemas),
    }
  }
  schemaOf(z.object({ error: errorBody }), 'output', schemas)
  const document = {
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
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'pat_ and 32 characters',
        },
      },
    },
  }
  addExamples(document)
  return document
}

const introduction = `Files become assets, assets are asked about in chats.

Every call but this description sends X-API-Key; every call that is about a project sends X-Project-Id besides. Every error
answer is the error object; branch on its code, of which there are: ${Object.keys(api_errors).join(', ')}.

Answers can get further fields, and their status and state further values: ignore a field that you do not know, and take such a
status as "still going". The HTTP statuses 204, 429 and 503 are ours, beyond the specification.

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
    content: { 'application/json': { schema: schemaOf(schema, 'input', schemas) } },
  }
}

function responsesOf(route: Route, schemas: Json): Json {
  const responses: Json = {}
  for (const [status, schema] of Object.entries(route.answers)) {
    const media_type = route.media_type ?? 'application/json'
    responses[status] = {
      description: status_texts[status] ?? 'Done',
      ...(schema
        ? { content: { [media_type]: { schema: schemaOf(schema, 'output', schemas) } } }
        : {}),
    }
  }
  return { ...responses, ...errorResponsesOf(route) }
}

const status_texts: Record<string, string> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted',
  204: 'Done, without a body (a status of ours)',
}

/** Clients send `input`, which has no other fields. The service's `output` can get more. */
type Direction = 'input' | 'output'

/** A schema as JSON Schema. Schemas with an id go to `schemas` and are referenced. */
function schemaOf(schema: z.ZodType, direction: Direction, schemas: Json): Json {
  const described = z.toJSONSchema(schema, {
    io: direction,
    override: direction === 'output' ? keepOpen : () => {},
  })
  const text = JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/')
  const { $schema: _, $defs, ...own } = JSON.parse(text) as Json & { $defs?: Json }
  Object.assign(schemas, $defs)
  return own
}

/** Zod rules out other fields of any object that is answered. Only strict ones mean it. */
function keepOpen({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: Json
}): void {
  const { def } = zodSchema._zod
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties
  if ('x-extensible-enum' in jsonSchema) delete jsonSchema.enum
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
