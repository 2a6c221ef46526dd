import { messageOf } from '../../base/run/errors.ts'
import { hasAllAnswers, requestIn } from '../../base/text/prompt-lines.ts'
import type { MemoryCreate, SkillCreate } from '../../contract/messages/messages-resources.ts'
import { splitPassages } from '../ingest/passages/split-passages.ts'
import type { Parts } from '../parts.ts'
import { progressText } from '../store/passages/passage-index.ts'
import type { MessageRow } from '../store/store-chats.ts'
import { bestPassages, namedWords, type Quote, withoutNote } from './answer-text.ts'
import { findInFiles } from './find-passages.ts'
import type { Memory, PreparedTurn } from './prepared-turn.ts'
import { searchWords } from './question.ts'
import { expandScope, filesAsked, type Knowledge } from './scope.ts'
import type { TurnOptions, TurnPlan } from './turn-plan.ts'
import type { Web } from './web-search.ts'

export interface Turn {
  message: MessageRow & { project: number }
  options: TurnOptions
  plan: TurnPlan
}

export type Material = Omit<PreparedTurn, 'prompt' | 'plan' | 'attempts'>

/** The numbers of what the scope of a turn has, for the user who asked. */
export function knowledgeOf(parts: Parts, { message, options }: Turn): Knowledge {
  return expandScope(parts, { project: message.project, user: options.user }, message.scope)
}

/** Gathers what the answer may use. Things that were removed since the question add nothing. */
export async function gatherMaterial(
  parts: Parts,
  turn: Turn,
  knowledge: Knowledge,
): Promise<Material> {
  const { message, options, plan } = turn
  const request = requestIn(message.prompt, filesAsked(message.scope))
  const words = searchWords(request)
  const notes = indexNotes(parts)
  const searched = plan.tools.has('passages')
    ? knowledge
    : { ...knowledge, projects: [], assets: [] }
  const from_files = await findInFiles(parts, searched, request, plan.passages)
  const past = plan.tools.has('past_chats') ? knowledge.projects : []
  // A model has the answers to all parts in the question; a search would repeat some of them.
  const has_all = parts.assistant.model !== undefined && hasAllAnswers(message.prompt)
  const said = await searchChats(
    parts,
    { chats: has_all ? [] : knowledge.chats, projects: past, asking: message },
    words,
    plan.passages,
  )
  const { web } = parts.assistant
  const from_web = web && plan.tools.has('web') ? await searchWeb(parts, web, words, notes) : []
  return {
    skills: skillsOf(parts, message.project, options),
    memories: plan.tools.has('memories') ? memoriesOf(parts, turn) : [],
    ...from_files,
    words,
    quotes: [...from_files.quotes, ...said, ...from_web],
    conversation: conversationOf(parts, message),
    notes: [...notes, ...unknownNotes(from_files.unknown)],
  }
}

/** A passage that has some words of a question seems to answer all of it. */
function unknownNotes(unknown: readonly string[]): string[] {
  return unknown.length === 0 ? [] : [`No file asked about has: ${namedWords(unknown)}.`]
}

/** What the answer says while the index is being made anew. */
function indexNotes({ indexing }: Parts): string[] {
  if (indexing.progress === undefined) return []
  const text = progressText(indexing.progress)
  return [`The index is being made anew, so this answer may leave out files: ${text}.`]
}

/** If the search fails, the answer is written without its results, and a note says so. */
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
    log(`the web search failed, so an answer goes without it: ${messageOf(error)}`)
    notes.push('The web search failed, so this answer does not use the web.')
    return []
  }
}

function skillsOf(
  { resources }: Parts,
  project: number,
  { skills, user }: TurnOptions,
): Material['skills'] {
  return skills.flatMap((name) => {
    const row = resources.named({ kind: 'skill', project, user }, name)
    return row?.enabled === 1
      ? [{ name, content: (JSON.parse(row.fields) as SkillCreate).content }]
      : []
  })
}

/** The memories that the user can see, the most important first, then the newest first. */
function memoriesOf({ resources, assistant }: Parts, { message, options }: Turn): Memory[] {
  return resources
    .enabled({ kind: 'memory', project: message.project, user: options.user })
    .map(({ fields, owner }) => ({
      ...(JSON.parse(fields) as MemoryCreate),
      is_own: owner !== null,
    }))
    .sort((one, other) => other.importance - one.importance)
    .slice(0, assistant.config.max_memories)
    .map(({ content, category, is_own }) => ({
      source: `memory (${category})`,
      text: content,
      is_own,
    }))
}

function conversationOf({ chats }: Parts, { chat, seq }: MessageRow): Material['conversation'] {
  return chats
    .messages(chat)
    .filter((earlier) => earlier.seq < seq && earlier.status === 'done')
    .map(({ prompt, response }) => ({ prompt, response: response ?? '' }))
}

interface ChatSearch {
  /** Chats that the scope names. The chat of the turn itself may be one of them. */
  chats: readonly number[]
  /** Projects whose other chats are read after those, without the chat of the turn. */
  projects: readonly number[]
  /** The turn that asks; it is not its own source. */
  asking: Pick<MessageRow, 'seq' | 'chat'>
}

/** Turns between two yields to the event loop: fifty of 5,000 characters take about 30 ms. */
const page_turns = 50

/** The best passages of these chats. It reads about `max_past_chars` characters, newest first. */
async function searchChats(
  { chats, assistant }: Parts,
  { chats: named, projects, asking }: ChatSearch,
  words: readonly string[],
  max_passages: number,
): Promise<Quote[]> {
  const is_named = new Set(named)
  const sources = [
    { where: { chats: named }, has: ({ seq }: MessageRow) => seq !== asking.seq },
    {
      where: { projects },
      has: ({ chat }: MessageRow) => chat !== asking.chat && !is_named.has(chat),
    },
  ]
  let best: Quote[] = []
  let left_chars = assistant.config.max_past_chars
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
