import { isAboutAddress } from '../../base/net/network-fault.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration } from '../../base/text/format.ts'
import { mentionsOf } from '../../base/text/mentions.ts'
import { backoff_ms, type Clock } from '../../base/time/time.ts'
import type { ArrivedFile, DeletedFile } from '../../ledger/views/view-arrivals.ts'
import type { Question } from '../../remote/chats.ts'
import { judgeFailure } from '../../remote/judge-failure.ts'
import { type Failure, failureText, isSurelyUndone, wrongAddress } from '../../remote/outcome.ts'
import type { Remote } from '../../remote/remote.ts'
import {
  judgeTurn,
  reads_alike,
  type ShownTurn,
  showsLife,
  type TurnVerdict,
} from '../../remote/turn-verdict.ts'
import { checkScope, uncheckedIds } from '../plan/check-assets.ts'
import { labelIds } from '../plan/plan-run.ts'
import type { PromptScope } from '../prompt-settings.ts'
import { type ReadOfFile, readText, toldOf } from '../report/told.ts'

export interface AskTools {
  remote: Remote
  project_id: string
  clock: Clock
  /** Aborts when the user stops waiting. The caller then closes `remote`, which ends the call. */
  stopped: AbortSignal
}

export interface Turn {
  chat_id: string
  message_id: string
}

/**
 * Sends a question once, in a new chat or in a given one, and never a second time. Errors:
 * `account.refused`, `project.refused`, `answer.refused`; `answer.not_asked` if the service surely
 * did not get it; `answer.unknown` if that is not known.
 */
export async function askOnce(
  tools: AskTools,
  question: Question,
  chat_id: string | undefined,
): Promise<Turn> {
  const { remote, project_id, stopped } = tools
  if (stopped.aborted)
    throw new SluiceError({ code: 'answer.stopped', message: 'nothing was asked' })
  if (chat_id === undefined) {
    const started = await remote.startChat(project_id, question)
    if (!started.ok) throw notAsked(started.failure, question, chat_id)
    return { chat_id: started.value.chat_id, message_id: started.value.message_id }
  }
  const appended = await remote.appendMessage(project_id, chat_id, question)
  if (!appended.ok) throw notAsked(appended.failure, question, chat_id)
  return { chat_id, message_id: appended.value.message_id }
}

function notAsked(failure: Failure, { scope }: Question, chat_id: string | undefined): SluiceError {
  const what = failureText(failure)
  const address_hint = addressHint(failure)
  const refused = refusal(failure)
  if (refused) return refused
  if (!isSurelyUndone(failure)) {
    const where = chat_id === undefined ? 'the newest chats of the project' : `the chat ${chat_id}`
    return new SluiceError({
      code: 'answer.unknown',
      message: `whether the question reached the service is not known: ${what}`,
      hint: `${address_hint ? `${address_hint}; ` : ''}Sluice does not send it again: check ${where} in the assistant, and ask again only if it is not there`,
    })
  }
  if (judgeFailure(failure, {}).fact === 'refused') {
    const is_gone = failure.status === 404 || failure.status === 410
    const code = 'answer.refused'
    if (address_hint)
      return new SluiceError({
        code,
        message: `the question was not asked: ${what}`,
        hint: address_hint,
      })
    return new SluiceError({
      code,
      message: `the service refused the question: ${failure.humane ?? what}`,
      hint: is_gone ? goneHint(scope, chat_id) : undefined,
    })
  }
  return failureOf(failure)
}

/** The error for a failed call after which surely nothing was asked. */
function failureOf(failure: Failure): SluiceError {
  return (
    refusal(failure) ??
    new SluiceError({
      code: 'answer.not_asked',
      message: `the question was not asked: ${failureText(failure)}`,
      hint: isAboutAddress(failure.code)
        ? 'check service.base_url, and whether the service runs (`sluice doctor` tries it); then ask again'
        : 'ask again later',
    })
  )
}

type LookedUp = Pick<PromptScope, 'labels' | 'chats' | 'projects'>

/** Finds out which parts of a scope exist on the service. Errors: those of failureOf. */
export async function lookUpScope<Kinds extends LookedUp>(
  project_id: string,
  scope: Kinds,
  remote: Remote,
) {
  const labels = await labelIds(project_id, scope, { remote })
  if (!labels.ok) throw failureOf(labels.failure)
  const checked = await checkScope(project_id, scope, { remote })
  if (!checked.ok) throw failureOf(checked.failure)
  return { ...labels.value, ...checked.value }
}

function goneHint(scope: Question['scope'], chat_id: string | undefined): string {
  const removed = 'something it is asked over was removed on the service'
  const chat =
    chat_id === undefined ? '' : `the chat ${chat_id} is gone (ask without --follow-up), or `
  return `${chat}${removed}${uncheckedIds({ concepts: scope?.concept_ids ?? [], views: scope?.view_ids ?? [] })}`
}

function addressHint(failure: Failure): string | undefined {
  const elsewhere = wrongAddress(failure)
  return elsewhere && `check service.base_url first (\`sluice doctor\`): ${elsewhere}`
}

/** The error if token or project is refused: no other try helps then. Else undefined. */
function refusal(failure: Failure): SluiceError | undefined {
  const { blame } = judgeFailure(failure, {})
  const message = failureText(failure)
  if (blame === 'token')
    return new SluiceError({ code: 'account.refused', message, hint: 'renew the token' })
  const hint =
    addressHint(failure) ?? 'check project_id in the config, and that the token may use it'
  return blame === 'project'
    ? new SluiceError({ code: 'project.refused', message, hint })
    : undefined
}

export type Answered = Extract<TurnVerdict, { state: 'answered' }>

/**
 * Pauses between reads grow from `first_ms` to `max_ms`. `deadline_ms`: longest wait for an answer
 * or another sign of life.
 */
export interface Waiting {
  first_ms: number
  max_ms: number
  deadline_ms: number
}

/**
 * Reads the turn until its answer is there. Errors: `account.refused`, `project.refused`;
 * `answer.failed` if the service ended the turn with an error; `answer.deadline` and
 * `answer.stopped`, which name the chat because the answer may still come there.
 */
export async function awaitAnswer(
  tools: AskTools,
  { chat_id, message_id }: Turn,
  waiting: Waiting,
): Promise<Answered> {
  const { remote, project_id, clock, stopped } = tools
  let alive_ms = clock.monotonic_ms()
  let reads: ShownTurn[] = []
  for (let tries = 0; !stopped.aborted; tries++) {
    const outcome = await remote.readMessage(project_id, chat_id, message_id)
    if (stopped.aborted && !outcome.ok) break
    const last = outcome.ok ? undefined : outcome.failure
    if (outcome.ok) reads = [...reads, outcome.value].slice(-reads_alike)
    if (outcome.ok && showsLife(reads)) alive_ms = clock.monotonic_ms()
    const left_ms = alive_ms + waiting.deadline_ms - clock.monotonic_ms()
    const verdict = judgeTurn(reads, left_ms <= 0)
    if (verdict.state === 'answered') return verdict
    if (verdict.state === 'failed') throw endedWithError(chat_id, verdict.said)
    const refused = last && refusal(last)
    if (refused) throw refused
    if (left_ms <= 0 && (last || verdict.state !== 'unsure'))
      throw tooLate(chat_id, waiting.deadline_ms, last)
    const pause_ms = Math.max(last?.retry_after_ms ?? 0, backoff_ms(tries, waiting))
    await clock.sleep(left_ms <= 0 ? waiting.first_ms : Math.min(left_ms, pause_ms), stopped)
  }
  throw new SluiceError({
    code: 'answer.stopped',
    message: `stopped waiting; the service goes on answering in the chat ${chat_id}`,
    hint: 'read it there in the assistant; `sluice ask --follow-up` goes on in that chat',
  })
}

function endedWithError(chat_id: string, said: string): SluiceError {
  return new SluiceError({
    code: 'answer.failed',
    message: `the service ended the question with an error (chat ${chat_id})${said}`,
    hint: 'ask again',
  })
}

function tooLate(chat_id: string, deadline_ms: number, last: Failure | undefined): SluiceError {
  const why = last ? `; the last read failed: ${failureText(last)}` : ''
  return new SluiceError({
    code: 'answer.deadline',
    message: `no answer in ${formatDuration(deadline_ms)} (chat ${chat_id})${why}`,
    hint: 'it may still come: check that chat in the assistant before you ask again',
  })
}

export type Source = ReturnType<typeof sourcesOf>[number]

/**
 * The files that a question was asked over; those that the answer names first. A question that is
 * about more than files (`is_wide`) also has the deleted files that the answer names.
 */
export function sourcesOf(
  { answer, told: { sources } }: Pick<Answered, 'answer' | 'told'>,
  files: readonly ArrivedFile[],
  deleted: readonly DeletedFile[],
  is_wide: boolean,
) {
  const gone = new Set(deleted.map(({ asset_id }) => asset_id))
  // A file that is there may have the same name in another directory: the whole name counts.
  const isNamed = ({ folder, path, shown_name }: DeletedFile) =>
    [`${folder}/${path}`, shown_name].some((name) => name && mentionsOf(answer, name).length > 0)
  const others = is_wide ? deleted.filter(isNamed) : []
  const assets = [...files, ...others].map(({ folder, path, asset_id }) => ({
    name: `${folder}/${path}`,
    asset_id,
    /** True if it is no longer on disk, while the service still has its content. */
    is_deleted: gone.has(asset_id),
    turn: 0,
  }))
  const told = toldOf(assets, [{ answer, sources }]).map(({ turn: _, is_named, ...file }, at) => ({
    ...file,
    is_named: is_named || at >= files.length,
  }))
  return [...told.filter(({ is_named }) => is_named), ...told.filter(({ is_named }) => !is_named)]
}

/** A source for users: its name, and what was read of it. */
export function sourceText({
  name,
  is_deleted = false,
  ...told
}: { name: string; is_deleted?: boolean } & ReadOfFile): string {
  const read = readText(told)
  return `${name}${is_deleted ? ' (deleted on disk)' : ''}${read === undefined ? '' : `: ${read}`}`
}
