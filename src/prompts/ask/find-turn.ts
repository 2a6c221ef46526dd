import { backoff_ms, day_ms, minute_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { walkList } from '../../remote/list-place.ts'
import type { Failure } from '../../remote/outcome.ts'
import { matchesRun } from '../plan/question.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import { defer, isNotFound, noteOf, type RunTools } from '../run-tools.ts'
import { known_notes } from '../words.ts'

/**
 * How long before its intent a turn may seem to have been made: clocks without a battery or with a
 * wrong zone are off by up to a day. A search further back costs only reads, because the run line
 * contains the due time.
 */
const skew_ms = day_ms
/** 10,000 chats; no project makes more between crash and start. Bounds an endless list, too. */
const max_pages = 100
/** Number of candidates to read, nearest to the intent first; each costs two reads. */
const max_candidates = 1_000
/** Maximum pause between searches. It has its own value, because here an answer may not exist. */
const max_rest_ms = minute_ms

interface Candidate {
  chat_id: string
  /** Absent: the first message of the chat. */
  message_id?: string
}

/** Thrown when a list or a message could not be read. */
class Unread extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * Finds out what became of a turn that was sent, or was about to be. It reads the new messages of
 * the chat in which it may be, and the chats made since, and searches for the run's line. The turn is lost if no
 * turn has it within `find_turn_ms`, and all candidates could be read or the deadline for the
 * answer has passed. A lost turn is asked once more (`lostTurn`).
 */
export async function findTurn(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<RunFact[]> {
  const { circuit, clock, asking, soft, hard } = tools
  const { run, project_id } = work
  const intended_ms = work.turns[work.turn]!.intended_ms ?? clock.now_ms()
  const searching = new Patience(clock, intended_ms, asking.find_turn_ms)
  const unseen = new Patience(clock, intended_ms, asking.deadline_ms[settings.intelligence])
  const search = new Search(work, tools)
  for (let tries = 0; !soft.aborted; tries++) {
    try {
      const found = await search.pass()
      await circuit.succeeded('message', project_id)
      if (found)
        return [
          {
            type: 'turn_asked',
            run,
            ...found,
            note: known_notes.found,
          },
        ]
      if (searching.isOver() && (search.unread === 0 || unseen.isOver()))
        return [lostTurn(work, 'turn.lost')]
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      if (hard.aborted) return []
      const holds = (await circuit.failed(error.failure, project_id)).fact === 'untried'
      const is_late = holds
        ? clock.now_ms() - intended_ms > asking.find_turn_ms
        : tries > 0 && searching.isOver()
      // Deferred, so that the run ends after a day of failures.
      if (is_late) return [defer(work, noteOf(error.failure), tools)]
      if (holds) return []
    }
    await clock.sleep(backoff_ms(tries, { first_ms: asking.first_ms, max_ms: max_rest_ms }), soft)
  }
  return []
}

class Search {
  /** Number of candidates in the last pass whose prompt could not be read. */
  unread = 0
  readonly #work: RunWork
  readonly #tools: RunTools
  /** Chats and messages that are surely not this turn: of others, or lost before. */
  readonly #others = new Set<string>()

  constructor(work: RunWork, tools: RunTools) {
    this.#work = work
    this.#tools = tools
    for (const { message_id } of work.turns) {
      if (message_id !== undefined) this.#others.add(message_id)
    }
  }

  async pass(): Promise<{ chat_id: string; message_id: string } | undefined> {
    this.unread = 0
    for (const candidate of await this.#candidates()) {
      const found = await this.#check(candidate)
      if (found) return found
      if (this.#tools.soft.aborted) return undefined
    }
    return undefined
  }

  async #candidates(): Promise<Candidate[]> {
    const { turn, turns, chat_id } = this.#work
    // An earlier version asked all turns in the first one's chat.
    const known = [chat_id, turn > 0 ? turns[0]!.chat_id : undefined]
    const found: Candidate[] = []
    for (const known_id of new Set(known))
      if (known_id !== undefined) found.push(...(await this.#messagesOf(known_id)))
    const is_in_chat = turns.length === 1 && chat_id !== undefined
    return is_in_chat ? found : [...found, ...(await this.#chatsSince())]
  }

  /** Chats made since about the intent, nearest to it first. */
  async #chatsSince(): Promise<Candidate[]> {
    const { remote, clock } = this.#tools
    const { project_id } = this.#work
    const intended_ms = this.#intended_ms()
    const found: { chat_id: string; distance_ms: number }[] = []
    const readPage = (after_id: string | undefined) => remote.listChats(project_id, { after_id })
    for await (const outcome of walkList(readPage, (chat) => chat.chat_id, max_pages)) {
      if (!outcome.ok) throw new Unread(outcome.failure)
      if (outcome.value.is_anew) found.length = 0
      const since_ms = Math.min(intended_ms, outcome.date_ms ?? clock.now_ms()) - skew_ms
      let is_older = false
      for (const { chat_id, created_at_ms = intended_ms } of outcome.value.items) {
        if (created_at_ms < since_ms) is_older = true
        else if (!this.#others.has(chat_id))
          found.push({ chat_id, distance_ms: Math.abs(created_at_ms - intended_ms) })
      }
      if (is_older) break
    }
    return found.sort((a, b) => a.distance_ms - b.distance_ms).slice(0, max_candidates)
  }

  async #messagesOf(chat_id: string): Promise<Candidate[]> {
    const outcome = await this.#tools.remote.listMessages(this.#work.project_id, chat_id)
    // A chat that is gone contains no turn of this run any more.
    if (!outcome.ok && isNotFound(outcome.failure)) return []
    if (!outcome.ok) throw new Unread(outcome.failure)
    const since_ms = this.#intended_ms() - skew_ms
    return outcome.value
      .filter(
        ({ message_id, created_at_ms }) =>
          !this.#others.has(message_id) && (created_at_ms ?? since_ms) >= since_ms,
      )
      .slice(-max_candidates)
      .reverse()
      .map(({ message_id }) => ({ chat_id, message_id }))
  }

  async #check({
    chat_id,
    message_id,
  }: Candidate): Promise<{ chat_id: string; message_id: string } | undefined> {
    const first = message_id ?? (await this.#firstMessage(chat_id))
    if (first === undefined) return undefined
    if (this.#others.has(first)) {
      this.#others.add(chat_id)
      return undefined
    }
    const outcome = await this.#tools.remote.readMessage(this.#work.project_id, chat_id, first)
    if (!outcome.ok && !isNotFound(outcome.failure)) throw new Unread(outcome.failure)
    // The hosted service cannot find a young message yet.
    if (!outcome.ok) this.unread++
    else if (outcome.value.prompt !== undefined) {
      if (matchesRun(outcome.value.prompt, this.#work)) return { chat_id, message_id: first }
      this.#others.add(message_id ?? chat_id)
    } else if (outcome.value.status === 'error') this.#others.add(message_id ?? chat_id)
    else this.unread++
    return undefined
  }

  async #firstMessage(chat_id: string): Promise<string | undefined> {
    const outcome = await this.#tools.remote.listMessages(this.#work.project_id, chat_id)
    if (!outcome.ok && !isNotFound(outcome.failure)) throw new Unread(outcome.failure)
    const first = outcome.ok ? outcome.value[0]?.message_id : undefined
    if (first === undefined) this.unread++
    return first
  }

  #intended_ms(): number {
    return this.#work.turns[this.#work.turn]!.intended_ms ?? this.#tools.clock.now_ms()
  }
}

/** How a turn is lost, by failure code. A note of the run about a loss begins with these words. */
const losses = {
  'turn.lost': 'the question was not found on the service',
  'answer.error': 'the service ended the turn with an error',
} as const

/**
 * A lost turn is asked once more for each cause: not found, or ended by the service. `said`: as in
 * TurnVerdict.
 */
export function lostTurn(
  { run, turn, turns, notes }: RunWork,
  code: keyof typeof losses,
  said = '',
): RunFact {
  const what = losses[code]
  // Turns are asked one after another, so the newest losses in the notes belong to this turn.
  const all = notes.filter((note) => Object.values(losses).some((words) => note.startsWith(words)))
  const { asked_again } = turns[turn]!
  const before = asked_again === 0 ? [] : all.slice(-asked_again)
  // A repeat without a note may have had either cause.
  const may_repeat = before.length === asked_again && !before.some((note) => note.startsWith(what))
  if (may_repeat) return { type: 'turn_lost', run, why: `${what}: asked once more${said}` }
  return {
    type: 'run_failed',
    run,
    error: { code, message: `${what}, twice; its files stay fresh for the next run${said}` },
  }
}
