import { formatCount } from '../base/text/format.ts'
import { scrubText } from '../base/text/scrub.ts'
import { humaneOf, needs_program_code, no_text_code, wire_form_code } from '../contract/errors.ts'
import { findHeaderFault } from '../contract/upload-headers.ts'
import type { Ticket } from '../domain/asset.ts'
import { type Reading, reading_units } from '../domain/reading.ts'
import { parseUploadUrl } from './api.ts'
import { walkList } from './list-place.ts'
import {
  type Fields,
  fieldsOf,
  idOf,
  itemsOf,
  OddAnswer,
  type Outcome,
  type Page,
  present,
  textOf,
  timeOf_ms,
} from './outcome.ts'
import { unsendable_header } from './put-bytes.ts'

export type LabelReference = ReturnType<typeof labelOf>

export type AssetRecord = ReturnType<typeof assetRecordOf>

/** A slot for an upload, or the asset with these bytes (its status may not be final). */
export type Created =
  | { kind: 'slot'; asset_id: string; ticket: Ticket }
  | { kind: 'exists'; asset_id: string; status?: string }

/** Characters of a status that are kept, because it is shown to users and stored. */
const status_longest = 64
const statuses = ['uploaded', 'ingesting', 'ready', 'failed'] as const

/** Bytes. Servers accept 8 to 16 KB of headers, so a longer ticket is unusable. */
const max_ticket_bytes = 16_384

export function createdOf(value: unknown, status: number): Created {
  const fields = fieldsOf(value, 'the answer')
  const asset_id = idOf('asset', fields.asset_id)
  const { already_exists, upload_url } = fields
  // Without already_exists, a 200 without upload fields can only mean that the asset exists.
  if (
    already_exists === true ||
    (already_exists === undefined && status === 200 && upload_url === undefined)
  ) {
    return present({ kind: 'exists' as const, asset_id, status: statusText(fields.status) })
  }
  return { kind: 'slot', asset_id, ticket: ticketOf(fields) }
}

/** `asset_id`: absent for an item of a list, whose `raw_status` is empty if none is shown. */
export function assetRecordOf(value: unknown, asset_id?: string) {
  const fields = fieldsOf(value, 'the asset')
  const id = idOf('asset', fields.asset_id)
  if (asset_id !== undefined && id !== asset_id) throw new OddAnswer('it is about another asset')
  const raw_status = statusText(fields.status) ?? ''
  if (raw_status === '' && asset_id !== undefined) throw new OddAnswer('the asset has no status')
  return present({
    asset_id: id,
    status: statuses.find((status) => status === raw_status) ?? ('other' as const),
    raw_status,
    why_failed: raw_status === 'failed' ? whyFailed(fields.error) : undefined,
    has_no_text: raw_status === 'failed' && isOfNoText(codeOf(fields.error)) ? true : undefined,
    reading: raw_status === 'ready' ? readingOf(fields.reading) : undefined,
    filename: textOf(fields.filename),
    /** The name in answers: a later one, else the first. */
    shown_name: textOf(fields.name) ?? textOf(fields.filename),
    size_in_bytes: isSize(fields.size_in_bytes) ? fields.size_in_bytes : undefined,
    created_at_ms: timeOf_ms(fields.created_at),
    // Listed assets have labels; single ones may not.
    labels: labelsOf(fields.labels),
  })
}

function codeOf(error: unknown): unknown {
  return ((error ?? {}) as Fields).code
}

/** The local service says why an asset failed; others may not. */
function whyFailed(error: unknown): string | undefined {
  const { humane, code } = (error ?? {}) as Fields
  return humaneOf(humane) ?? humaneOf(code)
}

/**
 * True for the code of a file that says nothing about its type: it has no word of its own or none
 * that people read, or the service's machine lacks a program.
 */
export function isOfNoText(code: unknown): boolean {
  return code === no_text_code || code === wire_form_code || code === needs_program_code
}

/** Undefined unless the numbers make sense: a field more must not spoil the record. */
function readingOf(value: unknown): Reading | undefined {
  const { of, seen, unit, why } = (value ?? {}) as Fields
  if (!isSize(of) || !isSize(seen) || of === 0 || seen > of) return undefined
  return present({
    of,
    seen,
    unit: reading_units.find((known) => known === unit),
    why: humaneOf(why),
  })
}

/** Bytes. An asset this small was never filled (contract, "dead reservation": size 0 or 1). */
const max_dead_bytes = 1

/** True for a slot without bytes, whatever its status. `size`: bytes of the content. */
export function isUnfilled({ size_in_bytes }: AssetRecord, size: number): boolean {
  return size > max_dead_bytes && size_in_bytes !== undefined && size_in_bytes <= max_dead_bytes
}

export function labelOf(value: unknown) {
  const fields = fieldsOf(value, 'the label')
  return { label_id: idOf('label', fields.label_id), name: textOf(fields.name) ?? '' }
}

export type ProjectReference = ReturnType<typeof projectOf>

/** `is_default`: the project that the token opens first. Not every service shows the `role`. */
export function projectOf(value: unknown) {
  const fields = fieldsOf(value, 'the project')
  const project_id = idOf('project', fields.project_id)
  const name = textOf(fields.name) ?? project_id
  return { project_id, name, is_default: fields.default === true, role: textOf(fields.role) }
}

function labelsOf(value: unknown): LabelReference[] | undefined {
  return value === undefined || value === null ? undefined : itemsOf(value, 'labels').map(labelOf)
}

/** Users see this text and it is stored. Scrub before the cut: half a secret is not recognised. */
export function statusText(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : scrubText(text).slice(0, status_longest)
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function ticketOf(fields: Fields): Ticket {
  if (fields.upload_method !== 'PUT') throw new OddAnswer('upload_method is not PUT')
  const { upload_url } = fields
  const url = typeof upload_url === 'string' ? parseUploadUrl(upload_url) : undefined
  if (typeof upload_url !== 'string' || !url)
    throw new OddAnswer('upload_url is not an https address')
  const upload_headers = uploadHeadersOf(fields.upload_headers, url.host)
  const bytes = Buffer.byteLength([upload_url, ...Object.entries(upload_headers).flat()].join(''))
  if (bytes > max_ticket_bytes) {
    const seen = `upload_url and upload_headers have ${formatCount(bytes)} bytes`
    throw new OddAnswer(`${seen} together, more than ${formatCount(max_ticket_bytes)}`)
  }
  const expires_at_ms = timeOf_ms(fields.expires_at)
  if (expires_at_ms === undefined) throw new OddAnswer('expires_at is not a time')
  return { upload_url, upload_method: 'PUT', upload_headers, expires_at_ms }
}

function uploadHeadersOf(value: unknown, host: string): Record<string, string> {
  const headers = value === undefined || value === null ? {} : fieldsOf(value, 'upload_headers')
  const fault = findHeaderFault(headers, host)
  if (fault !== undefined) throw Object.assign(new OddAnswer(fault), { code: unsendable_header })
  return { ...headers } as Record<string, string>
}

/** Maximum number of assets on a list page. */
export const assets_a_page = 100

type ListAssets = (
  project_id: string,
  page: { after_id?: string | undefined },
) => Promise<Outcome<Page<AssetRecord>>>

/** Walks through a project's assets, at most `max_pages` pages (see walkList). */
export function walkAssets(
  { listAssets }: { listAssets: ListAssets },
  project_id: string,
  max_pages: number,
) {
  return walkList((after_id) => listAssets(project_id, { after_id }), assetIdOf, max_pages)
}

export function assetIdOf({ asset_id }: AssetRecord): string {
  return asset_id
}
