import { basename } from 'node:path'

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
