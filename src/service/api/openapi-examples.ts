import type { Json } from './openapi-errors.ts'

interface Content {
  schema: Shape
  example?: unknown
}

interface Described {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Json }
}

interface Operation {
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content & { examples?: unknown }> }>
}

/** Gives each request and each success its example. Call it again after a change of schemas. */
export function addExamples(document: Json): void {
  const { paths, components } = document as unknown as Described
  for (const { requestBody, responses } of Object.values(paths).flatMap((operations) =>
    Object.values(operations),
  )) {
    const answers = Object.values(responses).flatMap(({ content = {} }) => Object.values(content))
    for (const content of [...Object.values(requestBody?.content ?? {}), ...answers]) {
      // Errors have an example for each code.
      if (!('examples' in content)) content.example = exampleOf(content.schema, components.schemas)
    }
  }
}

interface Shape {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  'x-extensible-enum'?: readonly unknown[]
  examples?: readonly unknown[]
  minimum?: number
  properties?: Record<string, Shape>
  items?: Shape
  oneOf?: readonly { required?: readonly string[] }[]
  allOf?: readonly Shape[]
}

/**
 * A complete example of a schema, made from the examples of its parts (`.meta({ examples })` in the
 * contract). Of alternatives it takes the first.
 */
function exampleOf(schema: Shape, schemas: Json): unknown {
  if (schema.$ref !== undefined)
    return exampleOf(schemas[schema.$ref.split('/').at(-1)!] as Shape, schemas)
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values) return values[0]
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
