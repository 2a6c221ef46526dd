import type { ChatScope } from '../../contract/messages/messages-chats.ts'
import { fault } from '../faults/faults.ts'
import type { Parts } from '../parts.ts'
import type { Caller, Who } from '../store/access.ts'

/** The numbers of the projects, assets and chats that a turn may use. */
export interface Knowledge {
  projects: number[]
  assets: number[]
  chats: number[]
}

/**
 * One function per kind of id in a scope. It returns the number of the thing (of a view, its
 * filter), or undefined if the thing does not exist or is out of reach.
 */
function finders(
  { access, assets, labels, chats, concepts }: Parts,
  caller: Caller,
  project: number,
) {
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
 * Checks the scope of a turn (C-06). Returns the scope as it is stored: JSON, or null for the whole
 * project. An empty list counts as absent, and so does a scope without ids. For an id that is
 * unknown or out of reach, it throws a 404 for the whole turn.
 */
export function checkScope(
  parts: Parts,
  { caller, project }: Who,
  scope: ChatScope | undefined,
): string | null {
  const find = finders(parts, caller, project)
  const kept: Record<string, string[]> = {}
  for (const [kind, ids] of Object.entries(scope ?? {})) {
    if (ids === undefined || ids.length === 0) continue
    const missing = ids.find((id) => find[kind as keyof ChatScope](id) === undefined)
    if (missing !== undefined) throw fault('publicapi.chat.scope.unreachable', { id: missing })
    kept[kind] = [...new Set(ids)]
  }
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept)
}

/**
 * Expands a stored scope when the answer is written, to the union of its parts. Things that were
 * removed since the question add nothing. A label means its assets and its concepts (C-06).
 */
export function expandScope(
  parts: Parts,
  { project, user }: { project: number; user: number | null },
  kept: string | null,
): Knowledge {
  if (kept === null) return { projects: [project], assets: [], chats: [] }
  const { asset_ids, label_ids, chat_ids, project_ids, concept_ids, view_ids } = JSON.parse(
    kept,
  ) as ChatScope
  const { labels, concepts } = parts
  // A project that the user has lost since then counts as removed. The reach of the key was checked
  // with the question.
  const find = finders(parts, { token: 0, user, every_project: 1 }, project)
  const each = <Found>(ids: string[] = [], findOne: (id: string) => Found | undefined) =>
    ids.map(findOne).filter((found) => found !== undefined)
  const by_label = each(label_ids, find.label_ids)
  const by_concept = [
    ...each(concept_ids, find.concept_ids),
    ...by_label.flatMap(concepts.labelled),
  ]
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

/** The number of assets that a stored scope names. */
export function filesAsked(kept: string | null): number {
  return (JSON.parse(kept ?? '{}') as ChatScope).asset_ids?.length ?? 0
}

/** The number of ids in a stored scope. */
export function scopeSize(kept: string | null): number {
  const scope = JSON.parse(kept ?? '{}') as ChatScope
  return Object.values(scope).reduce((sum, ids) => sum + (ids?.length ?? 0), 0)
}
