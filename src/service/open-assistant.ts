import type { ProxyVariables } from '../base/http-client.ts'
import type { Clock } from '../base/time.ts'
import { composeAnswer, hasAnyOf, searchWords } from './answer-text.ts'
import type { Assistant } from './assistant.ts'
import type { AssistantConfig } from './assistant-config.ts'
import { openModelAssistant } from './assistant-model.ts'
import { openWebSearch, type Web } from './web-search.ts'

export interface OpenedAssistant extends Assistant {
  config: AssistantConfig
  web: Web | undefined
}

/** Who answers, as the configuration says. Errors `config.service` for a key file that cannot be used. */
export function openAssistant(config: AssistantConfig, clock: Clock, proxy: ProxyVariables): OpenedAssistant {
  const { assistant: kind, model: host, web_search, answers_at_once: connections } = config
  const assistant =
    kind === 'model' && host ? openModelAssistant({ host, connections, proxy, clock }) : extractive_assistant
  const web = web_search && openWebSearch(web_search, clock, connections, proxy)
  return {
    config,
    answer: assistant.answer,
    web,
    close: async () => void (await Promise.all([assistant.close(), web?.close()])),
  }
}

/**
 * Quotes what was found, and of the project's memories those that have a word of the question; no model writes anything (C-16). A
 * user's own are for that user's eyes alone (D-07), and everybody in the project reads what stands here.
 */
const extractive_assistant: Assistant = {
  async answer({ prompt, quotes, memories, skills, notes }) {
    const words = searchWords(prompt)
    const known = memories.filter(({ text, is_own }) => !is_own && hasAnyOf(words, text))
    const names = skills.map(({ name }) => name)
    return { response: composeAnswer([...quotes, ...known], names, notes) }
  },
  close: async () => {},
}
