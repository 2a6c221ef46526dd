import { expect, test } from 'vitest'
import { api_errors } from '../../../src/contract/errors.ts'
import type { Route } from '../../../src/contract/routes/route.ts'
import { routes } from '../../../src/contract/routes/routes.ts'
import { describeInterface } from '../../../src/service/api/openapi.ts'
import {
  fieldSentence,
  fillText,
  finding_texts,
  findingOf,
  gate_texts,
  type_texts,
} from '../../../src/service/faults/humane.ts'
import { start } from '../fixture.ts'

/** A word of the validator or of a program, or what only a regular expression has. */
const for_programmers =
  /expected|received|invalid input|undefined|null|regex|pattern|unrecognized|[\^$\\[\]|]/i

/** Lists what is wrong with a text for end users; empty if nothing is. */
function faultsOf(text: string): string[] {
  const faults: [boolean, string][] = [
    [!/^[A-Z]/.test(text), 'begins with no capital letter'],
    [!/[^.]\.$/.test(text), 'ends with no full stop'],
    [text.length >= 160, `has ${text.length} characters`],
    [for_programmers.test(text), 'is for programmers'],
    [/[a-z]\.[a-z\d]/.test(text), 'has the path of a field'],
    [/\{|\}/.test(text), 'has an empty place'],
  ]
  return faults.filter(([is_so]) => is_so).map(([, fault]) => `${text}: ${fault}`)
}

const longest = 'x'.repeat(300)
const values = {
  id: longest,
  name: longest,
  needed: 'collaborator',
  role: 'reader',
  seconds: 3_600,
}

test('A-22 every code has a text for end users, with the longest values in it', () => {
  const texts = [...Object.values(api_errors).map(([, text]) => text), ...Object.values(gate_texts)]
  expect(texts.flatMap((text) => faultsOf(fillText(text, values)))).toEqual([])
  const findings = [...Object.values(type_texts), ...Object.values(finding_texts)].map((text) =>
    fieldSentence(
      'request',
      ['field'],
      fillText(text, { key: longest, limit: 24_000, choice: 'one, two' }),
    ),
  )
  expect(findings.flatMap(faultsOf)).toEqual([])
})

// biome-ignore lint/suspicious/noExplicitAny: examples of every shape
type Example = any

/** Copies of a value, each with one thing in it that is of another kind or missing. */
function* spoiled(value: Example): Generator<Example> {
  yield* [undefined, null, true, 7, 1.5, -1, '', longest.repeat(100), [], {}, ['x', 7], { x: 1 }]
  if (Array.isArray(value)) {
    for (const wrong of spoiled(value[0])) yield [wrong]
    yield Array.from({ length: 20_000 }, () => value[0])
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, unknown: 1 }
    for (const [name, inner] of Object.entries(value)) {
      for (const wrong of spoiled(inner)) yield { ...value, [name]: wrong }
    }
  }
}

test('A-22 whatever is wrong with a field of any call, the text is for end users', () => {
  const texts = new Set<string>()
  for (const route of routes as readonly Route[]) {
    const operation: Example = describeInterface([route], 'http://127.0.0.1')
    const body =
      operation.paths[route.path][route.method.toLowerCase()].requestBody?.content[
        'application/json'
      ].example
    const query = { limit: '5', after_id: 'x', before_id: 'y' }
    const params = Object.fromEntries(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'x']),
    )
    for (const [whole, schema, example] of [
      ['request', route.request, body],
      ['query', route.query, query],
      ['address', route.params, params],
    ] as const) {
      if (!schema) continue
      for (const wrong of spoiled(example)) {
        const [issue] = schema.safeParse(wrong, { error: findingOf }).error?.issues ?? []
        if (issue) texts.add(fieldSentence(whole, issue.path, issue.message))
      }
    }
  }
  expect(texts.size).toBeGreaterThan(150)
  expect([...texts].flatMap(faultsOf)).toEqual([])
})

test.each([
  ['/v1/chats', {}, 'The prompt is missing.'],
  ['/v1/chats', { prompt: 7 }, 'The prompt must be text.'],
  ['/v1/chats', { prompt: 'x', mime: 1 }, 'The request has an unknown field "mime".'],
  ['/v1/labels', { name: 'x' }, 'The name must have 2 to 255 characters.'],
  [
    '/v1/assets',
    { filename: 'a', mime_type: 'text/plain', md5: 'x' },
    'The md5 must be 32 hexadecimal digits.',
  ],
  [
    '/v1/chats',
    { prompt: 'x', scope: { asset_ids: ['nonsense'] } },
    'Entry 1 of the asset ids of the scope must be an id of the form asset_ and 20 lower-case letters or digits.',
  ],
  ['/v1/projects', { name: ' ' }, 'The name must have a visible character.'],
  [
    '/v1/memories',
    { content: 'x', category: 'fact', importance: 'high' },
    'The importance must be a whole number.',
  ],
  [
    '/v1/actions',
    { name: 'On', prompt: 'x', trigger: { kind: 'x', created_by: 7 } },
    'The created_by of the trigger must be a list.',
  ],
  [
    '/v1/actions',
    { name: 'On', prompt: 'x' },
    'The request must have either a schedule or a trigger.',
  ],
])('A-22 %s %j: %s', async (path, body, text) => {
  const client = await start()
  expect((await client.post(path, body)).body.humane).toBe(text)
})

test('A-22 faults of HTTP have texts for end users, too', async () => {
  const client = await start()
  const json = { 'content-type': 'application/json' }
  const replies = [
    await client.call('POST', '/v1/chats', { raw: '{"prompt":', headers: json }),
    await client.call('POST', '/v1/chats', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
    await client.call('POST', '/v1/chats', { raw: `"${'x'.repeat(2_000_000)}"`, headers: json }),
    await client.get('/v1/nothing'),
    await client.call('PUT', '/v1/chats'),
  ]
  expect(replies.flatMap(({ body }) => faultsOf(body.humane))).toEqual([])
})
