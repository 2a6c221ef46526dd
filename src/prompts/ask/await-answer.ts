import { formatDuration } from '../../base/text/format.ts'
import { backoff_ms, day_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { type Failure, failureText } from '../../remote/outcome.ts'
import {
  judgeTurn,
  reads_alike,
  type ShownTurn,
  showsLife,
  type TurnVerdict,
} from '../../remote/turn-verdict.ts'
import { cutText } from '../plan/question.ts'
import { newReadingText } from '../plan/reading-of.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import { defer, isNotFound, noteOf, type RunTools } from '../run-tools.ts'
import { lostTurn } from './find-turn.ts'

/** Failed reads allowed after the deadline: a brief fault must not lose a possible answer. */
const max_late_reads = 5

/** A turn that shows signs of life for longer counts its steps in a circle. */
const max_turn_ms = day_ms

/**
 * Reads the turn until it has an answer, a failure, or no time left, which counts from its last
 * sign of life. If the service never reports a failure, only the deadline ends the run. While the
 * service cannot be asked (no network, account or project refused), the run waits for up to a day.
 */
export async function awaitAnswer(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<RunFact[]> {
  const { remote, circuit, clock, asking, soft, hard } = tools
  const { run, project_id } = work
  const { chat_id, message_id, asked_ms } = work.turns[work.turn]!
  const deadline_ms = asking.deadline_ms[settings.intelligence]
  const began_ms = asked_ms ?? clock.now_ms()
  const longest = new Patience(clock, began_ms, max_turn_ms)
  let alive_ms = began_ms
  let patience = new Patience(clock, began_ms, deadline_ms)
  let reads: ShownTurn[] = []
  for (let tries = 0; !soft.aborted; tries++) {
    const outcome = await remote.readMessage(project_id, chat_id!, message_id!)
    if (hard.aborted) return []
    if (outcome.ok) reads = [...reads, outcome.value].slice(-reads_alike)
    if (outcome.ok && showsLife(reads)) {
      alive_ms = clock.now_ms()
      patience = new Patience(clock, alive_ms, deadline_ms)
    }
    const is_late = patience.isOver() || longest.isOver()
    const verdict = judgeTurn(reads, is_late)
    // The service may not find a young message yet, but it has answered.
    if (outcome.ok || isNotFound(outcome.failure)) {
      await circuit.succeeded('message', project_id)
      const facts = factsOf(work, await withNotes(work, settings, tools, verdict))
      if (facts) return facts
    } else {
      const { fact } = await circuit.failed(outcome.failure, project_id)
      const is_over = clock.now_ms() - alive_ms > deadline_ms
      if (fact === 'untried' && !is_over) return []
      if (fact === 'untried' || (fact === 'refused' && is_over)) {
        const is_lasting = isAnswered(outcome.failure) && work.attempts >= max_late_reads
        return [
          is_lasting
            ? tooLate(run, deadline_ms, outcome.failure)
            : defer(work, noteOf(outcome.failure), tools),
        ]
      }
    }
    if (is_late && !(outcome.ok && verdict.state === 'unsure'))
      return [tooLate(run, deadline_ms, outcome.ok ? undefined : outcome.failure)]
    await clock.sleep(backoff_ms(tries, asking), soft)
  }
  return []
}

/** True if the service, or a proxy in its place, was reached and gave no usable answer. */
function isAnswered({ about, status }: Failure): boolean {
  return status !== undefined && ['later', 'right', 'unknown_protocol'].includes(about)
}

function tooLate(run: number, deadline_ms: number, last: Failure | undefined): RunFact {
  const why = last === undefined ? '' : `; the last read failed: ${failureText(last)}`
  return failed(run, 'answer.deadline', `no answer within ${formatDuration(deadline_ms)}${why}`)
}

/** The answer with what the report says about the questions of this run. */
async function withNotes(
  work: RunWork,
  settings: PromptSettings,
  { ledger }: RunTools,
  verdict: TurnVerdict,
): Promise<TurnVerdict> {
  if (verdict.state !== 'answered') return verdict
  const state = (await ledger.prompts()).find(({ name }) => name === work.prompt)
  const { calls } = verdict.told
  const notes = [verdict.note, cutText(work), newReadingText(work, settings, state, calls)]
  const note = notes.filter((text) => text !== undefined).join('; ')
  return note === '' ? verdict : { ...verdict, note }
}

/** Undefined while the turn goes on. */
function factsOf(work: RunWork, verdict: TurnVerdict): RunFact[] | undefined {
  const { run } = work
  if (verdict.state === 'failed') return [lostTurn(work, 'answer.error', verdict.said)]
  if (verdict.state !== 'answered') return undefined
  const { answer, told, note } = verdict
  return [{ type: 'turn_answered', run, answer, ...told, ...(note === undefined ? {} : { note }) }]
}

function failed(run: number, code: string, what: string): RunFact {
  return {
    type: 'run_failed',
    run,
    error: { code, message: `${what}; its files stay fresh for the next run` },
  }
}
