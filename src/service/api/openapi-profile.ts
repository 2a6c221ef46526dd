import { type Limits, maxLengthOf } from '../limits.ts'
import type { Profile } from '../options.ts'
import type { Json } from './openapi-errors.ts'
import { addExamples } from './openapi-examples.ts'

interface ObjectSchema extends Json {
  properties: Record<string, Json>
  required: string[]
}

interface Described extends Json {
  info: Json & { description: string }
  paths: Record<string, Record<string, Json>>
  components: Json & { schemas: Record<string, ObjectSchema> }
}

/**
 * Changes the OpenAPI description where answers of this profile differ from the default ones (E-01,
 * E-03, E-08, E-10). Returns a copy.
 */
export function describeProfile(document: Json, profile: Profile): Json {
  const described = structuredClone(document) as Described
  const { schemas } = described.components
  if (profile.messages_by_id) {
    for (const name of ['Message', 'MessageReference']) keyById(schemas[name]!)
  }
  if (!profile.says_why_failed) {
    for (const name of ['Asset', 'AssetListItem']) delete schemas[name]!.properties.error
    delete schemas.IngestError
  }
  const has_blanks = profile.blank_codes.size > 0
  if (has_blanks) {
    const code = schemas.Error!.properties.code!
    code.pattern = `^$|${String(code.pattern)}`
  }
  visit(described, ({ properties }) => {
    const { status, code } = (properties ?? {}) as Record<string, Json>
    extend(status?.['x-extensible-enum'], 'ingesting', profile.status_on_the_way)
    if (has_blanks) extend(code?.enum, 'publicapi.body.invalid', '')
  })
  addExamples(described)
  return described
}

function keyById(message: ObjectSchema): void {
  const { message_id, status: _, ...others } = message.properties
  message.properties = { id: message_id!, ...others }
  message.required = [
    'id',
    ...message.required.filter((name) => name !== 'message_id' && name !== 'status'),
  ]
}

function visit(value: unknown, see: (schema: Json) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) see(value as Json)
  for (const inner of Object.values(value)) visit(inner, see)
}

/** Adds `value` to `values` if this is a list that contains `known` but not `value`. */
function extend(values: unknown, known: string, value: string): void {
  if (Array.isArray(values) && values.includes(known) && !values.includes(value)) values.push(value)
}

/** Adds the limits of this service: lengths in the body schemas, the others in the introduction. */
export function describeLimits(document: Json, limits: Limits): Json {
  const described = structuredClone(document) as Described
  described.info.description += `\n\n${sentences(limits)}`
  for (const operation of Object.values(described.paths).flatMap((operations) =>
    Object.values(operations),
  )) {
    narrow(bodySchemaOf(operation, described.components.schemas), limits)
  }
  return described
}

function sentences({ body_bytes, requests_per_minute }: Limits): string {
  const rate =
    requests_per_minute === 0
      ? 'Requests are not limited.'
      : `Each key may send ${requests_per_minute} requests a minute, evenly spread. Further requests are answered with 429, and Retry-After has the seconds to wait.`
  return `Limits of this service: a body has at most ${body_bytes} bytes. ${rate}`
}

function bodySchemaOf(operation: Json, schemas: Json): Json {
  const body = operation.requestBody as { content: Record<string, { schema: Json }> } | undefined
  const schema = body?.content['application/json']?.schema ?? {}
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined
  return name === undefined ? schema : (schemas[name] as Json)
}

function narrow(schema: Json, limits: Limits): void {
  for (const [field, property] of Object.entries(
    (schema.properties ?? {}) as Record<string, Json>,
  )) {
    const max_length = maxLengthOf(field, limits)
    if (max_length !== undefined && typeof property.maxLength === 'number') {
      property.maxLength = Math.min(max_length, property.maxLength)
    }
  }
}
