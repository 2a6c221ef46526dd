import { messageOf } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import { bestPassages, composeAnswer, type Quote, searchWords } from './answer-text.ts'
import type { CommitGroup } from './commit-group.ts'
import type { Reader } from './reader.ts'
import { expandScope, type Knowledge, type ScopeParts } from './scope.ts'
import { splitPassages } from './split-passages.ts'
import type { MessageRow } from './store-chats.ts'

export interface AnswerParts extends ScopeParts {
  commits: CommitGroup
  reader: Reader
  /** Called once per answer. */
  fails: () => boolean
  clock: Clock
  signal: AbortSignal
  log: (line: string) => void
  on_error: (error: unknown) => void
}

const idle_ms = 60 * second_ms
/** Questions answered before the next look at the queue. */
const batch_most = 8
/** Passages that an answer quotes: what a person reads in one go. */
const quotes_most = 6
/** Looked at to find them, as the index may still know assets that were removed a moment ago. */
const hits_most = 60

/** Writes the answers. The rows are the queue: after a kill a question that was asked is still answered, once. */
export function runAnswers(parts: AnswerParts): Worker {
  const { chats, commits, fails, clock, signal, log, on_error } = parts
  return runWorker({
    name: 'answers',
    clock,
    signal,
    on_error,
    async step() {
      for (const message of chats.dueForAnswer(clock.now_ms(), batch_most)) {
        let response: string | null = null
        try {
          if (!fails()) response = await answerOne(parts, message)
        } catch (error) {
          if (signal.aborted) throw error
          log(`${message.message_id} could not be answered: ${messageOf(error)}`)
        }
        const status = response === null ? 'error' : 'done'
        await commits.write(() => chats.answer(message, status, response, clock.now_ms()))
      }
      const next_ms = chats.nextAnswerDue()
      return { wait_ms: next_ms === undefined ? idle_ms : Math.min(idle_ms, next_ms - clock.now_ms()) }
    },
  })
}

async function answerOne(parts: AnswerParts, message: MessageRow & { project: number }): Promise<string> {
  const { access, reader } = parts
  const knowledge = expandScope(parts, message.project, access.projectNumber, message.scope)
  const words = searchWords(message.prompt)
  const { projects, assets } = knowledge
  const hits = await reader.ask('search', { words, projects, assets, limit: hits_most })
  const quotes: Quote[] = []
  for (const { asset, text } of hits) {
    const row = parts.assets.bySeq(asset)
    if (row?.status === 'ready' && quotes.length < quotes_most) quotes.push({ source: row.filename, text })
  }
  return composeAnswer([...quotes, ...fromChats(parts, knowledge, words, message)])
}

/** What was said in the chats of the scope; the turn that asks is not its own source. */
function fromChats(
  { chats }: AnswerParts,
  knowledge: Knowledge,
  words: readonly string[],
  asking: MessageRow,
): Quote[] {
  const said = knowledge.chats
    .flatMap((chat) => chats.messages(chat))
    .filter((message) => message.status === 'done' && message.seq !== asking.seq)
    .flatMap(({ message_id, prompt, response }) =>
      splitPassages(`${prompt}\n\n${response ?? ''}`).map((text) => ({ source: message_id, text })),
    )
  return bestPassages(said, words, quotes_most)
}
