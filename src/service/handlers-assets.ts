import { type Clock, isoTime } from '../base/time.ts'
import type {
  AssetCreate,
  AssetExists,
  AssetListItem,
  AssetSlot,
  AssetWireRecord,
} from '../contract/messages-assets.ts'
import type { RouteId } from '../contract/routes.ts'
import { blobPathOf } from './blob-store.ts'
import type { CommitGroup } from './commit-group.ts'
import { fault } from './faults.ts'
import type { Answer, Handlers } from './handler.ts'
import { makeId } from './ids.ts'
import type { ObjectFiles } from './object-files.ts'
import { envelopeOf, readPage } from './paging.ts'
import type { Profile } from './profile.ts'
import type { Signer } from './signing.ts'
import { type AssetRow, type AssetStore, labelsOf } from './store-assets.ts'
import type { ObjectStore } from './store-objects.ts'

export interface AssetParts {
  assets: AssetStore
  objects: ObjectStore
  files: ObjectFiles
  commits: CommitGroup
  signer: Signer
  profile: Profile
  clock: Clock
  settings: { ticket_lifetime_ms: number; max_upload_bytes: number; ingest: { delay_ms: number } }
  /** Origin of the blob store, known once it listens. */
  blobOrigin: () => string
  wakeIngest: () => void
}

type AssetRoutes = Extract<RouteId, `assets.${string}`>
type OwnRoutes = Exclude<AssetRoutes, 'assets.attach_label' | 'assets.detach_label'>

export function assetHandlers(parts: AssetParts): Handlers<OwnRoutes> {
  const { assets, objects, commits, profile, clock, settings } = parts
  const found = (project: number, asset_id: string) => findAsset(assets, project, asset_id)

  return {
    // A slot that a power cut takes back is answered with 404 and asked for again.
    'assets.create': ({ project, body }) => commits.writeUnflushed(() => createAsset(parts, project, body)),

    'assets.complete': async ({ project, params }) => {
      const row = await commits.write(() => {
        const asset = found(project, params.asset_id)
        if (asset.status !== 'uploaded') return asset
        const object = objects.stat(asset.seq)
        if (!object) throw fault('publicapi.asset.complete.bytes_missing', 'No bytes were uploaded into this slot yet.')
        if (asset.declared_md5 !== null && asset.declared_md5 !== object.md5) {
          throw fault('publicapi.asset.complete.md5_differs', 'The uploaded bytes have another MD5 than was declared.')
        }
        assets.accept(asset.seq, object, clock.now_ms() + settings.ingest.delay_ms)
        return { ...asset, ...object, status: 'ingesting' as const }
      })
      parts.wakeIngest()
      return { status: 200, body: recordOf(row, row.status) }
    },

    'assets.read': ({ project, params }) => {
      const row = found(project, params.asset_id)
      return { status: 200, body: recordOf(row, shownStatus(row, profile)) }
    },

    'assets.list': ({ project, query }) => {
      const { rows, has_more } = readPage(assets.listing(project, profile.assets_newest_first), query)
      const items = rows.map((row) => ({ ...recordOf(row, shownStatus(row, profile)), labels: labelsOf(row) }))
      return { status: 200, body: envelopeOf(items satisfies AssetListItem[], has_more, (item) => item.asset_id) }
    },

    'assets.update': ({ project, params, body }) =>
      commits.write(() => {
        const row = found(project, params.asset_id)
        if (row.status !== 'ready') throw fault('publicapi.asset.update.not_ready', 'This asset is not ready yet.')
        assets.describe(row.seq, body)
        return { status: 200, body: recordOf(found(project, params.asset_id), 'ready') }
      }),

    'assets.delete': async ({ project, params }) => {
      await removeAsset(parts, () => found(project, params.asset_id))
      return { status: 204 }
    },
  }
}

export function findAsset(assets: AssetStore, project: number, asset_id: string): AssetRow {
  const row = assets.find(project, asset_id)
  if (!row) throw fault('publicapi.asset.not_found', `There is no asset ${asset_id} in this project.`)
  return row
}

/** Erases an asset, its bytes and its place in the index; frees its content for dedup. */
export async function removeAsset(
  {
    assets,
    objects,
    files,
    commits,
    wakeIngest,
  }: Pick<AssetParts, 'assets' | 'objects' | 'files' | 'commits' | 'wakeIngest'>,
  find: () => AssetRow | undefined,
): Promise<boolean> {
  const removed = await commits.write(() => {
    const asset = find()
    if (!asset) return undefined
    const place = objects.placeOf(asset.seq)
    assets.remove(asset)
    return { file: place && 'file' in place ? place.file : undefined }
  })
  if (removed?.file !== undefined) await files.remove(removed.file)
  wakeIngest()
  return removed !== undefined
}

function createAsset(parts: AssetParts, project: number, { filename, mime_type, md5 }: AssetCreate): Answer {
  const { assets, profile, clock, signer, settings, blobOrigin } = parts
  const existing = md5 === undefined ? undefined : findExisting(assets, profile, project, md5)
  if (existing) {
    const { asset_id } = existing
    const status = existing.status === 'uploaded' ? 'ingesting' : existing.status
    return { status: 200, asset_id, body: { asset_id, already_exists: true, status } satisfies AssetExists }
  }
  const now_ms = clock.now_ms()
  const asset_id = makeId('asset', now_ms)
  const expires_at_ms = now_ms + settings.ticket_lifetime_ms
  // Trimmed, as HTTP trims a header's value on its way.
  const upload_headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': mime_type.trim() }
  assets.insert({
    asset_id,
    project,
    filename,
    mime_type,
    declared_md5: md5 ?? null,
    created_at_ms: now_ms,
    expires_at_ms,
  })
  const query = signer.sign({
    asset_id,
    headers: upload_headers,
    limit_bytes: settings.max_upload_bytes,
    expires_at_ms,
  })
  const slot: AssetSlot = {
    asset_id,
    already_exists: false,
    upload_url: `${blobOrigin()}${blobPathOf(asset_id)}?${query}`,
    upload_method: 'PUT',
    upload_headers,
    expires_at: isoTime(expires_at_ms),
  }
  return { status: 201, asset_id, body: slot }
}

function findExisting(assets: AssetStore, profile: Profile, project: number, md5: string): AssetRow | undefined {
  const content = assets.findContent(project, md5)
  return content ?? (profile.dedup_reservations ? assets.findReservation(project, md5) : undefined)
}

/** The hosted profile tells a slot from an accepted asset by nothing but its size, and has a word of its own on the way. */
function shownStatus({ status }: AssetRow, profile: Profile): string {
  if (status === 'uploaded' && profile.dedup_reservations) return 'ingesting'
  return status === 'ingesting' ? profile.status_on_the_way : status
}

function recordOf(row: AssetRow, status: string): AssetWireRecord {
  return {
    asset_id: row.asset_id,
    // The hosted profile answers a word that the contract does not list, which is its point.
    status: status as AssetWireRecord['status'],
    filename: row.filename,
    mime_type: row.mime_type,
    size_in_bytes: row.size_in_bytes,
    created_at: isoTime(row.created_at_ms),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.description === null ? {} : { description: row.description }),
  }
}
