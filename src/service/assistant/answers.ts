import { messageOf } from '../../base/run/errors.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { second_ms } from '../../base/time/time.ts'
import { every_file_skill } from '../../contract/every-file-skill.ts'
import type { Parts } from '../parts.ts'
import type { MessageRow } from '../store/store-chats.ts'
import { answerTurn } from './answer-turn.ts'
import type { Outcome } from './assistant.ts'
import { withCheckedQuotations } from './check-answer.ts'
import { keepWriting } from './keep-writing.ts'
import { shownFault } from './model/model-answer.ts'
import { nextAttempt_ms, nextText } from './model/model-host.ts'
import { scopeSize } from './scope.ts'
import { keptOptions, planTurn } from './turn-plan.ts'

type Asked = MessageRow & { project: number }

const idle_ms = 60 * second_ms
/** After a fault of this machine, such as a database that cannot be read. */
const fault_rest_ms = 30 * second_ms

/**
 * Writes answers, several at once, but one after the other within a chat. The database rows are the
 * queue: a turn stays `running` until its answer is committed. The next start asks again for an
 * answer that a kill or a stop has cut off (C-17).
 */
export function runAnswers(parts: Parts): Worker {
  const { chats, assistant, clock, signal, on_error } = parts
  const { answers_at_once } = assistant.config
  const under_way = new Map<number, Promise<void>>()

  const worker = runWorker({
    ...parts,
    name: 'answers',
    async step() {
      const now_ms = clock.now_ms()
      for (const message of chats.unanswered(2 * answers_at_once + 1)) {
        if (under_way.has(message.seq)) continue
        if (message.answer_due_ms > now_ms)
          return { wait_ms: Math.min(idle_ms, message.answer_due_ms - now_ms) }
        if (under_way.size >= answers_at_once) break
        under_way.set(message.seq, begin(message))
      }
      // Each finished answer wakes this worker.
      return { wait_ms: idle_ms }
    },
  })

  async function begin(message: Asked): Promise<void> {
    try {
      const keep = await answerOne(parts, message)
      await keepWriting(parts, keep)
    } catch (error) {
      if (!signal.aborted) on_error(error)
      await clock.sleep(fault_rest_ms, signal)
    }
    under_way.delete(message.seq)
    worker.wake()
  }

  return {
    ...worker,
    ended: worker.ended.then(async () => void (await Promise.all(under_way.values()))),
  }
}

/**
 * Makes one attempt. Returns the function that writes its outcome to the database: the answer, or
 * the time of the next attempt, or `error` with its reason after the deadline, for a refusal of the
 * model's host and for an injected failure.
 */
async function answerOne(parts: Parts, message: Asked): Promise<() => void> {
  const { chats, assistant, settings, injected_faults, clock, log } = parts
  const fails = message.attempts === 0 && injected_faults.failsAnswer()
  const injected: Outcome = { fault: 'fault injection', max_attempts: 1 }
  const outcome = fails ? injected : await attempt(parts, message)
  const now_ms = clock.now_ms()
  if ('response' in outcome) {
    const { response, calls, record } = outcome
    const ended = { status: 'done', response, calls, outcome: JSON.stringify(record) } as const
    return () => chats.end(message, ended, now_ms)
  }

  // A turn that reads many files may take longer: its deadline counts from the last notes.
  const begun_ms = parts.reading_notes.newest_ms(message.seq) ?? message.created_at_ms
  const deadline_ms = begun_ms + settings.answer_delay_ms + assistant.config.deadline_ms
  const next_ms = nextAttempt_ms(outcome, message.attempts, now_ms, deadline_ms)
  log(
    `the message ${message.message_id} got no answer: ${outcome.fault}; ${nextText(next_ms, now_ms)}`,
  )
  const response =
    fails || outcome.is_private ? null : `There is no answer, because ${shownFault(outcome)}.`
  const ended = { status: 'error', response, calls: 0, outcome: null } as const
  return () =>
    next_ms === undefined ? chats.end(message, ended, now_ms) : chats.defer(message.seq, next_ms)
}

async function attempt(parts: Parts, message: Asked): Promise<Outcome> {
  const { assistant, signal } = parts
  try {
    const options = keptOptions(message.options)
    // How a turn reads is not its mode, so that skill does not count.
    const skills = options.skills.filter((name) => name !== every_file_skill).length
    const asked = { prompt: message.prompt, scope_ids: scopeSize(message.scope), skills }
    const plan = planTurn(assistant.config, options, asked)
    const turn = { message, options, plan }
    const outcome = await answerTurn(parts, turn)
    // Without a model, the answer is made of quotations.
    const is_written = 'response' in outcome && assistant.model !== undefined
    return is_written ? await withCheckedQuotations(parts, turn, outcome) : outcome
  } catch (error) {
    if (signal.aborted) throw error
    return { fault: messageOf(error), is_private: true }
  }
}
