import type { RunTurn } from '../../domain/run.ts'
import type { SourceRead } from '../../domain/source-read.ts'
import { known_notes } from '../words.ts'
import { scopeIn } from './question.ts'

/** Characters. A shorter answer, such as "Nothing new.", may well be right twice. */
const max_repeated = 200

/**
 * Why the answers of a run are no report, as a clause; undefined if they are one. Pure.
 * `last_answer`: of the prompt's last report, if that covers other files.
 */
export function emptyWhy(
  files: readonly { read: SourceRead['read'] | undefined }[],
  turns: readonly Pick<RunTurn, 'answer' | 'body'>[],
  last_answer: string | undefined,
): string | undefined {
  const answers = turns.map(({ answer = '' }) => answer.trim())
  const answer = answers.at(-1) ?? ''
  if (answers.every((text) => text === '')) return known_notes.no_answer
  const is_unread = files.length > 0 && files.every(({ read }) => read === 'not')
  if (is_unread && !turns.some(asksForMore)) return known_notes.read_none
  if (answer.length > max_repeated && answer === last_answer?.trim()) return known_notes.same_answer
  return undefined
}

/** True for a question about labels, chats or the like beside files: they may have the answer. */
function asksForMore({ body }: Pick<RunTurn, 'body'>): boolean {
  const { asset_ids = [], ...others } = scopeIn(body)
  return asset_ids.length > 0 && Object.values(others).flat().length > 0
}
