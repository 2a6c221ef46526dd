import type { Quote } from './answer-text.ts'
import type { TurnPlan } from './turn-plan.ts'

/** `is_own`: nobody else sees it, whereas everybody in the project reads the chat. */
export interface Memory extends Quote {
  is_own: boolean
}

/** A turn with everything that its answer may draw on. */
export interface PreparedTurn {
  prompt: string
  plan: TurnPlan
  /** How often it was tried in vain. */
  attempts: number
  /** In the order in which they are loaded. */
  skills: readonly { name: string; content: string }[]
  /** What is known of the one who asks, the most important first. */
  memories: readonly Memory[]
  /** What was found, the best of each kind first. */
  quotes: readonly Quote[]
  /** The earlier turns of the chat that were answered, oldest first. */
  conversation: readonly { prompt: string; response: string }[]
  /** What the reader of the answer should know: a search that failed. */
  notes: readonly string[]
}

/** `fault`: no answer this time, for people; asked again later, no sooner than `retry_after_ms` from now. */
export type Outcome = { response: string } | { fault: string; retry_after_ms?: number | undefined }

/** Who writes the answers. What it throws is a fault, too. */
export interface Assistant {
  answer(turn: PreparedTurn, signal: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}
