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

/** For each kind of ids a scope can name, how the thing is found; undefined where it is not there or out of reach. */
function finders({ access, assets, labels, chats, concepts }: Parts, caller: Caller, project: number) {
  return {
    asset_ids: (id: string) => assets.find(project, id)?.seq,
    label_ids: (id: string) => labels.find(project, id)?.seq,
    chat_ids: (id: string) => chats.find(project, id)?.seq,
    project_ids: (id: string) => access.projectOf(caller, id)?.project,
    concept_ids: (id: string) => concepts.find(project, id),
    view_ids: (id: string) => concepts.findView(project, id),
  } satisfies { [Kind in keyof Required<ChatScope>]: (id: string) => unknown }
}

/**
 * Checks the scope of a turn and answers what is kept of it: JSON, or null for the whole project (C-06). An empty list is
 * absent, a scope without ids is none. Ids that are not there or out of reach: 404 for the whole turn (C-06).
 */
export function checkScope(parts: Parts, { caller, project }: Who, scope: ChatScope | undefined): string | null {
  const find = finders(parts, caller, project)
  const kept: Record<string, string[]> = {}
  for (const [kind, ids] of Object.entries(scope ?? {})) {
    if (ids === undefined || ids.length === 0) continue
    const missing = ids.find((id) => find[kind as keyof ChatScope](id) === undefined)
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
  parts: Parts,
  { project, user }: { project: number; user: number | null },
  kept: string | null,
): Knowledge {
  if (kept === null) return { projects: [project], assets: [], chats: [] }
  const { asset_ids, label_ids, chat_ids, project_ids, concept_ids, view_ids } = JSON.parse(kept) as ChatScope
  const { labels, concepts } = parts
  // What the one who asks has lost since then is as good as removed; what the key of then reached was checked with the question.
  const find = finders(parts, { token: 0, user, every_project: 1 }, project)
  const each = <Found>(ids: string[] = [], findOne: (id: string) => Found | undefined) =>
    ids.map(findOne).filter((found) => found !== undefined)
  const by_label = each(label_ids, find.label_ids)
  const by_concept = [...each(concept_ids, find.concept_ids), ...by_label.flatMap(concepts.labelled)]
  return {
    projects: each(project_ids, find.project_ids),
    assets: [
      ...each(asset_ids, find.asset_ids),
      ...by_label.flatMap(labels.assetsWith),
      ...by_concept.flatMap(concepts.assetsOf),
      ...each(view_ids, find.view_ids).flatMap((view) => concepts.shownIn(project, view)),
    ],
    chats: each(chat_ids, find.chat_ids),
  }
}

/** How many ids a kept scope names. */
export function scopeSize(kept: string | null): number {
  const scope = JSON.parse(kept ?? '{}') as ChatScope
  return Object.values(scope).reduce((sum, ids) => sum + (ids?.length ?? 0), 0)
}
