import type { AssistantConfig } from '../assistant-config.ts'
import { frame_chars } from '../model/fence.ts'
import { charsOf } from '../model/model-host.ts'
import { turnMessages } from '../model/model-messages.ts'
import type { PreparedTurn } from '../prepared-turn.ts'

/** Of the characters of a call, what the answer may need. */
const answer_share = 0.25

/** The characters that a call has for instructions, request and sources. */
export function promptChars({ context_chars }: Pick<AssistantConfig, 'context_chars'>): number {
  return Math.floor(context_chars * (1 - answer_share))
}

/** The characters that a call about this turn has for further sources. */
export function spaceFor(config: AssistantConfig, turn: PreparedTurn): number {
  const fixed = charsOf(turnMessages(turn, config.model?.max_history_chars ?? 0))
  return promptChars(config) - fixed - frame_chars
}
