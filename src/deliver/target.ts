import { isLoopbackHost } from '../base/net/loopback.ts'

/** Where a message goes, as the config has it: complete, checked and frozen. */
export type DeliveryTarget = FileTarget | WebhookTarget | EmailTarget | CommandTarget

interface Named {
  /** Unique among the deliveries of a prompt; what is known of a delivery hangs on it. */
  readonly name: string
}

export interface FileTarget extends Named {
  readonly kind: 'file'
  /** Absolute. */
  readonly dir: string
  /** Template of the file's name, without a directory. */
  readonly file_name: string
}

export interface WebhookTarget extends Named {
  readonly kind: 'webhook'
  /** The address, or the file that holds it: addresses of chat services are secrets. Exactly one of the two. */
  readonly url?: string
  readonly url_file?: string
  /** Holds the signing secret; without it nothing is signed. */
  readonly secret_file?: string
  /** json: the whole message; slack and teams: what those accept; else a template whose values are escaped as JSON. */
  readonly body: 'json' | 'slack' | 'teams' | { readonly template: string }
}

export interface EmailTarget extends Named {
  readonly kind: 'email'
  readonly to: readonly string[]
  readonly from: string
  readonly subject?: string
  readonly smtp: {
    readonly host: string
    readonly port: number
    /** implicit: TLS from the first byte; starttls: required before anything else; none: loopback only. */
    readonly tls: 'implicit' | 'starttls' | 'none'
    readonly user?: string
    readonly password_file?: string
    readonly ca_file?: string
  }
}

export interface CommandTarget extends Named {
  readonly kind: 'command'
  /** Program and arguments, each a template; no shell. */
  readonly run: readonly string[]
  readonly timeout_ms: number
}

/**
 * An address that a report may be sent to, by the rule of the configuration: one that stands in a file was not seen there.
 * Undefined: http to another machine, a user or a password in it, or no address at all.
 */
export function outgoingUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const is_safe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  return is_safe && url.username === '' && url.password === '' ? url : undefined
}
