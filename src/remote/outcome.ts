import { isSurelyUnsent } from '../base/net/network-fault.ts'
import type { FaultNote } from '../base/run/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Elsewhere, Failure, FailureAbout } from '../contract/failures.ts'
import { type IdKind, isId } from '../contract/identifiers.ts'

// Other modules use the wire types only through this file.
export type { Call, Failure } from '../contract/failures.ts'

/** `date_ms`: the clock of the service (Date header), which shows if the local one is wrong. */
export type Outcome<T> = { ok: true; value: T; date_ms?: number } | { ok: false; failure: Failure }

export interface Page<Item> {
  items: Item[]
  /** Pass it as `after_id` for the next page; absent on the last page. */
  next?: string
}

/**
 * True if a failed call surely created nothing, so that it can be repeated: it never reached its
 * host, or the service itself refused it. Any other failure (a time-out, a broken connection, a
 * gateway's 502 or 503) may come after the call took effect.
 */
export function isSurelyUndone({ about, code, status }: Failure): boolean {
  return (
    refusals.includes(about) ||
    isSurelyUnsent(code) ||
    status === 429 ||
    (status === 503 && code === 'publicapi.service.unavailable')
  )
}

const refusals: readonly FailureAbout[] = ['account', 'project', 'uploads', 'right', 'content']

/** The token may read in the project, and not upload. */
export const role_insufficient: ErrorCode = 'publicapi.tenancy.role.insufficient'

export const reader_text =
  'the token has the role reader in the project: it may read and ask, and not upload'

const wrong_addresses: Readonly<Record<Elsewhere, string>> = {
  page: 'another program answers there (Sluice’s own page?), or a proxy on the way',
  path: 'a service answers there that has nothing at this path',
  other: 'another program answers there, or the path of the service is another one',
}

/** What is wrong with the address, if that is why the call failed. */
export function wrongAddress({ elsewhere }: Failure): string | undefined {
  return elsewhere && wrong_addresses[elsewhere]
}

export function roleHint(project_id: string): string {
  return `ask an owner of the project for the role collaborator (on a local service: \`sluice serve member add YOUR-EMAIL --project ${project_id} --role collaborator\`)`
}

/** The failure for users. Its codes are for programs: `noteOf` and the log have them. */
export function failureText({ about, message, humane }: Failure): string {
  if (about === 'account') return "the service does not accept Sluice's token"
  return humane === undefined ? message : `${message}: ${humane}`
}

/** Hides secrets that a service may repeat in its texts, also URL-encoded or as JSON escapes. */
export function withoutSecrets(failure: Failure, secrets: readonly string[]): Failure {
  const { code, message, humane } = failure
  const forms = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .sort((one, other) => other.length - one.length)
  const clean = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '***'), text)
  const texts = {
    code: code && clean(code),
    message: clean(message),
    humane: humane && clean(humane),
  }
  return { ...failure, ...present(texts) }
}

export function noteOf(failure: Failure): FaultNote {
  return { code: failure.code ?? failure.about, message: failureText(failure) }
}

/** A success that breaks the contract. The message never has the value, which may be secret. */
export class OddAnswer extends Error {
  code?: string
}

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OddAnswer(`${what} is not an object`)
  return value as Fields
}

export function itemsOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new OddAnswer(`${what} is not a list`)
  return value
}

/** Only well-formed ids are allowed, because they go into later requests and into the ledger. */
export function idOf(kind: IdKind, value: unknown): string {
  if (!isId(kind, value)) throw new OddAnswer(`${kind}_id is not an id of that kind`)
  return value
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** ISO 8601 as Unix milliseconds. Without a zone it is UTC, as in the contract. */
export function timeOf_ms(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined
  const at_ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`)
  return Number.isNaN(at_ms) ? undefined : at_ms
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Omits undefined fields. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as never
}

/**
 * Refuses a `has_more` without a new cursor, which would cause an endless loop. One bad item makes
 * the whole page fail, because an item missing from a list may count as removed.
 */
export function pageOf<Item>(
  value: unknown,
  kind: IdKind,
  after_id: string | undefined,
  itemOf: (item: unknown) => Item,
): Page<Item> {
  const { data, has_more, last_id } = fieldsOf(value, 'the page')
  const items = itemsOf(data, 'data').map(itemOf)
  if (typeof has_more !== 'boolean') throw new OddAnswer('has_more is neither true nor false')
  if (!has_more) return { items }
  if (!isId(kind, last_id)) throw new OddAnswer('has_more is true without a last_id')
  if (last_id === after_id) throw new OddAnswer('last_id is the cursor that was sent')
  if (items.length === 0) throw new OddAnswer('has_more is true on an empty page')
  return { items, next: last_id }
}
