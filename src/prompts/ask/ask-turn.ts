import type { RunFact } from '../../domain/run.ts'
import { newTurn } from '../../domain/run-progress.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { type Failure, failureText, isSurelyUndone, type Outcome } from '../../remote/outcome.ts'
import { uncheckedIds } from '../plan/check-assets.ts'
import { type PlanChange, planRun } from '../plan/plan-run.ts'
import {
  asksForEveryFile,
  bodyToSend,
  isClosing,
  max_prompt_length,
  promptOf,
} from '../plan/question.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { deferUnsent, nameOf, noteOf, type RunTools } from '../run-tools.ts'

/**
 * Sends one turn; the ledger has its body before it is sent. If a failed call may have taken
 * effect, the run stays `asking`, and a later step searches for the turn. If the service refuses
 * the first turn (an id is gone, or the prompt may be too long), the run is planned again, once; the
 * closing turn is asked once more, without those ids or at half the length. The parts of a run have
 * chats of their own; its only or closing turn may continue an earlier chat.
 */
export async function askTurn(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<RunFact[]> {
  const { ledger, circuit, hard } = tools
  const { run, project_id } = work
  let planned = work
  let max_length: number | undefined
  for (let round = 0; ; round++) {
    const body = bodyToSend(planned, settings, max_length)
    await ledger.record([{ type: 'turn_intended', run, body }])
    if (!(await isIntended(planned, ledger))) {
      circuit.unused()
      return []
    }
    const outcome = await send(planned, body, tools)
    if (outcome.ok) {
      await circuit.succeeded('chat', project_id)
      return [{ type: 'turn_asked', run, ...outcome.value }]
    }
    const { failure } = outcome
    // The call was dropped midway. The next start finds out whether it reached the service.
    if (hard.aborted) return []
    const { fact } = await circuit.failed(failure, project_id)
    if (!isSurelyUndone(failure)) return []
    if (fact !== 'refused') return [deferUnsent(work, failure, tools)]
    const may_help = failure.about === 'content' && isOtherPossible(failure, body)
    const is_closing = isClosing(planned)
    const is_part = planned.turn > 0 && !is_closing
    if (round > 0 || is_part || !may_help) return [refused(run, failure, settings)]
    const unsent: RunFact = {
      type: 'turn_unsent',
      run,
      not_before_ms: tools.clock.now_ms(),
      error: noteOf(failure),
    }
    if (is_closing) {
      await ledger.record([unsent])
      if (isGone(failure)) planned = await withoutGone(planned, tools)
      else max_length = promptOf(body).length >> 1
      continue
    }
    const facts = await planAgain(planned, settings, failure, tools)
    const plan = facts.find((fact) => fact.type === 'run_planned')?.plan
    if (!plan) return [unsent, ...facts]
    if (plan.chat_id === planned.chat_id && plan.bodies[0] === body)
      return [refused(run, failure, settings)]
    await ledger.record([unsent, ...facts])
    tools.report.later(`${failureText(failure)}; the run is planned again`, nameOf(work))
    planned = { ...planned, chat_id: plan.chat_id, turn: 0, turns: plan.bodies.map(newTurn) }
  }
}

/** False if the config lost the prompt, which ends its run: a question now would get no report. */
async function isIntended({ prompt, run }: RunWork, ledger: RunTools['ledger']): Promise<boolean> {
  const state = (await ledger.prompts()).find(({ name }) => name === prompt)
  return state?.open_runs.some((open) => open.run === run && open.state === 'asking') ?? false
}

async function send(
  { project_id, turn, turns, chat_id }: RunWork,
  body: string,
  { remote }: RunTools,
): Promise<Outcome<{ chat_id: string; message_id: string }>> {
  const is_part = turn < turns.length - 1
  const going_on = is_part ? undefined : chat_id
  if (going_on === undefined) {
    const started = await remote.startChat(project_id, body)
    if (!started.ok) return started
    const { chat_id, message_id } = started.value
    return { ok: true, value: { chat_id, message_id } }
  }
  const appended = await remote.appendMessage(project_id, going_on, body)
  return appended.ok
    ? { ok: true, value: { chat_id: going_on, message_id: appended.value.message_id } }
    : appended
}

/** True if another plan may be taken. */
function isOtherPossible(failure: Failure, body: string): boolean {
  return isGone(failure) || isLong(body) || asksForEveryFile(body)
}

/** True if an id in the scope, or the chat, is gone. */
function isGone({ status }: Failure): boolean {
  return status === 404 || status === 410
}

/** The service may refuse content for its length, but not a prompt below half of the maximum. */
function isLong(body: string): boolean {
  return promptOf(body).length > max_prompt_length / 2
}

async function planAgain(
  work: RunWork,
  settings: PromptSettings,
  failure: Failure,
  tools: RunTools,
): Promise<RunFact[]> {
  return planRun(work, settings, tools, await changeAfter(work, failure, tools))
}

async function changeAfter(work: RunWork, failure: Failure, tools: RunTools): Promise<PlanChange> {
  const { body } = work.turns[0]!
  if (isGone(failure)) return { drop_chat: await isChatGone(work, tools) }
  return asksForEveryFile(body) ? { only_search: true } : { shorter_than: body }
}

/** The closing turn has the answers in its prompt, so it can do without the chats. */
async function withoutGone(work: RunWork, tools: RunTools): Promise<RunWork> {
  const turns = work.turns.map((turn) => ({ ...turn, chat_id: undefined }))
  return { ...work, turns, chat_id: (await isChatGone(work, tools)) ? undefined : work.chat_id }
}

async function isChatGone(
  { project_id, chat_id }: RunWork,
  { remote }: RunTools,
): Promise<boolean> {
  if (chat_id === undefined) return false
  const outcome = await remote.listMessages(project_id, chat_id)
  return !outcome.ok && outcome.failure.status === 404
}

function refused(run: number, failure: Failure, { scope }: PromptSettings): RunFact {
  const about = isGone(failure) ? uncheckedIds(scope) : ''
  const message = `${failureText(failure)}${about}; its files stay fresh for the next run`
  return { type: 'run_failed', run, error: { code: noteOf(failure).code, message } }
}
