import { expect, test } from 'vitest'
import { composeAnswer, withoutNote } from '../../../src/service/assistant/answer-text.ts'

test('an answer says that it quotes only where it quotes something', () => {
  const some = composeAnswer([{ source: 'a.txt', text: 'the plan' }])
  const none = composeAnswer([])
  expect(some).toMatch(/> the plan\n\n_This answer is extractive: it quotes the sources above/)
  expect(none).toBe(
    'No passage within the scope of this question matches it.\n\n_No language model wrote this answer._',
  )
  for (const answer of [some, none]) expect(withoutNote(answer)).not.toContain('language model')
})
