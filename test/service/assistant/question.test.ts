import { expect, test } from 'vitest'
import { max_prompt_length } from '../../../src/contract/limits.ts'
import { everydayQuestion } from '../../../src/service/assistant/everyday.ts'
import { readRequest } from '../../../src/service/assistant/question.ts'

/** Milliseconds. Patterns that take the square of the length take seconds. */
const timeout = 1_500

test.each(['a', '1', 'aB', 'a.', 'x-', '"', '"ab ', '1.1.', 'list the '])(
  'the longest prompt of %j is read at once',
  { timeout },
  (part) => {
    const prompt = part.repeat(max_prompt_length / part.length)
    expect(readRequest(prompt).names.length).toBeLessThanOrEqual(16)
    everydayQuestion(prompt)
  },
)

test('words that marks join have their other spellings', () => {
  const { words, names, spellings } = readRequest('WK-1377 and getUser in (a_b.txt).')
  expect(words).toEqual(['wk', '1377', 'getuser', 'b', 'txt'])
  expect(names).toEqual(expect.arrayContaining(['WK-1377', 'a_b.txt']))
  expect(spellings.get('1377')).toEqual(['wk1377'])
  expect(spellings.get('getuser')).toEqual(['get user'])
})
