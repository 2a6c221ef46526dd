import { formatDuration } from '../base/text/format.ts'
import { minute_ms } from '../base/time/time.ts'
import type { FaultNote } from '../domain/fault-note.ts'
import type { Ticket } from '../domain/ticket.ts'
import type { SendWork } from '../ledger/ledger.ts'
import { type Failure, failureText } from '../remote/outcome.ts'
import type { Step } from './upload/send-places.ts'

/** A slot ends after so many failures in a row: its ticket may be the cause. */
const max_slot_failures = 3
/** No content is given up sooner: a fault of the service may last as long. */
const min_failing_ms = 10 * minute_ms

/**
 * True if another slot may help: this one failed too often, at the blob store or because `complete`
 * does not know it. The last try has its own slot, so that no content is given up for an old
 * ticket.
 */
export function isSlotGivenUp(
  { slot_failures, attempts }: Pick<SendWork, 'slot_failures' | 'attempts'>,
  { about }: Failure,
  step: Step | undefined,
  max_attempts: number,
): boolean {
  const is_last_next = attempts + 2 >= max_attempts
  return (step === 'put' || about === 'slot_gone') && (is_last_next || slot_failures + 1 >= max_slot_failures)
}

/** Reason to give up a content after this failure; undefined while it is retried. */
export function givenUp(
  { attempts, failing_since_ms }: Pick<SendWork, 'attempts' | 'failing_since_ms'>,
  failure: Failure,
  max_attempts: number,
  now_ms: number,
): Failure | undefined {
  const failing_ms = now_ms - (failing_since_ms ?? now_ms)
  if (attempts + 1 < max_attempts || failing_ms < min_failing_ms) return undefined
  const message = `given up after ${attempts + 1} tries in ${formatDuration(failing_ms)}: ${failure.message}`
  return { ...failure, code: 'gave_up', message }
}

/** The failure in the form that the ledger stores. */
export function noteOf(failure: Failure): FaultNote {
  return { code: failure.code ?? failure.about, message: failureText(failure) }
}

/** Shorter values are no signatures, and would match ordinary words. */
const min_secret_length = 8

/** A service may repeat an upload's address or headers in its message; remove them. */
export function withoutTicket(failure: Failure, ticket: Ticket | undefined): Failure {
  if (!ticket) return failure
  const { search, searchParams } = new URL(ticket.upload_url)
  const secrets = [search.slice(1), ...searchParams.values(), ...Object.values(ticket.upload_headers)]
    .filter((secret) => secret.length >= min_secret_length)
    .sort((one, other) => other.length - one.length)
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return {
    ...failure,
    message: clean(failure.message),
    ...(failure.humane === undefined ? {} : { humane: clean(failure.humane) }),
  }
}
