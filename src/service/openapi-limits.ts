import { type Limits, longestOf } from './limit-options.ts'

type Json = { [key: string]: unknown }

interface Described extends Json {
  info: Json & { description: string }
  paths: Record<string, Record<string, Json>>
  components: Json & { schemas: Json }
}

/** The description of the interface with the limits of this service: narrower lengths in the bodies, the rest in words. */
export function describeLimits(document: Json, limits: Limits): Json {
  const described = structuredClone(document) as Described
  described.info.description += `\n\n${sentences(limits)}`
  for (const operations of Object.values(described.paths)) {
    for (const operation of Object.values(operations)) {
      narrow(bodySchemaOf(operation, described.components.schemas), limits)
    }
  }
  return described
}

function sentences({ body_bytes, requests_per_minute }: Limits): string {
  const rate =
    requests_per_minute === 0
      ? 'Requests are not limited.'
      : `Each key has ${requests_per_minute} requests a minute, spread evenly; one too many is answered 429, and Retry-After says how many seconds to wait.`
  return `Limits of this service: a body has at most ${body_bytes} bytes. ${rate}`
}

function bodySchemaOf(operation: Json, schemas: Json): Json {
  const body = operation.requestBody as { content: Record<string, { schema: Json }> } | undefined
  const schema = body?.content['application/json']?.schema ?? {}
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined
  return name === undefined ? schema : (schemas[name] as Json)
}

function narrow(schema: Json, limits: Limits): void {
  for (const [field, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
    const longest = longestOf(field, limits)
    if (longest !== undefined && typeof property.maxLength === 'number') {
      property.maxLength = Math.min(longest, property.maxLength)
    }
  }
}
