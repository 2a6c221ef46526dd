import { formatDuration } from '../../base/text/format.ts'
import { backoff_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import type { Message } from '../../remote/chats.ts'
import { type Failure, failureText } from '../../remote/outcome.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import { isNotFound, noteOf, type RunTools, setBack } from '../run-tools.ts'
import { lostTurn } from './look-for-turn.ts'

/** Of looks that failed after the deadline, each after a pause: a fault that passes meanwhile ends no run whose answer is there. */
const late_looks = 5

/**
 * Reads the turn until it has its answer, a sign of failure, or no time left: a service that shows no errors leaves only the
 * deadline. It ends the run whatever the last look said; only while nobody can look (no line, the account or the project is
 * refused) the run waits on, for a day.
 */
export async function awaitAnswer(work: RunWork, settings: PromptSettings, tools: RunTools): Promise<RunFact[]> {
  const { remote, circuit, clock, asking, soft, hard } = tools
  const { run, project_id } = work
  const { chat_id, message_id, asked_ms } = work.turns[work.turn]!
  const deadline_ms = asking.deadline_ms[settings.intelligence]
  const began_ms = asked_ms ?? clock.now_ms()
  const patience = new Patience(clock, began_ms, deadline_ms)
  for (let tries = 0; !soft.aborted; tries++) {
    const outcome = await remote.readMessage(project_id, chat_id!, message_id!)
    if (hard.aborted) return []
    // A young message may not be found yet: the service answered all the same.
    if (outcome.ok || isNotFound(outcome.failure)) {
      await circuit.succeeded(project_id, 'api')
      if (outcome.ok && outcome.value.state !== 'running') return judge(work, outcome.value)
    } else if ((await circuit.failed(outcome.failure, project_id, 'api')) === 'hold') {
      if (clock.now_ms() - began_ms <= deadline_ms) return []
      const is_lasting = isAnswered(outcome.failure) && work.attempts >= late_looks
      return [is_lasting ? tooLate(run, deadline_ms, outcome.failure) : setBack(work, noteOf(outcome.failure), tools)]
    }
    if (patience.isOver()) return [tooLate(run, deadline_ms, outcome.ok ? undefined : outcome.failure)]
    await clock.sleep(backoff_ms(tries, asking), soft)
  }
  return []
}

/** By the service, or by what stands in its place: it can be reached, and its answer is none. */
function isAnswered({ about, status }: Failure): boolean {
  return status !== undefined && (about === 'later' || about === 'unknown_protocol')
}

function tooLate(run: number, deadline_ms: number, last: Failure | undefined): RunFact {
  const why = last === undefined ? '' : `; the last look failed: ${failureText(last)}`
  return failed(run, 'answer.deadline', `no answer in ${formatDuration(deadline_ms)}${why}`)
}

function judge(work: RunWork, { state, response = '' }: Message): RunFact[] {
  const { run } = work
  if (state === 'failed') return [lostTurn(work, 'answer.error')]
  if (response.trim() === '') return [failed(run, 'answer.empty', 'the service gave an empty answer')]
  return [{ type: 'turn_answered', run, answer: response }]
}

function failed(run: number, code: string, what: string): RunFact {
  return { type: 'run_failed', run, error: { code, message: `${what}; its files stay fresh for the next run` } }
}
