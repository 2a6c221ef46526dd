import { formatCount } from '../base/text/format.ts'
import { scrubText } from '../base/text/scrub.ts'
import type { Ticket } from '../domain/ticket.ts'
import { parseUploadUrl } from './addresses.ts'
import type { Failure } from './outcome.ts'
import { findHeaderFault } from './put-bytes.ts'
import { type Fields, fieldsOf, idOf, itemsOf, OddAnswer, present, textOf, timeOf_ms } from './translate.ts'

export type LabelReference = ReturnType<typeof labelOf>

export type AssetRecord = ReturnType<typeof assetRecordOf>

/** A slot to fill, or the asset that has these bytes already (and whose status may not be final). */
export type Created =
  | { kind: 'slot'; asset_id: string; ticket: Ticket }
  | { kind: 'exists'; asset_id: string; status?: string }

/** A status is shown to people and stored: nothing longer than a word or two is one. */
const status_longest = 64
const statuses = ['uploaded', 'ingesting', 'ready', 'failed'] as const

/**
 * Servers read no longer head than 8 to 16 KB (nginx, Apache, Node), so that no longer ticket could
 * be used.
 */
const max_ticket_bytes = 16_384

export function createdOf(value: unknown, status: number): Created {
  const fields = fieldsOf(value, 'the answer')
  const asset_id = idOf('asset', fields.asset_id)
  const { already_exists, upload_url } = fields
  // An absent already_exists is false; but 200 without upload fields can mean nothing else.
  if (already_exists === true || (already_exists === undefined && status === 200 && upload_url === undefined)) {
    return present({ kind: 'exists' as const, asset_id, status: statusText(fields.status) })
  }
  return { kind: 'slot', asset_id, ticket: ticketOf(fields) }
}

/** `asset_id`, where the record must be of that asset. */
export function assetRecordOf(value: unknown, asset_id?: string) {
  const fields = fieldsOf(value, 'the asset')
  const id = idOf('asset', fields.asset_id)
  if (asset_id !== undefined && id !== asset_id) throw new OddAnswer('it is about another asset')
  const raw_status = statusText(fields.status)
  if (raw_status === undefined) throw new OddAnswer('the asset has no status')
  return present({
    asset_id: id,
    status: statuses.find((status) => status === raw_status) ?? ('other' as const),
    raw_status,
    filename: textOf(fields.filename),
    size_in_bytes: isSize(fields.size_in_bytes) ? fields.size_in_bytes : undefined,
    created_at_ms: timeOf_ms(fields.created_at),
    // Listed assets have them, single ones may not.
    labels: labelsOf(fields.labels),
  })
}

export function labelOf(value: unknown) {
  const fields = fieldsOf(value, 'the label')
  return { label_id: idOf('label', fields.label_id), name: textOf(fields.name) ?? '' }
}

export type ProjectReference = ReturnType<typeof projectOf>

/** `is_default`: the project that the token opens first. */
export function projectOf(value: unknown) {
  const fields = fieldsOf(value, 'the project')
  const project_id = idOf('project', fields.project_id)
  return { project_id, name: textOf(fields.name) ?? project_id, is_default: fields.default === true }
}

function labelsOf(value: unknown): LabelReference[] | undefined {
  return value === undefined || value === null ? undefined : itemsOf(value, 'labels').map(labelOf)
}

/** Shown to people and stored: scrubbed before it is cut, for half a secret is not seen as one. */
function statusText(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : scrubText(text).slice(0, status_longest)
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function ticketOf(fields: Fields): Ticket {
  if (fields.upload_method !== 'PUT') throw new OddAnswer('upload_method is not PUT')
  const { upload_url } = fields
  if (typeof upload_url !== 'string' || !parseUploadUrl(upload_url)) {
    throw new OddAnswer('upload_url is not an https address')
  }
  const upload_headers = uploadHeadersOf(fields.upload_headers)
  const bytes = Buffer.byteLength([upload_url, ...Object.entries(upload_headers).flat()].join(''))
  if (bytes > max_ticket_bytes) {
    const seen = `upload_url and upload_headers have ${formatCount(bytes)} bytes`
    throw new OddAnswer(`${seen} together, more than ${formatCount(max_ticket_bytes)}`)
  }
  const expires_at_ms = timeOf_ms(fields.expires_at)
  if (expires_at_ms === undefined) throw new OddAnswer('expires_at is not a time')
  return { upload_url, upload_method: 'PUT', upload_headers, expires_at_ms }
}

function uploadHeadersOf(value: unknown): Record<string, string> {
  const headers = value === undefined || value === null ? {} : fieldsOf(value, 'upload_headers')
  const fault = findHeaderFault(headers)
  if (fault !== undefined) throw new OddAnswer(fault)
  return { ...headers } as Record<string, string>
}

/** The most that a page of the list holds. */
export const assets_a_page = 100

/** A cursor that was taken out of the list is unknown to some services; so many before it on its page are tried in its place. */
const max_other_cursors = 5

/** The way through a project's list of assets, page by page, also where the asset at a page's end is removed meanwhile. */
export class ListCursor {
  /** Ids of the last page, newest last. */
  #last_page: readonly string[] = []
  /** How many of them were tried in the place of a cursor that is unknown. */
  #tried = 0

  /** Where the next page begins; `cursor`: as the page before said. */
  afterId(cursor: string | undefined): string | undefined {
    return this.#tried === 0 ? cursor : this.#last_page.at(-1 - this.#tried)
  }

  /** Answers what was not on the page before. */
  take(items: readonly AssetRecord[]): AssetRecord[] {
    const is_again = new Set(this.#tried === 0 ? [] : this.#last_page)
    this.#last_page = items.map(({ asset_id }) => asset_id)
    this.#tried = 0
    return items.filter(({ asset_id }) => !is_again.has(asset_id))
  }

  /** After a page that was refused. `other cursor`: ask again; `lost`: the list has to be begun anew; `unsaid`: that was another fault. */
  refused({ about }: Failure): 'other cursor' | 'lost' | 'unsaid' {
    if (about !== 'attempt') return 'unsaid'
    const has_other = this.#tried < Math.min(max_other_cursors, this.#last_page.length - 1)
    this.#tried = has_other ? this.#tried + 1 : 0
    return has_other ? 'other cursor' : 'lost'
  }
}
