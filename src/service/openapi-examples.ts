type Json = { [key: string]: unknown }

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
 * A whole example of a schema, put together from the examples of its parts (`.meta({ examples })` in the contract); of what can
 * only be there alone, the first. A part without an example is a plain word or the least number.
 */
export function exampleOf(schema: Shape, schemas: Json): unknown {
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
