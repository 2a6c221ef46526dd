import type { Profile } from './profile.ts'

type Json = { [key: string]: unknown }

interface ObjectSchema extends Json {
  properties: Record<string, Json>
  required: string[]
}

/** The description of the interface as this profile answers it: what differs from the specification stands in it as it is (E-01, E-03, E-08). */
export function describeProfile(document: Json, profile: Profile): Json {
  const described = structuredClone(document) as { components: { schemas: Record<string, ObjectSchema> } } & Json
  const { schemas } = described.components
  if (profile.messages_by_id) for (const name of ['Message', 'MessageReference']) keyById(schemas[name]!)
  for (const { properties = {} } of Object.values(schemas)) {
    const { status } = properties
    if (status?.enum && isOfAsset(status.enum)) addTo(status.enum, profile.status_on_the_way)
  }
  if (profile.blank_codes.size > 0) allowBlankCodes(described)
  return described
}

function keyById(message: ObjectSchema): void {
  const { message_id, status: _, ...others } = message.properties
  message.properties = { id: message_id!, ...others }
  message.required = ['id', ...message.required.filter((name) => name !== 'message_id' && name !== 'status')]
}

function isOfAsset(values: unknown): values is string[] {
  return Array.isArray(values) && values.includes('ingesting')
}

function addTo(values: string[], value: string): void {
  if (!values.includes(value)) values.push(value)
}

/** Wherever a code is described, whether by its pattern or as one of a list. */
function allowBlankCodes(described: Json & { components: { schemas: Record<string, ObjectSchema> } }): void {
  const code = described.components.schemas.Error!.properties.code!
  code.pattern = `^$|${String(code.pattern)}`
  visit(described, (schema) => {
    const { properties } = schema as { properties?: Record<string, Json> }
    const codes = properties?.code?.enum
    if (Array.isArray(codes) && codes.some((one) => one === 'publicapi.body.invalid')) addTo(codes, '')
  })
}

function visit(value: unknown, see: (schema: Json) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) see(value as Json)
  for (const inner of Object.values(value)) visit(inner, see)
}
