import type { ChatAppend, intelligence_modes, providers } from '../../contract/messages/messages-chats.ts'
import type { Caller } from '../store/access.ts'
import { wordsOf } from './answer-text.ts'
import type { AssistantConfig, AutoRule, Candidate, Mode, Tool } from './assistant-config.ts'

/** How a turn is answered. */
export interface TurnPlan {
  mode: Mode
  /** The candidates, in the order in which they are asked. */
  models: readonly Candidate[]
  passages: number
  thinking: AssistantConfig['modes'][Mode]['thinking']
  tools: ReadonlySet<Tool>
}

/** What the rules of `auto` look at. */
export interface Asked {
  prompt: string
  /** Ids in the scope, of all kinds. */
  scope_ids: number
  skills: number
}

/**
 * The row of the mode, and no more: `provider` puts its models in front, `public_data: false` takes the web away (C-02). A tool
 * that is not set up is none.
 */
export function planTurn(config: AssistantConfig, options: TurnOptions, asked: Asked): TurnPlan {
  const { intelligence, provider, public_data } = options
  const mode = intelligence === 'auto' ? chooseMode(config.auto, asked) : intelligence
  const { model_class, passages, thinking, tools } = config.modes[mode]
  const has_web = public_data && config.web_search !== undefined
  return {
    mode,
    models: rank(config.model_classes[model_class] ?? [], provider),
    passages,
    thinking,
    tools: new Set(tools.filter((tool) => tool !== 'web' || has_web)),
  }
}

/**
 * The mode of the first rule that holds; the last one always does.
 *
 * @internal
 */
export function chooseMode(rules: readonly AutoRule[], asked: Asked): Mode {
  const words = wordsOf(asked.prompt)
  const found = rules.find(
    (rule) =>
      (rule.words?.some((word) => words.has(word.toLowerCase())) ?? true) &&
      asked.prompt.length >= (rule.prompt_chars_least ?? 0) &&
      asked.scope_ids >= (rule.scope_ids_least ?? 0) &&
      asked.skills >= (rule.skills_least ?? 0),
  )
  return (found ?? rules.at(-1)!).mode
}

function rank(candidates: readonly Candidate[], provider: TurnOptions['provider']): Candidate[] {
  return candidates.toSorted((a, b) => Number(b.provider === provider) - Number(a.provider === provider))
}

type Intelligence = (typeof intelligence_modes)[number]
type Provider = (typeof providers)[number]

/** What a turn was asked with beside its prompt and its scope; kept with the message, so that a restart changes nothing of it. */
export interface TurnOptions {
  intelligence: Intelligence
  provider: Provider
  /** Names, in the order in which they are loaded. */
  skills: string[]
  /** False: no web search. */
  public_data: boolean
  /** The number of the user who asked; null for a key of nobody. */
  user: number | null
}

/** The options of a turn as JSON, each with its default. */
export function keepOptions(
  { intelligence = 'auto', provider = 'automatic', skills, public_data = true }: Omit<ChatAppend, 'prompt' | 'scope'>,
  { user }: Pick<Caller, 'user'>,
): string {
  return JSON.stringify({
    intelligence,
    provider,
    skills: [...new Set(skills)],
    public_data,
    user,
  } satisfies TurnOptions)
}

/** A turn without options has the defaults: it was asked before options were kept. */
export function keptOptions(kept: string | null): TurnOptions {
  return JSON.parse(kept ?? keepOptions({}, { user: null })) as TurnOptions
}
