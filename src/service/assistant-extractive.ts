import { composeAnswer, hasAnyOf, searchWords } from './answer-text.ts'
import type { Assistant } from './assistant.ts'

/** Quotes what was found, and of what is known of the one who asks what has a word of the question; no model writes anything (C-16). */
export const extractive_assistant: Assistant = {
  async answer({ prompt, quotes, memories, skills, notes }) {
    const words = searchWords(prompt)
    const known = memories.filter(({ text }) => hasAnyOf(words, text))
    const names = skills.map(({ name }) => name)
    return { response: composeAnswer([...quotes, ...known], names, notes) }
  },
  close: async () => {},
}
