import type { PromptState, RunWork } from '../../ledger/prompt-work.ts'
import { every_file_skill } from '../../remote/chats.ts'
import type { Failure, Outcome } from '../../remote/outcome.ts'
import type { PromptSettings, Reading } from '../prompt-settings.ts'
import type { RunTools } from '../run-tools.ts'
import { asksForEveryFile } from './question.ts'

/**
 * How a run reads its files: as configured, else whole where the service lists the skill for that.
 * It fails only where the next call would fail, too: a service without such a list searches.
 */
export async function readingOf(
  { project_id, read }: Pick<PromptSettings, 'project_id' | 'read'>,
  { remote }: Pick<RunTools, 'remote'>,
): Promise<Outcome<Reading>> {
  if (read !== undefined) return { ok: true, value: read }
  const listed = await remote.listSkills(project_id)
  if (!listed.ok && mayPass(listed.failure)) return listed
  const skills = listed.ok ? listed.value : []
  const is_listed = skills.some(({ name, is_enabled }) => is_enabled && name === every_file_skill)
  return { ok: true, value: is_listed ? 'every_file' : 'search' }
}

/**
 * The note in the first report whose files were read whole without a setting that asks for it.
 * `calls`: of the model for the last turn, if the service says it.
 */
export function newReadingText(
  { turn, turns }: Pick<RunWork, 'turn' | 'turns'>,
  { read }: Pick<PromptSettings, 'read'>,
  state: Pick<PromptState, 'last_skills'> | undefined,
  calls: number | undefined,
): string | undefined {
  const is_new = state?.last_skills !== undefined && !state.last_skills.includes(every_file_skill)
  const is_last = turn === turns.length - 1
  if (read !== undefined || !is_new || !is_last || !asksForEveryFile(turns[0]!.body))
    return undefined
  const counts = [...turns.slice(0, -1).map((part) => part.calls), calls]
  const all = counts.reduce<number>((sum, count) => sum + (count ?? Number.NaN), 0)
  const cost = Number.isNaN(all) ? '' : `: ${all} calls of the model, ${turns.length} before`
  return `this prompt now reads every file${cost}; read: search in the configuration brings back the search`
}

/** True for a refused token, for no answer at all, and for a request to wait. */
function mayPass({ about, status }: Failure): boolean {
  if (about === 'account' || status === 429) return true
  return about === 'network' && status === undefined
}
