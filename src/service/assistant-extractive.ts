import { composeAnswer, hasAnyOf, searchWords } from './answer-text.ts'
import type { Assistant } from './assistant.ts'

/**
 * Quotes what was found, and of the project's memories those that have a word of the question; no model writes anything (C-16). A
 * user's own are for that user's eyes alone (D-07), and everybody in the project reads what stands here.
 */
export const extractive_assistant: Assistant = {
  async answer({ prompt, quotes, memories, skills, notes }) {
    const words = searchWords(prompt)
    const known = memories.filter(({ text, is_own }) => !is_own && hasAnyOf(words, text))
    const names = skills.map(({ name }) => name)
    return { response: composeAnswer([...quotes, ...known], names, notes) }
  },
  close: async () => {},
}
