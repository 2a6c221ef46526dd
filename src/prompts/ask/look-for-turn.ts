import { backoff_ms, day_ms, minute_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import type { Failure } from '../../remote/outcome.ts'
import { matchesRun } from '../plan/question.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import { isNotFound, noteOf, type RunTools, setBack } from '../run-tools.ts'

/**
 * How far before its intent a turn may seem to have been made: clocks of machines without a battery or with the wrong zone are
 * off by up to a day. A look further back costs reads only, for the line that is looked for carries the due time.
 */
const skew_ms = day_ms
/** 10,000 chats made since: more than any project makes between a crash and the next start, and an end for a list without one. */
const pages_most = 100
/** Those nearest to the intent in time; each costs two reads. */
const candidates_most = 1_000
/** At its own pace, not that of an answer that is surely coming. */
const rest_most_ms = minute_ms

interface Candidate {
  chat_id: string
  /** Absent: the first message of the chat. */
  message_id?: string
}

/** A list or a message could not be read. */
class Unread extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * Finds out what became of a turn that was sent, or was about to be: among the chats made since (of a chat that goes on, its
 * messages since) the one that carries the run's line is it. None, and no chat is left whose prompt cannot be seen yet: it is
 * asked once more, and that once only.
 */
export async function lookForTurn(work: RunWork, settings: PromptSettings, tools: RunTools): Promise<RunFact[]> {
  const { circuit, clock, asking, soft, hard } = tools
  const { run, project_id } = work
  const intended_ms = work.turns[work.turn]!.intended_ms ?? clock.now_ms()
  const looking = new Patience(clock, intended_ms, asking.look_for_ms)
  const unseen = new Patience(clock, intended_ms, asking.deadline_ms[settings.intelligence])
  const search = new Search(work, tools)
  for (let tries = 0; !soft.aborted; tries++) {
    try {
      const found = await search.pass()
      await circuit.succeeded(project_id, 'api')
      if (found)
        return [
          { type: 'turn_asked', run, ...found, note: 'the question was found on the service, and not asked again' },
        ]
      if (looking.isOver() && (search.unread === 0 || unseen.isOver())) return [lostTurn(work, 'turn.lost')]
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      if (hard.aborted) return []
      const holds = (await circuit.failed(error.failure, project_id, 'api')) === 'hold'
      const is_late = holds ? clock.now_ms() - intended_ms > asking.look_for_ms : tries > 0 && looking.isOver()
      // Set back, so that a day without an end ends it.
      if (is_late) return [setBack(work, noteOf(error.failure), tools)]
      if (holds) return []
    }
    await clock.sleep(backoff_ms(tries, { first_ms: asking.first_ms, most_ms: rest_most_ms }), soft)
  }
  return []
}

class Search {
  /** Candidates of the last pass whose prompt could not be seen. */
  unread = 0
  readonly #work: RunWork
  readonly #tools: RunTools
  /** Chats and messages that are surely not it: of others, of other turns, or lost before. */
  readonly #others = new Set<string>()

  constructor(work: RunWork, tools: RunTools) {
    this.#work = work
    this.#tools = tools
    for (const { message_id } of work.turns) if (message_id !== undefined) this.#others.add(message_id)
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
    const going_on = turn > 0 ? turns[0]!.chat_id : chat_id
    return going_on === undefined ? this.#chatsSince() : this.#messagesOf(going_on)
  }

  /** Nearest to the intent first. */
  async #chatsSince(): Promise<Candidate[]> {
    const { remote, clock } = this.#tools
    const { project_id } = this.#work
    const intended_ms = this.#intended_ms()
    const found: { chat_id: string; distance_ms: number }[] = []
    let after_id: string | undefined
    for (let page = 0; page < pages_most; page++) {
      const outcome = await remote.listChats(project_id, { after_id })
      if (!outcome.ok) throw new Unread(outcome.failure)
      const since_ms = Math.min(intended_ms, outcome.date_ms ?? clock.now_ms()) - skew_ms
      let is_older = false
      for (const { chat_id, created_at_ms = intended_ms } of outcome.value.items) {
        if (created_at_ms < since_ms) is_older = true
        else if (!this.#others.has(chat_id)) found.push({ chat_id, distance_ms: Math.abs(created_at_ms - intended_ms) })
      }
      after_id = outcome.value.next
      if (is_older || after_id === undefined) break
    }
    return found.sort((a, b) => a.distance_ms - b.distance_ms).slice(0, candidates_most)
  }

  async #messagesOf(chat_id: string): Promise<Candidate[]> {
    const outcome = await this.#tools.remote.listMessages(this.#work.project_id, chat_id)
    // A chat that is gone holds no turn of ours any more.
    if (!outcome.ok && isNotFound(outcome.failure)) return []
    if (!outcome.ok) throw new Unread(outcome.failure)
    const since_ms = this.#intended_ms() - skew_ms
    return outcome.value
      .filter(
        ({ message_id, created_at_ms }) => !this.#others.has(message_id) && (created_at_ms ?? since_ms) >= since_ms,
      )
      .slice(-candidates_most)
      .reverse()
      .map(({ message_id }) => ({ chat_id, message_id }))
  }

  async #check({ chat_id, message_id }: Candidate): Promise<{ chat_id: string; message_id: string } | undefined> {
    const first = message_id ?? (await this.#firstMessage(chat_id))
    if (first === undefined) return undefined
    if (this.#others.has(first)) {
      this.#others.add(chat_id)
      return undefined
    }
    const outcome = await this.#tools.remote.readMessage(this.#work.project_id, chat_id, first)
    if (!outcome.ok && !isNotFound(outcome.failure)) throw new Unread(outcome.failure)
    // Hosted, a young message cannot be found yet.
    if (!outcome.ok) this.unread++
    else if (outcome.value.prompt !== undefined) {
      if (this.#isOurs(outcome.value.prompt)) return { chat_id, message_id: first }
      this.#others.add(message_id ?? chat_id)
    } else if (outcome.value.state === 'failed') this.#others.add(message_id ?? chat_id)
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

  #isOurs(prompt: string): boolean {
    return matchesRun(prompt, this.#work)
  }

  #intended_ms(): number {
    return this.#work.turns[this.#work.turn]!.intended_ms ?? this.#tools.clock.now_ms()
  }
}

/** How a turn is lost, by the code of the failure. The run's notes begin with these words. */
const losses = {
  'turn.lost': 'the question was not found on the service',
  'answer.error': 'the service ended the turn with an error',
} as const

/**
 * A lost turn is asked once more for each way in which it may be lost, and that once only: one that was not found after it had been
 * looked for, and one that the service ended. Then the run fails.
 */
export function lostTurn({ run, turn, turns, notes }: RunWork, code: keyof typeof losses): RunFact {
  const what = losses[code]
  // The newest losses that were noted are this turn's: turns are asked one after the other.
  const all = notes.filter((note) => Object.values(losses).some((words) => note.startsWith(words)))
  const { asked_again } = turns[turn]!
  const before = asked_again === 0 ? [] : all.slice(-asked_again)
  // One that was not noted may have been of either kind.
  const may_repeat = before.length === asked_again && !before.some((note) => note.startsWith(what))
  if (may_repeat) return { type: 'turn_lost', run, why: `${what}: asked once more` }
  return { type: 'run_failed', run, error: { code, message: `${what}, twice; its files stay fresh for the next run` } }
}
