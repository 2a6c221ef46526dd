import type { ChatAppend, intelligence_modes, providers } from '../contract/messages-chats.ts'
import type { Caller } from './access.ts'

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

const usual: TurnOptions = {
  intelligence: 'auto',
  provider: 'automatic',
  skills: [],
  public_data: true,
  user: null,
}

export function keepOptions(
  { intelligence, provider, skills, public_data }: Omit<ChatAppend, 'prompt' | 'scope'>,
  { user }: Pick<Caller, 'user'>,
): string {
  const options: TurnOptions = {
    intelligence: intelligence ?? usual.intelligence,
    provider: provider ?? usual.provider,
    skills: [...new Set(skills)],
    public_data: public_data ?? usual.public_data,
    user,
  }
  return JSON.stringify(options)
}

/** Null: of a turn that was asked before options were kept. */
export function keptOptions(kept: string | null): TurnOptions {
  return kept === null ? usual : (JSON.parse(kept) as TurnOptions)
}
