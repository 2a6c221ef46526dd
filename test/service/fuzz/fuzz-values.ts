import fc from 'fast-check'

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, whose parts are read
type Schema = any

/** Returns an existing id of this kind, or undefined where none is known. */
export type PickId = (kind: string) => string | undefined

/** Longer texts only make the same work slower; the mutations try the bounds themselves. */
const text_longest = 40
const places = ['Europe/Berlin', 'UTC', 'America/New_York']

/** Values that fit a JSON schema of the description. */
export function fitting(
  schema: Schema,
  schemas: Record<string, Schema>,
  pickId: PickId,
): fc.Arbitrary<unknown> {
  const inner = (part: Schema) => fitting(part, schemas, pickId)
  if (schema.$ref) return inner(schemas[schema.$ref.split('/').at(-1)])
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, inner)
    case 'array':
      return fc.array(inner(schema.items), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 })
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: 1e6, noNaN: true })
    default:
      return fittingText(schema, pickId)
  }
}

function fittingObject(
  schema: Schema,
  inner: (part: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
  const { properties = {}, required = [], oneOf = [] } = schema
  const names = oneOf.map((branch: Schema) => branch.required[0] as string)
  const parts = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, inner(part)]),
  )
  const whole = fc.record(parts, { requiredKeys: [...required, ...names] })
  if (names.length === 0) return whole
  return fc.tuple(whole, fc.constantFrom(...names)).map(([value, kept]) => {
    const left_out = names.filter((name: string) => name !== kept)
    return Object.fromEntries(Object.entries(value).filter(([name]) => !left_out.includes(name)))
  })
}

function fittingText(
  { pattern, format, minLength = 0, maxLength, examples }: Schema,
  pickId: PickId,
) {
  const kind = /^\^(\w+)_\[a-z0-9\]\{20\}\$$/.exec(pattern ?? '')?.[1]
  if (kind) return fc.constant(pickId(kind) ?? examples[0])
  if (format === 'email') return fc.nat(99).map((number) => `somebody${number}@example.org`)
  if (examples?.some((example: string) => places.includes(example)))
    return fc.constantFrom(...places)
  if (pattern)
    return fc
      .stringMatching(new RegExp(pattern))
      .filter((text) => text.length <= (maxLength ?? 100))
  const max = Math.min(maxLength ?? text_longest, text_longest)
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ minLength, maxLength: max }) },
    // These include letters outside of ASCII, halves of pairs and NUL, which are all valid in JSON.
    {
      weight: 1,
      arbitrary: fc.string({
        unit: 'grapheme',
        minLength: Math.max(minLength, 2),
        maxLength: max / 4,
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(odd_letters, { minLength: 2, maxLength: 8 })
        .map((letters) => letters.join('')),
    },
  )
}

const odd_letters = fc.constantFrom(
  '\0',
  '\ud83d',
  '\udc00',
  '\u2028',
  '\u202e',
  '\r\n',
  '"',
  '\\',
  "'; --",
  '%',
  '_',
  'é',
  '<',
)

const odd_values = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    [],
    {},
    [[]],
    'x'.repeat(30_000),
    '\ud800',
    '__proto__',
  ),
  fc.string(),
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
)

/**
 * Changes one thing about a value, so that it hardly fits any more: a field is dropped, renamed,
 * added or replaced.
 */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      value,
      fc.constantFrom('drop', 'rename', 'add', 'replace', 'whole', 'deep'),
      fc.nat(1_000),
      odd_values,
    )
    .map(([whole, how, at, odd]) => {
      if (typeof whole !== 'object' || whole === null || Array.isArray(whole) || how === 'whole')
        return odd
      const names = Object.keys(whole)
      const name = names[at % Math.max(1, names.length)]
      if (how === 'add' || name === undefined) return { ...whole, [`nobody_knows_${at}`]: odd }
      const { [name]: old, ...rest } = whole as Record<string, unknown>
      if (how === 'drop') return rest
      if (how === 'rename') return { ...rest, [name.toUpperCase()]: old }
      if (how === 'deep' && typeof old === 'object' && old !== null)
        return { ...rest, [name]: { ...old, nobody: odd } }
      return { ...rest, [name]: odd }
    })
}
