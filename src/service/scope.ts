import type { ChatScope } from '../contract/messages-chats.ts'
import type { Access, Caller } from './access.ts'
import { fault } from './faults.ts'
import type { AssetStore } from './store-assets.ts'
import type { ChatStore } from './store-chats.ts'
import type { LabelStore } from './store-labels.ts'

export interface ScopeParts {
  access: Access
  assets: AssetStore
  labels: LabelStore
  chats: ChatStore
}

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
  { access, assets, labels, chats }: ScopeParts,
  { caller, project }: { caller: Caller; project: number },
  scope: ChatScope | undefined,
): string | null {
  const exists: { [Kind in keyof Required<ChatScope>]: (id: string) => boolean } = {
    asset_ids: (id) => assets.find(project, id) !== undefined,
    label_ids: (id) => labels.find(project, id) !== undefined,
    chat_ids: (id) => chats.find(project, id) !== undefined,
    project_ids: (id) => access.projectOf(caller, id) !== undefined,
    // This service makes no concepts and no views, so that nobody can reach one.
    concept_ids: () => false,
    view_ids: () => false,
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

/** Expands a kept scope when the answer is written: a union; what was removed since the question adds nothing. */
export function expandScope(
  { assets, labels, chats }: ScopeParts,
  project: number,
  projectNumber: (project_id: string) => number | undefined,
  kept: string | null,
): Knowledge {
  if (kept === null) return { projects: [project], assets: [], chats: [] }
  const scope = JSON.parse(kept) as ChatScope
  const numbers = (ids: string[] | undefined, numberOf: (id: string) => number | undefined) =>
    (ids ?? []).map(numberOf).filter((number) => number !== undefined)
  const by_label = numbers(scope.label_ids, (id) => labels.find(project, id)?.seq).flatMap(labels.assetsWith)
  return {
    projects: numbers(scope.project_ids, projectNumber),
    assets: [...numbers(scope.asset_ids, (id) => assets.find(project, id)?.seq), ...by_label],
    chats: numbers(scope.chat_ids, (id) => chats.find(project, id)?.seq),
  }
}
