import { basename } from 'node:path'
import type { FaultNote } from '../base/run/errors.ts'

export interface ReportedProblem {
  kind: string
  about: string
  message: string
  since_ms: number
}

/** A change of the health, as receivers get it. */
export interface Alert {
  message_id: string
  subject: string
  text: string
  /** All reported problems that are still open, old and new; empty when all are resolved. */
  problems: readonly ReportedProblem[]
}

/** Receiver (`target`) of a run's report or of an alert. `run` and `alert` are the ledger's ids. */
export type DeliveryKey = { target: string } & (
  | { run: number; alert?: undefined }
  | { alert: number; run?: undefined }
)

export function deliveryKey({ run, alert, target }: DeliveryKey): DeliveryKey {
  return run === undefined ? { alert, target } : { run, target }
}

export function deliveryName({ run, alert, target }: DeliveryKey): string {
  return run === undefined ? `alert ${alert} ${target}` : `run ${run} ${target}`
}

/** `output`: the end of the output of this try's command; absent without one. */
type DeliveryTried = DeliveryKey & { output?: string | undefined }

/** The deliverer records each try, the alert raiser each alert, a command each request. */
export type DeliveryFact =
  | ({ type: 'delivered' } & DeliveryTried)
  | ({ type: 'delivery_deferred'; not_before_ms: number; error: FaultNote } & DeliveryTried)
  /** Given up: a user must act. */
  | ({ type: 'delivery_failed'; error: FaultNote } & DeliveryTried)
  /** A user requests these: waiting and given-up ones are due now, and new targets are added. */
  | { type: 'delivery_wanted_again'; run: number; targets: readonly string[] }
  | ({ type: 'alert_raised'; targets: readonly string[] } & Alert)

/** What the configuration says of a receiver. */
export type Receiver = { readonly name: string } & (
  | { readonly kind: 'file'; readonly dir: string }
  | {
      readonly kind: 'webhook'
      readonly url?: string | undefined
      readonly body: string | object
    }
  | { readonly kind: 'email'; readonly to: readonly string[] }
  | { readonly kind: 'command'; readonly run: readonly string[] }
)

/** A name that Sluice made, since the configuration gives none. */
const made_name = /^(?:file|webhook|email|command)-[\da-f]{8}$/

const brief_texts = { file: 'files', webhook: 'webhook', email: 'mail', command: 'command' }

/**
 * A receiver for people, such as `mail to team@example.org`. It has no path of an address.
 * `is_brief`: without addresses, hosts and directories, which are the operator's.
 */
export function receiverText(receiver: Receiver, is_brief = false): string {
  const { name, kind } = receiver
  const is_made = made_name.test(name)
  if (is_brief) return is_made ? brief_texts[kind] : name
  const text = wholeText(receiver)
  return is_made ? text : `${name} (${text})`
}

function wholeText(receiver: Receiver): string {
  switch (receiver.kind) {
    case 'file':
      return `files in ${receiver.dir}`
    case 'webhook':
      return webhookText(receiver)
    case 'email': {
      const [first = '', ...others] = receiver.to
      return `mail to ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`
    }
    case 'command':
      return `command ${basename(receiver.run[0] ?? '')}`
  }
}

/** The path of an address may be a secret, so only its host is shown. */
function webhookText({ url, body }: Extract<Receiver, { kind: 'webhook' }>): string {
  if (body === 'slack') return 'Slack'
  const what = body === 'teams' ? 'Teams webhook' : 'webhook'
  return url === undefined ? what : `${what} of ${new URL(url).host}`
}

/** The receiver by its key in the ledger; the key itself if it left the configuration. */
export function receiverNamed(
  key: string,
  receivers: readonly Receiver[] = [],
  is_brief = false,
): string {
  const known = receivers.find(({ name }) => name === key)
  return known === undefined ? key : receiverText(known, is_brief)
}
