import { every_file_skill } from '../../contract/every-file-skill.ts'
import type {
  ChatAppend,
  intelligence_modes,
  providers,
} from '../../contract/messages/messages-chats.ts'
import type { Caller } from '../store/access.ts'
import type { AssistantConfig, AutoRule, Candidate, Mode, Tool } from './assistant-config.ts'
import { wordsOf } from './question.ts'

/** How a turn is answered. */
export interface TurnPlan {
  mode: Mode
  /** The models in the order in which they are asked. */
  models: readonly Candidate[]
  passages: number
  thinking: AssistantConfig['modes'][Mode]['thinking']
  tools: ReadonlySet<Tool>
}

/** The values that the rules of `auto` check. */
export interface Asked {
  prompt: string
  /** The number of ids in the scope, of all kinds. */
  scope_ids: number
  skills: number
}

/**
 * Makes the plan from the configuration of the mode. `provider` puts its models first,
 * `public_data: false` removes the web search (C-02). So does a configuration without one.
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

/** The mode of the first rule that holds; the last rule always holds. */
function chooseMode(rules: readonly AutoRule[], asked: Asked): Mode {
  const words = wordsOf(asked.prompt)
  const found = rules.find(
    (rule) =>
      (rule.words?.some((word) => words.has(word.toLowerCase())) ?? true) &&
      asked.prompt.length >= (rule.min_prompt_chars ?? 0) &&
      asked.scope_ids >= (rule.min_scope_ids ?? 0) &&
      asked.skills >= (rule.min_skills ?? 0),
  )
  return (found ?? rules.at(-1)!).mode
}

function rank(candidates: readonly Candidate[], provider: TurnOptions['provider']): Candidate[] {
  return candidates.toSorted(
    (a, b) => Number(b.provider === provider) - Number(a.provider === provider),
  )
}

type Intelligence = (typeof intelligence_modes)[number]
type Provider = (typeof providers)[number]

/** The options besides prompt and scope. The message stores them, so a restart changes none. */
export interface TurnOptions {
  intelligence: Intelligence
  provider: Provider
  /** Names in the order in which they are loaded. */
  skills: string[]
  /** False: no web search. */
  public_data: boolean
  /** The number of the user who asked; null for a key without a user. */
  user: number | null
}

/** The options of a turn as JSON, which is stored with its message. Adds the defaults. */
export function keepOptions(
  {
    intelligence = 'auto',
    provider = 'automatic',
    skills,
    public_data = true,
  }: Omit<ChatAppend, 'prompt' | 'scope'>,
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

/** True for a turn that reads the files of its scope whole. */
export function readsEveryFile({ skills }: TurnOptions): boolean {
  return skills.includes(every_file_skill)
}

/** The plan of a turn whose sources are not searched: it uses no web and no chats. */
export function onlyMemories(plan: TurnPlan): TurnPlan {
  return { ...plan, tools: new Set([...plan.tools].filter((tool) => tool === 'memories')) }
}

/** Reads stored options. Null (a turn from before options were stored) means the defaults. */
export function keptOptions(kept: string | null): TurnOptions {
  return JSON.parse(kept ?? keepOptions({}, { user: null })) as TurnOptions
}
