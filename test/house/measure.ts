import { parseSync } from 'oxc-parser'
import { z } from 'zod'
import { config_schema } from '../../src/config/schema/schema.ts'

export interface House {
  /** Syntax nodes of the TypeScript files of src/, as oxc-parser counts them. */
  nodes: number
  /** The settings that a configuration file can have; a shape in several sections counts once. */
  settings: number
}

/** `sources`: path below src/ -> text of a TypeScript file. */
export function measureHouse(sources: ReadonlyMap<string, string>): House {
  let nodes = 0
  for (const [path, text] of sources) nodes += countNodes(parseSync(path, text).program)
  return { nodes, settings: countSettings() }
}

/** The width of the page and comments do not change this number, other than a count of lines. */
function countNodes(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, child) => sum + countNodes(child), 0)
  if (typeof value !== 'object' || value === null) return 0
  // What has no type is no node, and nothing below it counts.
  if (!('type' in value) || typeof value.type !== 'string') return 0
  return Object.values(value).reduce((sum: number, child) => sum + countNodes(child), 1)
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
    const {
      properties = {},
      items,
      additionalProperties,
      anyOf = [],
      oneOf = [],
      allOf = [],
    } = shape
    const inner = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf] as Shape[]
    const parts = inner.filter((part) => typeof part === 'object').map(below)
    const own = Object.values(properties).map((part) => below(part as Shape) ?? 1)
    const found = [...parts, ...own].filter((count) => count !== undefined)
    return found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0)
  }

  return below(schema) ?? 0
}
