import type { Outcome } from '../remote/outcome.ts'
import type { PromptScope } from './prompt-settings.ts'
import { isNotFound, type RunTools } from './run-tools.ts'

/** The scope as it can be asked about, and a note for each id that was left out. */
export interface CheckedScope {
  scope: PromptScope
  notes: string[]
}

/**
 * Leaves out the chats and projects that the service does not have (for this token, in this project). Concepts and views cannot be
 * read: the answer to the question is their check.
 */
export async function checkScope(
  project_id: string,
  scope: PromptScope,
  { remote }: Pick<RunTools, 'remote'>,
): Promise<Outcome<CheckedScope>> {
  const gone = new Set<string>()
  for (const chat_id of scope.chats) {
    const outcome = await remote.listMessages(project_id, chat_id)
    if (outcome.ok) continue
    if (!isNotFound(outcome.failure)) return outcome
    gone.add(chat_id)
  }
  // The project itself answers for itself.
  const others = scope.projects.filter((id) => id !== project_id)
  if (others.length > 0) {
    const outcome = await remote.listProjects()
    if (!outcome.ok) return outcome
    const known = new Set(outcome.value.map((project) => project.project_id))
    for (const id of others) if (!known.has(id)) gone.add(id)
  }
  const isThere = (id: string) => !gone.has(id)
  const notes = [...gone].map((id) => `${id} is not on the service, or out of reach: left out`)
  return {
    ok: true,
    value: { scope: { ...scope, chats: scope.chats.filter(isThere), projects: scope.projects.filter(isThere) }, notes },
  }
}

/** What a 404 of the question may be about, where everything else in the scope is known to be there. */
export function uncheckedIds({ concepts, views }: PromptScope): string {
  const ids = [...concepts, ...views]
  if (ids.length === 0) return ''
  return `; concepts and views cannot be looked up: one of ${ids.join(', ')} may be gone`
}
