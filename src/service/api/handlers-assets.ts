import { isoTime } from '../../base/time/time.ts'
import { needs_program_code, no_text_code, wire_form_code } from '../../contract/errors.ts'
import {
  type AssetCreate,
  type AssetReading,
  type AssetStatus,
  ingest_error_code,
} from '../../contract/messages/messages-assets.ts'
import type { AnswerOf, RouteId } from '../../contract/routes/routes.ts'
import { blobPathOf } from '../blobs/blob-store.ts'
import { fault, found } from '../faults/faults.ts'
import type { Profile } from '../options.ts'
import type { Parts } from '../parts.ts'
import { removeAsset } from '../remove-asset.ts'
import type { Handlers } from '../store/access.ts'
import { makeId } from '../store/database.ts'
import { readPage } from '../store/paging.ts'
import { type AssetRow, type AssetStore, labelsOf } from '../store/store-assets.ts'

type AssetRoutes = Extract<RouteId, `assets.${string}`>
type OwnRoutes = Exclude<AssetRoutes, 'assets.attach_label' | 'assets.detach_label'>

export function assetHandlers(parts: Parts): Handlers<OwnRoutes> {
  const { assets, objects, commits, profile, clock, settings } = parts
  const recordOf = (row: AssetRow, shown_by?: Profile) => ({
    ...storedRecord(row, shown_by),
    reading: readingOf(parts, row),
  })

  return {
    // A power cut can lose the slot. The client then gets 404 and asks for a new one.
    'assets.create': ({ project, body }) =>
      commits.writeUnflushed(() => createAsset(parts, project, body)),

    'assets.complete': async ({ project, params }) => {
      const row = await commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        if (asset.status !== 'uploaded') return asset
        const object = objects.stat(asset.seq)
        if (!object) throw fault('publicapi.asset.complete.bytes_missing')
        if (asset.declared_md5 !== null && asset.declared_md5 !== object.md5) {
          throw fault('publicapi.asset.complete.md5_differs')
        }
        assets.accept(asset.seq, object, clock.now_ms() + settings.ingest.delay_ms)
        return { ...asset, ...object, status: 'ingesting' as const }
      })
      parts.wake.ingest()
      return recordOf(row)
    },

    'assets.read': ({ project, params }) =>
      recordOf(findAsset(assets, project, params.asset_id), profile),

    'assets.list': ({ project, query }) =>
      readPage(assets.listing(project, profile.assets_newest_first), query, (row) => ({
        ...recordOf(row, profile),
        labels: labelsOf(row),
      })),

    'assets.update': async ({ project, params, body }) => {
      const { seq } = await commits.write(() => {
        const row = findAsset(assets, project, params.asset_id)
        if (row.status !== 'ready') throw fault('publicapi.asset.update.not_ready')
        assets.describe(row.seq, body)
        return row
      })
      // The index has its name.
      if (body.name !== undefined) {
        await parts.reader.ask('setBack', [seq])
        parts.wake.indexing()
      }
      return recordOf(findAsset(assets, project, params.asset_id))
    },

    'assets.delete': async ({ project, params }) => {
      await removeAsset(parts, () => findAsset(assets, project, params.asset_id))
    },
  }
}

export function findAsset(assets: AssetStore, project: number, asset_id: string): AssetRow {
  return found(assets.find(project, asset_id), 'asset', asset_id)
}

function createAsset(
  { assets, profile, clock, signer, settings, origins }: Parts,
  project: number,
  { filename, mime_type, md5 }: AssetCreate,
): AnswerOf<'assets.create'> {
  const existing = md5 === undefined ? undefined : findExisting(assets, profile, project, md5)
  if (existing) {
    const status = existing.status === 'uploaded' ? 'ingesting' : existing.status
    return { asset_id: existing.asset_id, already_exists: true, status }
  }
  const created_at_ms = clock.now_ms()
  const asset_id = makeId('asset', created_at_ms)
  const expires_at_ms = created_at_ms + settings.ticket_lifetime_ms
  // HTTP trims the value of a header, so the signed value must be trimmed, too.
  const upload_headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': mime_type.trim() }
  const declared_md5 = md5 ?? null
  assets.insert({
    asset_id,
    project,
    filename,
    mime_type,
    declared_md5,
    created_at_ms,
    expires_at_ms,
  })
  const ticket = {
    asset_id,
    headers: upload_headers,
    limit_bytes: settings.max_upload_bytes,
    expires_at_ms,
  }
  return {
    asset_id,
    already_exists: false,
    upload_url: `${origins.blob}${blobPathOf(asset_id)}?${signer.sign(ticket)}`,
    upload_method: 'PUT',
    upload_headers,
    expires_at: isoTime(expires_at_ms),
  }
}

function findExisting(
  assets: AssetStore,
  profile: Profile,
  project: number,
  md5: string,
): AssetRow | undefined {
  const content = assets.findContent(project, md5)
  return content ?? (profile.dedup_reservations ? assets.findReservation(project, md5) : undefined)
}

/** The status as a client sees it. The hosted profile shows two statuses differently. */
function shownStatus(status: AssetStatus, profile: Profile): string {
  if (status === 'uploaded' && profile.dedup_reservations) return 'ingesting'
  return status === 'ingesting' ? profile.status_on_the_way : status
}

/** How much of it was read. A client that sees recognition go on reads the record again. */
function readingOf(
  { pictures, programs }: Parts,
  { seq, reading: stored }: AssetRow,
): AssetReading | undefined {
  if (stored === null) return undefined
  const reading = JSON.parse(stored) as AssetReading
  const goes_on = reading.seen < reading.of && pictures.isUnderway(seq, programs.installed)
  return goes_on ? { ...reading, why: `recognition goes on; ${reading.why}` } : reading
}

/** The record of an asset. Without a profile, it shows the stored status. */
function storedRecord(row: AssetRow, profile?: Profile): AnswerOf<'assets.read'> {
  return {
    asset_id: row.asset_id,
    // The contract does not list `enriching`. That is intended: clients must accept any status.
    status: profile ? (shownStatus(row.status, profile) as AssetStatus) : row.status,
    filename: row.filename,
    mime_type: row.mime_type,
    size_in_bytes: row.size_in_bytes,
    created_at: isoTime(row.created_at_ms),
    name: row.name ?? undefined,
    description: row.description ?? undefined,
    error:
      row.failure === null || profile?.says_why_failed === false
        ? undefined
        : ingestError(row.failure, row),
  }
}

/** `failure`: a clause about the file, such as `encrypted` or `it contains NUL bytes`. */
function ingestError(
  failure: string,
  { has_no_text, is_wire_form, needs_program }: AssetRow,
): AnswerOf<'assets.read'>['error'] {
  const codes: [0 | 1, string][] = [
    [has_no_text, no_text_code],
    [is_wire_form, wire_form_code],
    [needs_program, needs_program_code],
  ]
  return {
    code: codes.find(([holds]) => holds)?.[1] ?? ingest_error_code,
    humane: `The file cannot be read: ${failure.replace(/\.$/, '')}.`,
  }
}
