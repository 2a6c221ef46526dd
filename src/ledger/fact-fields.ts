import type { Fact } from '../domain/fact.ts'

type FieldsOf<One> = One extends unknown ? Exclude<keyof One, 'type'> : never
type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** The fields of all facts by their types (`typeof`). A field has the same in every fact. */
const fields = {
  bigint: ['device'],
  boolean: ['resend'],
  'boolean?': ['by_service is_doubted is_no_try is_part of_type'],
  number: ['at_ms began_ms checked_ms content due_ms round run_due_ms since_ms unanswered'],
  'number?': ['alert not_before_ms run until_ms'],
  object: ['covered ends items names plan problems prompts stats summary targets ticket'],
  'object?': ['error found given_name refusal stat wanted'],
  string: [
    'about answer body by cause chat_id detail label_id md5 md5s message_id name path',
    'project_id prompt reason report_path rule said subject target text tried watcher',
  ],
  'string or object': ['folder'],
  'string or object?': ['note'],
  'string?': ['asset_id cursor given_up identity output replaced shown_name why'],
} as const

/** The compiler refuses `field_types[name as Field]` if a field of a fact is not listed above. */
type Field = FieldsOf<Fact>
type Listed = Words<(typeof fields)[keyof typeof fields][number]>
const field_types = Object.fromEntries(
  Object.entries(fields).flatMap(([type, names]) =>
    names
      .join(' ')
      .split(' ')
      .map((name) => [name, type]),
  ),
) as Readonly<Record<Listed, string>>

/** The fault of a fact that has a value of a wrong type; undefined for a sound fact. */
export function faultOf(fact: Fact): string | undefined {
  const values = fact as unknown as Readonly<Record<string, unknown>>
  for (const name in values) {
    const value = values[name]
    const type = typeof value
    const expected: string | undefined = field_types[name as Field]
    // Comparing first is the fast way: some 70,000 facts a second pass here.
    if (type !== expected && expected !== undefined && !isOneOf(expected, type)) {
      const article = expected.startsWith('o') ? 'an' : 'a'
      return `${name} is ${value === undefined ? 'missing' : String(value)}, not ${article} ${expected.replace('?', '')}`
    }
    const odd = type === 'string' || type === 'bigint' ? undefined : oddValue(value)
    if (odd !== undefined) return `${name}${odd}`
  }
  return undefined
}

function isOneOf(expected: string, type: string): boolean {
  return type === 'undefined' ? expected.endsWith('?') : expected.includes(type)
}

/**
 * SQLite takes a fraction into no INTEGER column, and the JSON of facts has whole numbers only.
 * What is not known is undefined in facts, never null.
 */
function oddValue(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? undefined : ` is ${value}, not a whole number`
  if (value === null) return ' is null'
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) return undefined
  const inner = value as Readonly<Record<string, unknown>>
  for (const key in inner) {
    const odd = oddValue(inner[key])
    if (odd !== undefined) return `.${key}${odd}`
  }
  return undefined
}
