import { messageOf } from '../../base/run/errors.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { backoff_ms, second_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import type { MessageRow } from '../store/store-chats.ts'
import type { Outcome } from './assistant.ts'
import { scopeSize } from './scope.ts'
import { gatherMaterial } from './turn-material.ts'
import { keptOptions, planTurn } from './turn-plan.ts'

type Asked = MessageRow & { project: number }

const idle_ms = 60 * second_ms
/** Waits after failed attempts. A short fault is over in a second; longer waits spare the host. */
const retry_backoff = { first_ms: second_ms, max_ms: 30 * second_ms }
/** Time until a finished answer that could not be written is written again. */
const write_retry_ms = 5 * second_ms

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
      // A full disk stays full for a while. Keep the answer, so that no model is asked again.
      while (!signal.aborted && !(await isWritten(keep))) await clock.sleep(write_retry_ms, signal)
    } catch (error) {
      if (!signal.aborted) on_error(error)
      await clock.sleep(retry_backoff.max_ms, signal)
    }
    under_way.delete(message.seq)
    worker.wake()
  }

  async function isWritten(keep: () => void): Promise<boolean> {
    try {
      await parts.commits.write(keep)
      return true
    } catch (error) {
      if (!signal.aborted) on_error(error)
      return false
    }
  }

  return {
    ...worker,
    ended: worker.ended.then(async () => void (await Promise.all(under_way.values()))),
  }
}

/**
 * Makes one attempt. Returns the function that writes its outcome to the database: the answer, or
 * the time of the next attempt, or `error` after the deadline and for an injected failure.
 */
async function answerOne(parts: Parts, message: Asked): Promise<() => void> {
  const { chats, assistant, settings, injected_faults, clock, log } = parts
  const fails = message.attempts === 0 && injected_faults.failsAnswer()
  const outcome: Outcome = fails ? { fault: 'fault injection' } : await attempt(parts, message)
  const now_ms = clock.now_ms()
  if ('response' in outcome) return () => chats.answer(message, 'done', outcome.response, now_ms)

  const deadline_ms =
    message.created_at_ms + settings.answer_delay_ms + assistant.config.deadline_ms
  const gives_up = fails || now_ms >= deadline_ms
  const wait_ms = Math.max(outcome.retry_after_ms ?? 0, backoff_ms(message.attempts, retry_backoff))
  const next_ms = Math.min(now_ms + wait_ms, deadline_ms)
  const next = gives_up
    ? 'it is given up'
    : `it is tried again in ${Math.ceil((next_ms - now_ms) / second_ms)} s`
  log(`the message ${message.message_id} got no answer: ${outcome.fault}; ${next}`)
  return () =>
    gives_up ? chats.answer(message, 'error', null, now_ms) : chats.defer(message.seq, next_ms)
}

async function attempt(parts: Parts, message: Asked): Promise<Outcome> {
  const { assistant, signal } = parts
  const { prompt, attempts } = message
  try {
    const options = keptOptions(message.options)
    const asked = { prompt, scope_ids: scopeSize(message.scope), skills: options.skills.length }
    const plan = planTurn(assistant.config, options, asked)
    const material = await gatherMaterial(parts, { message, options, plan })
    return await assistant.answer({ prompt, plan, attempts, ...material }, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return { fault: messageOf(error) }
  }
}
