import { isSluiceError, SluiceError } from '../../base/run/errors.ts'
import { didYouMean } from '../../base/text/did-you-mean.ts'
import { isoTime } from '../../base/time/time.ts'
import type { DeletedFile } from '../../ledger/views/view-arrivals.ts'
import type { Scope } from '../../remote/chats.ts'
import { searched_only } from '../plan/plan-run.ts'
import { type AskedFields, filledKinds, question } from '../plan/question.ts'
import {
  type Answered,
  type AskTools,
  askOnce,
  awaitAnswer,
  lookUpScope,
  sourcesOf,
  type Turn,
  type Waiting,
} from './ask-question.ts'
import { type FilesInScope, hasOthers, leftOutText, type Narrowing } from './ask-scope.ts'

/** A question of a user. */
export interface UserQuestion {
  text: string
  narrowing: Narrowing
  /** The files in scope; undefined if the question is not about files. */
  found: FilesInScope | undefined
  fields: AskedFields
  /** The chat to go on in; undefined: a new one. */
  chat_id: string | undefined
}

export type AskStep = { state: 'asked'; turn: Turn } | { state: 'answered'; answer: AskAnswer }
export type AskAnswer = ReturnType<typeof askAnswer>

/** True if the scope has nothing. An empty one would mean the whole project. */
export function isAboutNothing({
  narrowing,
  found,
}: Pick<UserQuestion, 'narrowing' | 'found'>): boolean {
  return narrowing.about_files && !found?.files.length && !hasOthers(narrowing.others)
}

/**
 * Asks a question once and waits for the answer. Yields the turn as soon as the service has the
 * question, then the answer. `deleted`: files whose contents only the service still has. Errors:
 * those of askOnce and awaitAnswer; before anything is asked `usage.scope` and `usage.label`.
 */
export async function* ask(
  asked: UserQuestion,
  tools_of_caller: Omit<AskTools, 'project_id'> & { deleted(): Promise<readonly DeletedFile[]> },
  waiting: Waiting,
): AsyncGenerator<AskStep, void> {
  const { narrowing } = asked
  const tools = { ...tools_of_caller, project_id: narrowing.project_id }
  if (isAboutNothing(asked))
    throw new SluiceError({
      code: 'usage.scope',
      message: `nothing was asked: no ready file matches${leftOutText(asked.found)}`,
    })
  const scope = await scopeOf(asked, tools)
  const { turn, note } = await askReading(asked, scope, tools)
  const asked_ms = tools.clock.now_ms()
  yield { state: 'asked', turn }
  const answered = await awaitAnswer(tools, turn, waiting)
  const times = { asked: isoTime(asked_ms), answered: isoTime(tools.clock.now_ms()) }
  const deleted = await tools.deleted()
  const notes = [note, answered.note].filter((text) => text !== undefined)
  const noted = { ...answered, ...(notes.length > 0 && { note: notes.join('; ') }) }
  yield { state: 'answered', answer: askAnswer(asked, { ...turn, ...times }, noted, deleted) }
}

/** A service that does not read every file is asked to search them. */
async function askReading(
  { text, fields, chat_id }: UserQuestion,
  scope: Scope | undefined,
  tools: AskTools,
): Promise<{ turn: Turn; note?: string }> {
  const askTo = (read: AskedFields['read']) =>
    askOnce(tools, question({ ...fields, read }, text, scope), chat_id)
  try {
    return { turn: await askTo(fields.read) }
  } catch (error) {
    if (fields.read === 'search' || !isSluiceError(error, 'answer.refused')) throw error
    return { turn: await askTo('search'), note: searched_only }
  }
}

/** A scheduled prompt leaves out what is gone. A user is there to correct the question. */
async function scopeOf({ narrowing, found }: UserQuestion, { remote }: Pick<AskTools, 'remote'>) {
  const { project_id, others } = narrowing
  const { label_ids, missing, known, gone } = await lookUpScope(project_id, others, remote)
  for (const name of missing) {
    const meant = didYouMean(name, known)
    const hint = meant && `did you mean ${meant}?`
    throw new SluiceError({
      code: 'usage.label',
      message: `the project has no label ${name}`,
      hint,
    })
  }
  if (gone.length > 0) {
    throw new SluiceError({
      code: 'usage.scope',
      message: `nothing was asked: the service does not have ${gone.join(', ')}, or the token has no access`,
      hint: 'check the ids after --chat and --project',
    })
  }
  const { chats: chat_ids, concepts: concept_ids, projects: project_ids, views: view_ids } = others
  const asset_ids = found?.files.map(({ asset_id }) => asset_id) ?? []
  return filledKinds({ asset_ids, label_ids, chat_ids, concept_ids, project_ids, view_ids })
}

/** An answer as JSON, with the scope of its question. Times are ISO 8601 UTC. */
function askAnswer(
  { narrowing, found }: UserQuestion,
  asked: Turn & { asked: string; answered: string },
  answered: Answered,
  deleted: readonly DeletedFile[],
) {
  const { project_id, others, about_files } = narrowing
  const is_narrowed = about_files || hasOthers(others)
  const scope = {
    whole_project: !is_narrowed || others.projects.includes(project_id),
    files: found?.files.length ?? null,
    is_cut: found?.is_cut ?? false,
    ...others,
  }
  const is_wide = !about_files || hasOthers(others)
  const sources = sourcesOf(answered, found?.files ?? [], deleted, is_wide)
  const { answer, note = null, told } = answered
  return { project_id, ...asked, scope, answer, note, calls: told.calls ?? null, sources }
}
