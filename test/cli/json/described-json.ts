import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const page = readFileSync(fileURLToPath(new URL('../../../docs/json.md', import.meta.url)), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: a schema may have any keyword
export type Schema = Record<string, any>

/** The schemas of docs/json.md by their `$id`. */
export const schemas = new Map<string, Schema>(
  [...page.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, text]) => {
    const schema = JSON.parse(text!)
    return [schema.$id, schema]
  }),
)

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  allErrors: true,
})
addFormats.default(ajv)
for (const schema of schemas.values()) ajv.addSchema(schema)

/**
 * Lists what docs/json.md does not say of this answer; empty where the schema fits. `name`: of a
 * command, or a reference to a part, such as `status.json#/properties/audits`.
 */
export function undescribed(name: string, answer: unknown): string[] {
  const id = name.includes('#') ? name : `${name}.json`
  const validate = ajv.getSchema(id)
  if (validate === undefined) return [`docs/json.md has no schema ${id}`]
  if (validate(answer)) return []
  return validate.errors!.map(({ instancePath, message, params }) => {
    return `${name}${instancePath} ${message} ${JSON.stringify(params)}`
  })
}
