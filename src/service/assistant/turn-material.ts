import { messageOf } from '../../base/run/errors.ts'
import type { MemoryCreate, SkillCreate } from '../../contract/messages/messages-resources.ts'
import { splitPassages } from '../ingest/split-passages.ts'
import type { Parts } from '../parts.ts'
import type { MessageRow } from '../store/store-chats.ts'
import { bestPassages, type Quote, searchWords, withoutNote } from './answer-text.ts'
import type { Memory, PreparedTurn } from './assistant.ts'
import { expandScope, type Knowledge } from './scope.ts'
import type { TurnOptions, TurnPlan } from './turn-plan.ts'
import type { Web } from './web-search.ts'

/** A turn on its way to its answer. */
export interface Turn {
  message: MessageRow & { project: number }
  options: TurnOptions
  plan: TurnPlan
}

type Material = Omit<PreparedTurn, 'prompt' | 'plan' | 'attempts'>

/** Looked at to find the passages, as the index may still know assets that were removed a moment ago. */
const min_hits = 60

/** Uses the tools of the plan, and looks up what else the turn was asked with. What is gone since then adds nothing. */
export async function gatherMaterial(parts: Parts, turn: Turn): Promise<Material> {
  const { message, options, plan } = turn
  const words = searchWords(message.prompt)
  const knowledge = expandScope(parts, { project: message.project, user: options.user }, message.scope)
  const notes: string[] = []
  const from_files = plan.tools.has('passages') ? await passagesOf(parts, knowledge, words, plan.passages) : []
  const past = plan.tools.has('past_chats') ? knowledge.projects : []
  const said = await searchChats(
    parts,
    { chats: knowledge.chats, projects: past, asking: message },
    words,
    plan.passages,
  )
  const { web } = parts.assistant
  const from_web = web && plan.tools.has('web') ? await searchWeb(parts, web, words, notes) : []
  return {
    skills: skillsOf(parts, message.project, options),
    memories: plan.tools.has('memories') ? memoriesOf(parts, turn) : [],
    quotes: [...from_files, ...said, ...from_web],
    conversation: conversationOf(parts, message),
    notes,
  }
}

async function passagesOf(
  { reader, assets }: Parts,
  { projects, assets: chosen }: Knowledge,
  words: readonly string[],
  max_passages: number,
): Promise<Quote[]> {
  const limit = Math.max(min_hits, 2 * max_passages)
  const hits = await reader.ask('search', { words, projects, assets: chosen, limit })
  return hits
    .flatMap(({ asset, text }) => {
      const row = assets.bySeq(asset)
      return row?.status === 'ready' ? [{ source: row.filename, text }] : []
    })
    .slice(0, max_passages)
}

/** A search that fails costs the answer its results, not more. */
async function searchWeb(
  { log, signal }: Parts,
  web: Web,
  words: readonly string[],
  notes: string[],
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

function skillsOf({ resources }: Parts, project: number, { skills, user }: TurnOptions): Material['skills'] {
  return skills.flatMap((name) => {
    const row = resources.named({ kind: 'skill', project, user }, name)
    return row?.enabled === 1 ? [{ name, content: (JSON.parse(row.fields) as SkillCreate).content }] : []
  })
}

/** Those that the one who asks sees, the most important first, of equal ones the newest. */
function memoriesOf({ resources, assistant }: Parts, { message, options }: Turn): Memory[] {
  return resources
    .enabled({ kind: 'memory', project: message.project, user: options.user })
    .map(({ fields, owner }) => ({ ...(JSON.parse(fields) as MemoryCreate), is_own: owner !== null }))
    .sort((one, other) => other.importance - one.importance)
    .slice(0, assistant.config.memories_most)
    .map(({ content, category, is_own }) => ({ source: `memory (${category})`, text: content, is_own }))
}

function conversationOf({ chats }: Parts, { chat, seq }: MessageRow): Material['conversation'] {
  return chats
    .messages(chat)
    .filter((earlier) => earlier.seq < seq && earlier.status === 'done')
    .map(({ prompt, response }) => ({ prompt, response: response ?? '' }))
}

interface ChatSearch {
  /** Read through, the chat of the turn itself included where it is named. */
  chats: readonly number[]
  /** With every other chat in them. */
  projects: readonly number[]
  /** The turn that asks, which is not its own source. */
  asking: Pick<MessageRow, 'seq' | 'chat'>
}

/** Turns between which the event loop goes on: they are in no index, and fifty of 5,000 characters take some 30 ms. */
const page_turns = 50

/** The best passages of what was said there, of the newest `past_chars_most` characters. */
async function searchChats(
  { chats, assistant }: Parts,
  { chats: named, projects, asking }: ChatSearch,
  words: readonly string[],
  max_passages: number,
): Promise<Quote[]> {
  const is_named = new Set(named)
  const sources = [
    { where: { chats: named }, has: ({ seq }: MessageRow) => seq !== asking.seq },
    { where: { projects }, has: ({ chat }: MessageRow) => chat !== asking.chat && !is_named.has(chat) },
  ]
  let best: Quote[] = []
  let left_chars = assistant.config.past_chars_most
  for (const { where, has } of sources) {
    let before_seq = Number.MAX_SAFE_INTEGER
    while (left_chars > 0) {
      const page = chats.answeredTurns(where, before_seq, page_turns)
      const passages: Quote[] = []
      for (const { message_id, prompt, response } of page.filter(has)) {
        if (left_chars <= 0) break
        const text = `${prompt}\n\n${withoutNote(response ?? '')}`
        left_chars -= text.length
        for (const each of splitPassages(text)) passages.push({ source: message_id, text: each })
      }
      best = bestPassages([...best, ...passages], words, max_passages)
      if (page.length < page_turns) break
      before_seq = page.at(-1)!.seq
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return best
}
