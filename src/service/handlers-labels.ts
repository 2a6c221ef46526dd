import type { AnswerOf, RouteId } from '../contract/routes.ts'
import { fault, found } from './faults.ts'
import type { Handlers } from './handler.ts'
import { findAsset } from './handlers-assets.ts'
import { makeId } from './ids.ts'
import { readPage } from './paging.ts'
import type { Parts } from './parts.ts'
import type { LabelFields, LabelRow } from './store-labels.ts'

type LabelRoutes = Extract<RouteId, `labels.${string}`> | 'assets.attach_label' | 'assets.detach_label'

export function labelHandlers({ labels, assets, commits, profile, clock }: Parts): Handlers<LabelRoutes> {
  const find = (project: number, label_id: string) => found(labels.find(project, label_id), 'label', label_id)

  /** The label of this name, made when new (D-03). */
  function named(project: number, fields: LabelFields & { name: string }): LabelRow {
    const existing = labels.named(project, fields.name)
    if (existing) return existing
    const label_id = makeId('label', clock.now_ms())
    labels.insert(project, label_id, fields)
    return find(project, label_id)
  }

  return {
    'labels.list': ({ project, query }) => {
      const limit = profile.labels_paged ? query.limit : Number.MAX_SAFE_INTEGER - 1
      return readPage(labels.listing(project), { ...query, limit }, recordOf)
    },

    'labels.create': ({ project, body }) => commits.write(() => recordOf(named(project, body))),

    'labels.read': ({ project, params }) => recordOf(find(project, params.label_id)),

    'labels.update': ({ project, params, body }) =>
      commits.write(() => {
        const row = find(project, params.label_id)
        const other = body.name === undefined ? undefined : labels.named(project, body.name)
        if (other && other.seq !== row.seq) {
          throw fault('publicapi.label.name_taken', 'Another label of this project has this name.')
        }
        labels.update(row.seq, body)
        return recordOf(find(project, params.label_id))
      }),

    'labels.delete': ({ project, params }) => commits.write(() => labels.remove(find(project, params.label_id))),

    'assets.attach_label': ({ project, params, body }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const { seq, label_id, name } = named(project, { name: body.label_name })
        labels.attach(asset.seq, seq)
        return { label_id, name }
      }),

    'assets.detach_label': ({ project, params }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const label = labels.find(project, params.label_id)
        if (label) labels.detach(asset.seq, label.seq)
      }),
  }
}

function recordOf({ label_id, name, color, icon }: LabelRow): AnswerOf<'labels.read'> {
  return { label_id, name, color: color ?? undefined, icon: icon ?? undefined }
}
