import { messageOf } from '../base/errors.ts'
import { type Quote, searchWords } from './answer-text.ts'
import type { Memory, PreparedTurn } from './assistant.ts'
import type { AssistantConfig } from './assistant-config.ts'
import { type SaidParts, searchSaid } from './past-chats.ts'
import type { Reader } from './reader.ts'
import { expandScope, type Knowledge, type ScopeParts } from './scope.ts'
import type { MessageRow } from './store-chats.ts'
import type { ResourceStore } from './store-resources.ts'
import type { TurnOptions } from './turn-options.ts'
import type { TurnPlan } from './turn-plan.ts'
import type { Web } from './web-search.ts'

export interface MaterialParts extends ScopeParts, SaidParts {
  resources: ResourceStore
  reader: Reader
  /** Absent: off. */
  web?: Web | undefined
  config: Pick<AssistantConfig, 'memories_most' | 'past_chars_most'>
  log: (line: string) => void
}

/** A turn on its way to its answer. */
export interface Turn {
  message: MessageRow & { project: number }
  options: TurnOptions
  plan: TurnPlan
}

type Material = Omit<PreparedTurn, 'prompt' | 'plan' | 'attempts'>

/** Looked at to find the passages, as the index may still know assets that were removed a moment ago. */
const hits_least = 60

/** Uses the tools of the plan, and looks up what else the turn was asked with. What is gone since then adds nothing. */
export async function gatherMaterial(parts: MaterialParts, turn: Turn, signal: AbortSignal): Promise<Material> {
  const { message, options, plan } = turn
  const words = searchWords(message.prompt)
  const knowledge = expandScope(parts, { project: message.project, user: options.user }, message.scope)
  const notes: string[] = []
  const from_files = plan.tools.has('passages') ? await passagesOf(parts, knowledge, words, plan.passages) : []
  const past = plan.tools.has('past_chats') ? knowledge.projects : []
  const said = await searchSaid(
    parts,
    { chats: knowledge.chats, projects: past, asking: message },
    words,
    plan.passages,
  )
  const from_web = parts.web && plan.tools.has('web') ? await searchWeb(parts, parts.web, words, notes, signal) : []
  return {
    skills: skillsOf(parts, message.project, options),
    memories: plan.tools.has('memories') ? memoriesOf(parts, turn) : [],
    quotes: [...from_files, ...said, ...from_web],
    conversation: conversationOf(parts, message),
    notes,
  }
}

async function passagesOf(
  { reader, assets }: MaterialParts,
  { projects, assets: chosen }: Knowledge,
  words: readonly string[],
  most: number,
): Promise<Quote[]> {
  const limit = Math.max(hits_least, 2 * most)
  const hits = await reader.ask('search', { words, projects, assets: chosen, limit })
  return hits
    .flatMap(({ asset, text }) => {
      const row = assets.bySeq(asset)
      return row?.status === 'ready' ? [{ source: row.filename, text }] : []
    })
    .slice(0, most)
}

/** A search that fails costs the answer its results, not more. */
async function searchWeb(
  { log }: MaterialParts,
  web: Web,
  words: readonly string[],
  notes: string[],
  signal: AbortSignal,
): Promise<Quote[]> {
  try {
    return await web.search(words, signal)
  } catch (error) {
    if (signal.aborted) throw error
    log(`a web search failed: ${messageOf(error)}`)
    notes.push('The web was not searched: the search failed.')
    return []
  }
}

function skillsOf({ resources }: MaterialParts, project: number, { skills, user }: TurnOptions): Material['skills'] {
  return skills.flatMap((name) => {
    const row = resources.named({ kind: 'skill', project, user }, name)
    return row?.enabled === 1 ? [{ name, content: (JSON.parse(row.fields) as { content: string }).content }] : []
  })
}

interface MemoryFields {
  content: string
  category: string
  importance: number
}

/** Those that the one who asks sees, the most important first, of equal ones the newest. */
function memoriesOf({ resources, config }: MaterialParts, { message, options }: Turn): Memory[] {
  return resources
    .enabled({ kind: 'memory', project: message.project, user: options.user })
    .map(({ fields, owner }) => ({ ...(JSON.parse(fields) as MemoryFields), is_own: owner !== null }))
    .sort((one, other) => other.importance - one.importance)
    .slice(0, config.memories_most)
    .map(({ content, category, is_own }) => ({ source: `memory (${category})`, text: content, is_own }))
}

function conversationOf({ chats }: MaterialParts, { chat, seq }: MessageRow): Material['conversation'] {
  return chats
    .messages(chat)
    .filter((earlier) => earlier.seq < seq && earlier.status === 'done')
    .map(({ prompt, response }) => ({ prompt, response: response ?? '' }))
}
