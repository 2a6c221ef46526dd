import { z } from 'zod'
import { config_schema } from '../../src/config/schema/schema.ts'

/** The modules that every file passes on its way in. */
const core_modules: ReadonlySet<string> = new Set(['base', 'domain', 'disk', 'ledger', 'sync', 'remote', 'daemon'])

export interface House {
  /** Lines of src/ that are neither blank nor only a comment. */
  code: number
  /** The part of `code` in the modules that every file passes on its way in. */
  core: number
  /** The settings that a configuration file can have; a shape in several sections counts once. */
  settings: number
}

/** `sources`: path below src/ -> text. */
export function measureHouse(sources: ReadonlyMap<string, string>): House {
  let [code, core] = [0, 0]
  for (const [path, text] of sources) {
    const lines = codeLines(text)
    code += lines
    if (core_modules.has(path.split('/')[0]!)) core += lines
  }
  return { code, core, settings: countSettings() }
}

function codeLines(text: string): number {
  let [lines, is_inside] = [0, false]
  for (const line of text.split('\n').map((whole) => whole.trim())) {
    const begins = line.startsWith('/*')
    if (line !== '' && !is_inside && !begins && !line.startsWith('//')) lines += 1
    is_inside = (is_inside || begins) && !line.includes('*/')
  }
  return lines
}

type Shape = z.core.JSONSchema.BaseSchema

function countSettings(): number {
  const schema = z.toJSONSchema(config_schema, { io: 'input', reused: 'ref' }) as Shape
  const seen = new Set<string>()

  /** Counts the settings below a shape; undefined where the shape itself is a setting. */
  function below(shape: Shape): number | undefined {
    if (shape.$ref !== undefined) {
      const name = shape.$ref.split('/').at(-1)!
      const inside = below(schema.$defs![name]! as Shape)
      if (inside === undefined || !seen.has(name)) {
        seen.add(name)
        return inside
      }
      return 0
    }
    const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = shape
    const inner = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf] as Shape[]
    const parts = inner.filter((part) => typeof part === 'object').map(below)
    const own = Object.values(properties).map((part) => below(part as Shape) ?? 1)
    const found = [...parts, ...own].filter((count) => count !== undefined)
    return found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0)
  }

  return below(schema) ?? 0
}
