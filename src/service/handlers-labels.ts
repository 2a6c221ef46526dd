import type { Clock } from '../base/time.ts'
import type { LabelRecord, LabelReference } from '../contract/messages-labels.ts'
import type { RouteId } from '../contract/routes.ts'
import type { CommitGroup } from './commit-group.ts'
import { fault } from './faults.ts'
import { type Handlers, no_content } from './handler.ts'
import { findAsset } from './handlers-assets.ts'
import { makeId } from './ids.ts'
import { envelopeOf, readPage } from './paging.ts'
import type { Profile } from './profile.ts'
import type { AssetStore } from './store-assets.ts'
import type { LabelFields, LabelRow, LabelStore } from './store-labels.ts'

export interface LabelParts {
  labels: LabelStore
  assets: AssetStore
  commits: CommitGroup
  profile: Profile
  clock: Clock
}

type LabelRoutes = Extract<RouteId, `labels.${string}`> | 'assets.attach_label' | 'assets.detach_label'

export function labelHandlers({ labels, assets, commits, profile, clock }: LabelParts): Handlers<LabelRoutes> {
  function found(project: number, label_id: string): LabelRow {
    const row = labels.find(project, label_id)
    if (!row) throw fault('publicapi.label.not_found', `There is no label ${label_id} in this project.`)
    return row
  }

  /** The label of this name, made when new (D-03). */
  function named(project: number, fields: LabelFields & { name: string }): LabelRow {
    const existing = labels.named(project, fields.name)
    if (existing) return existing
    const label_id = makeId('label', clock.now_ms())
    labels.insert(project, label_id, fields)
    return found(project, label_id)
  }

  return {
    'labels.list': ({ project, query }) => {
      const limit = profile.labels_paged ? query.limit : Number.MAX_SAFE_INTEGER - 1
      const { rows, has_more } = readPage(labels.listing(project), { ...query, limit })
      return { status: 200, body: envelopeOf(rows.map(recordOf), has_more, (label) => label.label_id) }
    },

    'labels.create': ({ project, body }) =>
      commits.write(() => ({ status: 201, body: recordOf(named(project, body)) })),

    'labels.read': ({ project, params }) => ({ status: 200, body: recordOf(found(project, params.label_id)) }),

    'labels.update': ({ project, params, body }) =>
      commits.write(() => {
        const row = found(project, params.label_id)
        const other = body.name === undefined ? undefined : labels.named(project, body.name)
        if (other && other.seq !== row.seq) {
          throw fault('publicapi.label.name_taken', 'Another label of this project has this name.')
        }
        labels.update(row.seq, body)
        return { status: 200, body: recordOf(found(project, params.label_id)) }
      }),

    'labels.delete': ({ project, params }) =>
      commits.write(() => {
        labels.remove(found(project, params.label_id))
        return no_content
      }),

    'assets.attach_label': ({ project, params, body }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const { seq, label_id, name } = named(project, { name: body.label_name })
        labels.attach(asset.seq, seq)
        return { status: 201, body: { label_id, name } satisfies LabelReference }
      }),

    'assets.detach_label': ({ project, params }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const label = labels.find(project, params.label_id)
        if (label) labels.detach(asset.seq, label.seq)
        return no_content
      }),
  }
}

function recordOf({ label_id, name, color, icon }: LabelRow): LabelRecord {
  return { label_id, name, ...(color === null ? {} : { color }), ...(icon === null ? {} : { icon }) }
}
