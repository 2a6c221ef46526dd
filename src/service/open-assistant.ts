import type { ProxyVariables } from '../base/http-client.ts'
import type { Clock } from '../base/time.ts'
import type { Assistant } from './assistant.ts'
import type { AssistantConfig } from './assistant-config.ts'
import { extractive_assistant } from './assistant-extractive.ts'
import { openModelAssistant } from './assistant-model.ts'
import { openWebSearch, type Web } from './web-search.ts'

export interface OpenedAssistant {
  config: AssistantConfig
  assistant: Assistant
  web: Web | undefined
  close(): Promise<void>
}

/** Who answers, as the configuration says. Errors `config.service` for a key file that cannot be used. */
export function openAssistant(config: AssistantConfig, clock: Clock, proxy: ProxyVariables): OpenedAssistant {
  const { assistant: kind, model: host, web_search, answers_at_once: connections } = config
  const assistant =
    kind === 'model' && host ? openModelAssistant({ host, connections, proxy, clock }) : extractive_assistant
  const web = web_search && openWebSearch(web_search, clock, connections, proxy)
  return {
    config,
    assistant,
    web,
    close: async () => void (await Promise.all([assistant.close(), web?.close()])),
  }
}
