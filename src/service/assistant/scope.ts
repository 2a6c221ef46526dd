import type { ChatScope } from '../../contract/messages/messages-chats.ts'
import { fault } from '../faults/faults.ts'
import type { Parts } from '../parts.ts'
import type { Caller, Who } from '../store/access.ts'

/** What a turn may draw on, by number. */
export interface Knowledge {
  projects: number[]
  assets: number[]
  chats: number[]
}

/**
 * Checks the scope of a turn and answers what is kept of it: JSON, or null for the whole project (C-06). An empty list is
 * absent, a scope without ids is none. Ids that are not there or out of reach: 404 for the whole turn (C-06).
 */
export function checkScope(
  { access, assets, labels, chats, concepts }: Parts,
  { caller, project }: Who,
  scope: ChatScope | undefined,
): string | null {
  const exists: { [Kind in keyof Required<ChatScope>]: (id: string) => boolean } = {
    asset_ids: (id) => assets.find(project, id) !== undefined,
    label_ids: (id) => labels.find(project, id) !== undefined,
    chat_ids: (id) => chats.find(project, id) !== undefined,
    project_ids: (id) => access.projectOf(caller, id) !== undefined,
    concept_ids: (id) => concepts.find(project, id) !== undefined,
    view_ids: (id) => concepts.findView(project, id) !== undefined,
  }
  const kept: Record<string, string[]> = {}
  for (const [kind, ids] of Object.entries(scope ?? {})) {
    if (ids === undefined || ids.length === 0) continue
    const missing = ids.find((id) => !exists[kind as keyof ChatScope](id))
    if (missing !== undefined) throw fault('publicapi.chat.scope.unreachable', `There is no ${missing} within reach.`)
    kept[kind] = [...new Set(ids)]
  }
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept)
}

/**
 * Expands a kept scope when the answer is written: a union; what was removed since the question adds nothing. A label stands for
 * the assets that carry it and for the concepts that do (C-06).
 */
export function expandScope(
  { access, assets, labels, chats, concepts }: Parts,
  { project, user }: { project: number; user: number | null },
  kept: string | null,
): Knowledge {
  if (kept === null) return { projects: [project], assets: [], chats: [] }
  const scope = JSON.parse(kept) as ChatScope
  // What the one who asks has lost since then is as good as removed; what the key of then reached was checked with the question.
  const asking: Caller = { token: 0, user, every_project: 1 }
  const each = <Found>(ids: string[] | undefined, find: (id: string) => Found | undefined) =>
    (ids ?? []).map(find).filter((found) => found !== undefined)
  const by_label = each(scope.label_ids, (id) => labels.find(project, id)?.seq)
  const by_concept = [
    ...each(scope.concept_ids, (id) => concepts.find(project, id)),
    ...by_label.flatMap(concepts.labelled),
  ]
  const shown = each(scope.view_ids, (id) => concepts.findView(project, id))
  return {
    projects: each(scope.project_ids, (id) => access.projectOf(asking, id)?.project),
    assets: [
      ...each(scope.asset_ids, (id) => assets.find(project, id)?.seq),
      ...by_label.flatMap(labels.assetsWith),
      ...by_concept.flatMap(concepts.assetsOf),
      ...shown.flatMap((view) => concepts.shownIn(project, view)),
    ],
    chats: each(scope.chat_ids, (id) => chats.find(project, id)?.seq),
  }
}

/** How many ids a kept scope names. */
export function scopeSize(kept: string | null): number {
  const scope = JSON.parse(kept ?? '{}') as ChatScope
  return Object.values(scope).reduce((sum, ids) => sum + (ids?.length ?? 0), 0)
}
