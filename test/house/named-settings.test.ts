import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, visitorKeys } from 'oxc-parser'
import { expect, test } from 'vitest'
import { constants } from '../../src/config/schema/constants.ts'

/** Names of values that no file can set. */
const fixed = new Set(Object.values(constants).flatMap((section) => Object.keys(section)))
const is_sql = /\b(?:SELECT|UPDATE|INSERT|CREATE|WHERE|FROM|AND|iif|max)\b/

/** The texts of a file that are sentences: they have a space. */
function sentencesIn(file: string): string[] {
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return void node.forEach(visit)
    const { type, value } = (node ?? {}) as { type?: string; value?: unknown }
    if (type === undefined) return
    if (type === 'Literal' && typeof value === 'string') texts.push(value)
    if (type === 'TemplateElement') texts.push((value as { cooked: string }).cooked)
    for (const key of visitorKeys[type] ?? []) visit((node as Record<string, unknown>)[key])
  }
  visit(parseSync(file, readFileSync(file, 'utf8')).program)
  return texts.filter((text) => text.includes(' ') && !is_sql.test(text))
}

test('no text of the program names a value that the configuration does not take', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const texts = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => sentencesIn(join('src', file)))
  const named = texts.flatMap((text) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
  expect(named).toContain('settle_ms')
  expect(fixed).toContain('settle_cap_ms')
  expect(named.filter((name) => fixed.has(name))).toEqual([])
})
