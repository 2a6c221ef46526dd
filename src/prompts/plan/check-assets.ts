import { type LossFact, lossOf } from '../../domain/asset.ts'
import type { Outcome } from '../../remote/outcome.ts'
import type { PromptScope } from '../prompt-settings.ts'
import { isNotFound, type RunTools } from '../run-tools.ts'

/** What the ledger has as ready. */
export interface CheckedAsset {
  asset_id: string
  content: number
}

/** Read singly, so many at once: a question waits for them, the uploads beside it should not. */
const reads_at_once = 4
/** Up to here single reads are as cheap as pages of a list in which the assets may lie anywhere. */
const singly_most = 20
/** What arrived lately is on the first pages where the newest come first; where it is not, the pages are given up soon. */
function pagesFor(assets: number): number {
  return Math.ceil(assets / 50) + 4
}

/**
 * Whether the service still has these assets, ready for a question: what became of those that are not, by content. Of a list
 * only `ready` is believed. A failure: it could not be found out.
 */
export async function checkAssets(
  project_id: string,
  assets: readonly CheckedAsset[],
  { remote, hard }: RunTools,
): Promise<Outcome<Map<number, LossFact>>> {
  const unlisted = new Set(assets.map(({ asset_id }) => asset_id))
  const ready = new Set<string>()
  let after_id: string | undefined
  for (let page = 0; unlisted.size > singly_most && page < pagesFor(assets.length); page++) {
    const outcome = await remote.listAssets(project_id, { after_id })
    if (!outcome.ok) return outcome
    for (const { asset_id, status } of outcome.value.items) {
      if (unlisted.delete(asset_id) && status === 'ready') ready.add(asset_id)
    }
    after_id = outcome.value.next
    if (after_id === undefined) break
  }
  const singly = assets.filter(({ asset_id }) => !ready.has(asset_id))
  const lost = new Map<number, LossFact>()
  for (let from = 0; from < singly.length && !hard.aborted; from += reads_at_once) {
    const some = singly.slice(from, from + reads_at_once)
    const outcomes = await Promise.all(some.map(({ asset_id }) => remote.readAsset(project_id, asset_id)))
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok && outcome.failure.about !== 'asset_gone') return outcome
      const asset = some[index]!
      const loss = lossOf(asset, outcome.ok ? outcome.value : 'gone')
      if (loss) lost.set(asset.content, loss)
    }
  }
  return { ok: true, value: lost }
}

/** The scope as it can be asked about, and a note for each id that was left out. */
interface CheckedScope {
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
