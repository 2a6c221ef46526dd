import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedArguments, plainFault } from '../../../src/page/mcp/wrong-calls.ts'

const tool = {
  name: 'find',
  input: z.strictObject({
    file: z.string().min(1).max(5).describe('a path'),
    names: z.array(z.string()).max(2).default([]),
    limit: z.int('must be a whole number').default(50),
    kind: z.enum(['in', 'out'], 'must be in or out').optional(),
  }),
}

test('a good call gets its defaults', () => {
  expect(checkedArguments(tool, { file: 'a' })).toEqual({ file: 'a', names: [], limit: 50 })
})

test.each([
  [{}, 'file is missing: give a path'],
  [{ file: '' }, 'file is empty: give a path'],
  [{ file: 7 }, 'file must be a text'],
  [{ file: null }, 'file must be a text'],
  [{ file: 'a'.repeat(6) }, 'file has more than 5 characters'],
  [{ file: 'a', names: 'b' }, 'names must be a list'],
  [{ file: 'a', names: ['b', 7] }, 'names[1] must be a text'],
  [{ file: 'a', names: ['b', 'c', 'd'] }, 'names has more than 2 entries'],
  [{ file: 'a', limit: 1.5 }, 'limit must be a whole number'],
  [{ file: 'a', kind: 'up' }, 'kind must be in or out'],
  [
    { file: 'a', fiel: 'b' },
    'the tool find has no argument fiel; its arguments: file, names, limit, kind',
  ],
  [
    { 'x\ny': 1 },
    'file is missing: give a path\nthe tool find has no argument x\\ny; its arguments: file, names, limit, kind',
  ],
])('%j is answered in words of the call', (given, words) => {
  expect(() => checkedArguments(tool, given)).toThrow(
    expect.objectContaining({ code: 'usage.invalid', message: words }),
  )
})

test.each([
  [
    '[\n {"expected":"string","path":["params","cursor"],"message":"Invalid input: expected string, received number"}\n]',
    'tools/x: cursor must be a text',
  ],
  [
    'Invalid tools/x request: [\n {"expected":"record","path":["params","arguments"],"message":"Invalid input: expected record, received array"}\n]',
    'tools/x: arguments must be an object',
  ],
  [
    '[\n {"expected":"object","path":["params"],"message":"Invalid input: expected object, received undefined"},{"path":["params","_meta","progressToken"],"message":"Invalid input"}\n]',
    'tools/x: params is missing; _meta.progressToken must be as the protocol says',
  ],
])('a dump of a schema becomes a sentence of -32602: %s', (message, words) => {
  expect(plainFault('tools/x', new Error(message))).toBe(words)
})

test('an error in words stays as it is', () => {
  for (const error of [new Error('no'), new Error('there is no tool [\n{}]'), 'text'])
    expect(plainFault('tools/x', error)).toBe(undefined)
})
