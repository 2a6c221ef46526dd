import type { z } from 'zod'
import type { Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'

/** Whoever an agent acts for, and what its calls need. */
export interface Agent {
  tools: Pick<PageTools, 'config' | 'clock' | 'log'>
  viewer: Viewer
}

/** One call of an agent. */
export interface AgentCall extends Agent {
  /** Aborts when the agent no longer wants the answer. */
  stopped: AbortSignal
  /** Tells the agent what its call waits for. */
  progress(message: string): void
}

interface ToolAnswer {
  /** Sentences for people and for agents that read only text. */
  text: string
  /** The same as JSON. Times are ISO 8601 UTC; null: not known, or none. */
  data: Record<string, unknown>
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  /** What it answers, and how to write its arguments, for the model that chooses a tool. */
  description: string
  input: Input
  run(input: z.output<Input>, call: AgentCall): Promise<ToolAnswer>
}

/** Gives `run` of a tool the type of its input. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool<Input> {
  return tool
}
