import { z } from 'zod'
import type { AskAnswer } from '../../control/control-verbs.ts'
import type { Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import type { AskWish } from '../reads/question-rows.ts'
import type { Cursors } from './cursors.ts'

/** The user for whom an agent acts, and the tools of its calls. */
export interface Agent {
  tools: Pick<PageTools, 'config' | 'clock' | 'log'>
  viewer: Viewer
  /** Address of the page as the agent knows it; undefined if it came another way. */
  address?: string | undefined
  /** Resolves with the answer. `stopped`: the agent waits for it no longer. */
  ask(wish: AskWish, stopped: AbortSignal): Promise<AskAnswer>
  /** Called before each call: reads the configuration again. Never rejects. */
  refresh?(): Promise<void>
}

/** One call of an agent. */
export interface AgentCall extends Agent {
  /** Aborts when the agent no longer wants the answer. */
  stopped: AbortSignal
  /** Reports to the agent what its call waits for. */
  progress(message: string): void
  /** They belong to the lists of this call. */
  cursors: Cursors
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  /** A sentence about its answer, for the model that chooses a tool. */
  description: string
  input: Input
  /** The schema of `data`. */
  output: z.ZodObject
  /**
   * `text` has sentences for users, and for agents that read only text. `data` is the same as JSON.
   * Times are ISO 8601 UTC. Null stands for unknown, or none.
   */
  run(
    input: z.output<Input>,
    call: AgentCall,
  ): Promise<{ text: string; data: Record<string, unknown> }>
}

/** Gives `run` the type of its input. */
export function toolOf<Input extends z.ZodObject>(tool: Tool<Input>): Tool<Input> {
  return tool
}

/** Entries that one answer lists; more would fill the memory of a model. */
export const max_listed = 100

export const cursor = z
  .string()
  .max(8_192)
  .optional()
  .describe('next_cursor of the answer before; repeat its other values')

const limit_fault = `must be a whole number from 1 to ${max_listed}`
const limit = z.int(limit_fault).min(1, limit_fault).max(max_listed, limit_fault).default(50)
/** Arguments of a tool that lists something. */
export const paged = { limit, cursor }

export const text_or_none = z.string().nullable()

/** The list of tools has the names that the user may know. */
export const folders = z
  .array(z.string())
  .max(100)
  .default([])
  .describe('only these folders of Sluice, by name')
