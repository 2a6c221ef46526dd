import type { ProxyVariables } from '../../base/net/http-client.ts'
import type { Clock } from '../../base/time/time.ts'
import type { TurnRecord } from '../../contract/messages/messages-chats.ts'
import { composeAnswer, hasAnyOf, warned } from './answer-text.ts'
import type { AssistantConfig } from './assistant-config.ts'
import type { ModelFault } from './model/model-answer.ts'
import { Model } from './model/model-host.ts'
import { turnMessages } from './model/model-messages.ts'
import type { PreparedTurn } from './prepared-turn.ts'
import { openWebSearch, type Web } from './web-search.ts'

/** `calls`: those of the model that are not recorded with the message yet. */
export interface Answered {
  response: string
  calls: number
  record: TurnRecord
}

/** A turn has an answer, or a reason why it has none. */
export type Outcome = Answered | ModelFault

/** Writes the answers. An error that it throws counts as a fault. */
export interface OpenedAssistant {
  config: AssistantConfig
  /** Absent for the extractive assistant. */
  model: Model | undefined
  web: Web | undefined
  answer(turn: PreparedTurn, signal: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

/** Opens the configured assistant. Error `config.service` for an unusable key file. */
export function openAssistant(
  config: AssistantConfig,
  clock: Clock,
  proxy: ProxyVariables,
  log: (line: string) => void,
): OpenedAssistant {
  const { assistant: kind, model: host, web_search, deadline_ms } = config
  const connections = config.answers_at_once
  const model =
    kind === 'model' && host
      ? new Model({ host, connections, proxy, deadline_ms, clock, log })
      : undefined
  const web = web_search && openWebSearch(web_search, clock, connections, proxy)
  return {
    config,
    model,
    web,
    answer: async (turn, signal) =>
      model && host ? askModel(model, turn, host.max_history_chars, signal) : quoteSources(turn),
    close: async () => void (await Promise.all([model?.close(), web?.close()])),
  }
}

/** Each attempt makes one call, and the next attempt asks the next model of the plan. */
async function askModel(
  model: Model,
  turn: PreparedTurn,
  max_history_chars: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const { models, thinking } = turn.plan
  const messages = turnMessages(turn, max_history_chars)
  const answer = await model.ask({ messages, models, thinking }, turn.attempts, signal)
  return 'text' in answer ? { ...warned(answer), calls: 1 } : answer
}

/**
 * Quotes the passages that were found, and the project's memories that share a word with the
 * question; no model writes anything (C-16). It leaves out a user's own memories (D-07).
 */
function quoteSources(turn: PreparedTurn): Answered {
  const { quotes, words, overview, searched, memories, skills, notes } = turn
  const known = memories.filter(({ text, is_own }) => !is_own && hasAnyOf(words, text))
  const names = skills.map(({ name }) => name)
  const response = composeAnswer([...quotes, ...known], names, notes, { overview, searched })
  return { response, calls: 0, record: {} }
}
