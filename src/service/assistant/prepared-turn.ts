import type { FoundInFiles, Quote } from './answer-text.ts'
import type { TurnPlan } from './turn-plan.ts'

/**
 * `is_own`: only the user who asks may see the memory. An answer must not repeat it, because
 * everybody in the project can read the chat.
 */
export interface Memory extends Quote {
  is_own: boolean
}

/** A turn with everything that its answer may use. */
export interface PreparedTurn extends FoundInFiles {
  prompt: string
  plan: TurnPlan
  /** The number of failed attempts. */
  attempts: number
  /** Skills in the order in which they are loaded. */
  skills: readonly { name: string; content: string }[]
  /** Memories that the user can see (own ones and the project's), the most important first. */
  memories: readonly Memory[]
  /** What the question is searched for. */
  words: readonly string[]
  /** The earlier answered turns of the chat, oldest first. */
  conversation: readonly { prompt: string; response: string }[]
  /** Facts that the reader of the answer should know, such as a failed search. */
  notes: readonly string[]
}
