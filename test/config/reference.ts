import { z } from 'zod'
import { unwrapped } from '../../src/config/faults.ts'
import { config_schema } from '../../src/config/schema.ts'

/** One field of the configuration file, as docs/config.md shows it. */
export interface FieldReference {
  /** `folders[].settle_ms` */
  name: string
  default_text: string | undefined
  description: string
  is_section: boolean
}

/** The JSON Schema of what may be written into the file, for editors. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(config_schema, { io: 'input', target: 'draft-7' })
  const named = { ...schema, title: 'Sluice configuration', description: 'See docs/config.md.' }
  return `${JSON.stringify(named, null, 2)}\n`
}

/** Every field, in the order of the schema. */
export function fields(): FieldReference[] {
  return fieldsBelow(config_schema, '')
}

function fieldsBelow(schema: z.ZodObject, prefix: string): FieldReference[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const section = sectionIn(field)
    const name = `${prefix}${key}${section?.is_list ? '[]' : ''}`
    const reference: FieldReference = {
      name,
      default_text: defaultText(field),
      description: field.description ?? '',
      is_section: section !== undefined,
    }
    return [reference, ...(section ? fieldsBelow(section.object, `${name}.`) : [])]
  })
}

function sectionIn(schema: z.ZodType): { object: z.ZodObject; is_list: boolean } | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject) return { object: inner, is_list: false }
  if (inner instanceof z.ZodArray && unwrapped(inner.element as z.ZodType) instanceof z.ZodObject) {
    return { object: unwrapped(inner.element as z.ZodType) as z.ZodObject, is_list: true }
  }
  if (inner instanceof z.ZodUnion) {
    // Only a section that stands for itself (brake), not one among short forms (start), has fields to describe.
    const object = (inner.options as z.ZodType[]).map(unwrapped).find((option) => option instanceof z.ZodObject)
    const has_descriptions = Object.values(object?.shape ?? {}).every((field) => (field as z.ZodType).description)
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
  const rows = fields().map(({ name, default_text, description, is_section }) => {
    if (!name.includes('.')) return `\n### \`${name}\`\n\n${description}\n`
    const usual = default_text === undefined || is_section ? '' : ` (\`${default_text}\`)`
    return `- **\`${name}\`**${usual}: ${description}`
  })
  return rows.join('\n').replaceAll('\n\n\n', '\n\n').trim()
}
