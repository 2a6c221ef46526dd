import { isLoopbackHost } from '../base/net/loopback.ts'

/** The receiver of a message, as in the configuration: complete, checked and frozen. */
export type DeliveryTarget = FileTarget | WebhookTarget | EmailTarget | CommandTarget

interface Named {
  /** Unique among the deliveries of a prompt. The ledger knows a delivery by this name. */
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
  /** Exactly one of the two is set: addresses of chat services are secrets. */
  readonly url?: string
  readonly url_file?: string
  /** File with the signing secret; undefined: messages are not signed. */
  readonly secret_file?: string
  /** `json` is the whole message. A template escapes its values as JSON. */
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
    /** TLS from the first byte, required by STARTTLS, or none (loopback only). */
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
 * Parses an address from a file by the rules that `outgoingFault` has for the configuration.
 * Undefined: not https (http only to loopback), or with a user or password.
 */
export function outgoingUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const is_safe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  return is_safe && url.username === '' && url.password === '' ? url : undefined
}
