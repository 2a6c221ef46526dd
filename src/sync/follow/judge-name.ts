import { backoff_ms, day_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import type { NameFact } from '../../domain/fact.ts'
import { failures_to_blame } from '../../domain/file-type.ts'
import type { NameWork } from '../../ledger/ledger.ts'
import type { AssetRecord } from '../../remote/assets.ts'
import { judgeFailure } from '../../remote/judge-failure.ts'
import { type Failure, noteOf } from '../../remote/outcome.ts'

/** Wait after a refusal: the service may support it later, or grant the right. */
const refused_ms = day_ms
/** Wait for an asset that is not ready: only a ready one may be renamed. */
const unready_ms = minute_ms
const retry = { first_ms: second_ms, max_ms: 5 * minute_ms }

/** The step that follows from the name that the service shows: a fact, or a rename. */
export function judgeName(
  { content, names, wanted }: NameWork,
  { status, shown_name }: Pick<AssetRecord, 'status' | 'shown_name'>,
  now_ms: number,
): NameFact | 'rename' {
  // A service that shows no names cannot tell whose the name is.
  if (status !== 'ready' || shown_name === undefined) {
    const wait_ms = status === 'ready' ? refused_ms : unready_ms
    return { type: 'name_deferred', content, not_before_ms: now_ms + wait_ms }
  }
  // Only our own last name gives way: a user or another program may have given another one.
  const is_ours = names.some(({ text, folder }) => text === shown_name && folder !== undefined)
  if (is_ours && wanted && wanted.text !== shown_name) return 'rename'
  return { type: 'asset_named', content, shown_name, tried: shown_name }
}

/**
 * The fact for a failed call. With an `error` the service refuses to rename any asset, for example
 * because a right is missing. This changes nothing but names.
 */
export function deferName(
  content: number,
  failure: Failure,
  tries: number,
  now_ms: number,
): Extract<NameFact, { type: 'name_deferred' }> {
  const { about, retry_after_ms = 0 } = failure
  const { fact } = judgeFailure(failure, {})
  // A refused token or project is found by the calls that decide about it.
  const is_passing = fact === 'untried' || (fact === 'again' && about !== 'unknown_protocol')
  // Enough in a row are about the service. A pass waits no longer for them.
  const rest_ms = tries + 1 < failures_to_blame ? backoff_ms(tries, retry) : retry.max_ms
  const wait_ms = is_passing ? Math.max(rest_ms, retry_after_ms) : refused_ms
  const deferred = { type: 'name_deferred', content, not_before_ms: now_ms + wait_ms } as const
  const is_of_asset = fact === 'gone' || about === 'content'
  return is_passing || is_of_asset ? deferred : { ...deferred, error: noteOf(failure) }
}
