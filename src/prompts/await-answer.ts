import { formatDuration } from '../base/format.ts'
import { backoff_ms } from '../base/time.ts'
import type { RunFact } from '../domain/run.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import type { Message } from '../remote/chats.ts'
import { Patience } from './patience.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { isNotFound, type RunTools } from './run-tools.ts'

/**
 * Reads the turn until it has its answer, a sign of failure, or no time left: a service that shows no errors leaves only the
 * deadline. It is judged after a look that the service answered, never while nobody could look.
 */
export async function awaitAnswer(work: RunWork, settings: PromptSettings, tools: RunTools): Promise<RunFact[]> {
  const { remote, circuit, clock, asking, soft, hard } = tools
  const { run, project_id } = work
  const { chat_id, message_id, asked_ms, asked_again } = work.turns[work.turn]!
  const deadline_ms = asking.deadline_ms[settings.intelligence]
  const patience = new Patience(clock, asked_ms ?? clock.now_ms(), deadline_ms)
  for (let tries = 0; !soft.aborted; tries++) {
    const outcome = await remote.readMessage(project_id, chat_id!, message_id!)
    if (hard.aborted) return []
    // A young message may not be found yet: the service answered all the same.
    if (outcome.ok || isNotFound(outcome.failure)) {
      await circuit.succeeded(project_id, 'api')
      if (outcome.ok && outcome.value.state !== 'running') return judge(run, outcome.value, asked_again)
      if (patience.isOver()) return [failed(run, 'answer.deadline', `no answer in ${formatDuration(deadline_ms)}`)]
    } else if ((await circuit.failed(outcome.failure, project_id, 'api')) === 'hold') return []
    await clock.sleep(backoff_ms(tries, asking), soft)
  }
  return []
}

function judge(run: number, { state, response = '' }: Message, asked_again: number): RunFact[] {
  if (state === 'failed') {
    if (asked_again === 0)
      return [{ type: 'turn_lost', run, why: 'the service ended the turn with an error: asked once more' }]
    return [failed(run, 'answer.error', 'the service ended the turn with an error, and so it did when asked once more')]
  }
  if (response.trim() === '') return [failed(run, 'answer.empty', 'the service gave an empty answer')]
  return [{ type: 'turn_answered', run, answer: response }]
}

function failed(run: number, code: string, what: string): RunFact {
  return { type: 'run_failed', run, error: { code, message: `${what}; its files stay fresh for the next run` } }
}
