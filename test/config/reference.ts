import { z } from 'zod'
import { config_schema } from '../../src/config/schema/schema.ts'
import { who_sets_it } from './who-sets-it.ts'

/** One field of the configuration file, as docs/config.md shows it. */
export interface FieldReference {
  /** `folders[].settle_ms` */
  name: string
  default_text: string | undefined
  description: string
  is_section: boolean
  /** The earlier section that describes the fields of this one; undefined where it has its own. */
  same_as?: string
}

/** The JSON Schema of the configuration file, for editors. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(config_schema, { io: 'input', target: 'draft-7' })
  const named = { ...schema, title: 'Sluice configuration', description: 'See docs/config.md.' }
  return `${JSON.stringify(named, null, 2)}\n`
}

/** Every field, in the order of the schema. */
export function fields(): FieldReference[] {
  return fieldsBelow(config_schema, '', new Map())
}

function fieldsBelow(
  schema: z.ZodObject,
  prefix: string,
  seen: Map<object, string>,
): FieldReference[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const section = sectionIn(field)
    const name = `${prefix}${key}${section?.is_list ? '[]' : ''}`
    const reference: FieldReference = {
      name,
      default_text: defaultText(field),
      description: field.description ?? '',
      is_section: section !== undefined,
    }
    // One shape can serve several sections: its fields are described at the first of them.
    const shape = section?.object.shape
    const same_as = shape && seen.get(shape)
    if (same_as) return [{ ...reference, same_as }]
    if (shape) seen.set(shape, name)
    return [reference, ...(section ? fieldsBelow(section.object, `${name}.`, seen) : [])]
  })
}

function sectionIn(schema: z.ZodType): { object: z.ZodObject; is_list: boolean } | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject) return { object: inner, is_list: false }
  if (inner instanceof z.ZodArray && unwrapped(inner.element as z.ZodType) instanceof z.ZodObject) {
    return { object: unwrapped(inner.element as z.ZodType) as z.ZodObject, is_list: true }
  }
  if (inner instanceof z.ZodUnion) {
    // A section of its own (limit) has fields to describe; one among short forms (start) has none.
    const object = (inner.options as z.ZodType[])
      .map(unwrapped)
      .find((option) => option instanceof z.ZodObject)
    const has_descriptions = Object.values(object?.shape ?? {}).every(
      (field) => (field as z.ZodType).description,
    )
    if (object && has_descriptions) return { object, is_list: false }
  }
  return undefined
}

function defaultText(schema: z.ZodType): string | undefined {
  if (!(schema instanceof z.ZodPrefault)) return undefined
  const value = schema._zod.def.defaultValue
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The part of docs/config.md that is made from the schema. */
export function referenceText(): string {
  const rows = fields().map(({ name, default_text, description, is_section, same_as }) => {
    const who = who_sets_it[name] === undefined ? '' : ` *Set by* ${who_sets_it[name]}.`
    const elsewhere = same_as === undefined ? '' : ` Its fields are those of \`${same_as}\`.`
    const text = `${description}${elsewhere}${who}`
    if (!name.includes('.')) return `\n### \`${name}\`\n\n${text}\n`
    const usual = default_text === undefined || is_section ? '' : ` (\`${default_text}\`)`
    return `- **\`${name}\`**${usual}: ${text}`
  })
  return rows.join('\n').replaceAll('\n\n\n', '\n\n').trim()
}

/** The schema of what is written: without defaults, transformations and the like around it. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return unwrapped(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType)
  return schema
}
