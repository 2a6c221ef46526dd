import { expect, test } from 'vitest'
import type { z } from 'zod'
import { config_schema } from '../../src/config/schema/schema.ts'

/** What users write in place of an amount. Each makes another hint. */
const slips = [
  'nonsense',
  '5',
  '5ms',
  '999999d',
  '1,500',
  '1,500kB/s',
  '10%',
  'one minute',
  'one GB/s',
  'PT5M',
  '3 M',
  '3 months',
  '1:30',
  '1h30',
  '30m 1h',
  '10 kb/s',
  '10k',
  '10 mb',
  '1MB 1GB/s',
  '2MB/min',
  '1 million',
  '90 days',
  '5B',
  '1B/s',
  -1,
  1e18,
]

interface Definition {
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
}

/** The fields of the configuration by their paths, also those of lists. */
function fieldsOf(rule: z.ZodType, path = ''): [path: string, rule: z.ZodType][] {
  const { shape, element, innerType, in: before } = rule.def as Definition
  if (shape)
    return Object.entries(shape).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`))
  const nested = [element, innerType, before].flatMap((inner) =>
    inner ? fieldsOf(inner, path).filter(([found]) => found !== path) : [],
  )
  return [[path, rule], ...nested]
}

/** The examples of a hint: after `such as` and `for example`, up to the words that follow. */
function examplesIn(hint: string): string[] {
  const lists = [...hint.matchAll(/(?:such as|for example|write (?=\d)) ?([^()]*)/g)].map(
    ([, list]) => list!,
  )
  return lists.flatMap((list) =>
    list
      .split(/,? or |, (?=not )|, (?!0)/)
      .filter((word) => /^\d/.test(word.trim()))
      .map((word) => word.trim()),
  )
}

test('each example in a hint is accepted by its field', () => {
  let examples = 0
  const refused: string[] = []
  for (const [path, rule] of fieldsOf(config_schema)) {
    for (const slip of slips) {
      const issues = rule.safeParse(slip).error?.issues ?? []
      for (const { message } of issues.filter((issue) => issue.path.length === 0)) {
        if (!/duration|size|number|unit|amount|ways|minutes|months|time:|once|bits/.test(message))
          continue
        for (const example of examplesIn(message)) {
          examples += 1
          const is_taken = [example, Number(example)].some((value) => rule.safeParse(value).success)
          if (!is_taken) refused.push(`${path}: ${slip}: ${example} of "${message}"`)
        }
      }
    }
  }
  expect(refused).toEqual([])
  expect(examples).toBeGreaterThan(500)
})

test.each([
  ['settle_ms', '5ms', 'must be a duration from 50ms to 1h, such as 90s, 20m, or a number of ms'],
  [
    'settle_ms',
    'one minute',
    'must begin with a number in digits, before its unit (for example 1h)',
  ],
])('%s: %s', (_field, slip, hint) => {
  const [, rule] = fieldsOf(config_schema).find(([path]) => path.endsWith('.settle_ms'))!
  expect(rule.safeParse(slip).error?.issues[0]?.message).toBe(hint)
})
