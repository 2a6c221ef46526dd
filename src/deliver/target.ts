import { askingPaths, isNoAnswer } from '../base/files/ask-paths.ts'
import { readSmallText } from '../base/files/paths.ts'
import { isLoopbackHost } from '../base/net/loopback.ts'
import { causeOf, messageOf, SluiceError } from '../base/run/errors.ts'

/** The receiver of a message, as in the configuration: complete, checked and frozen. */
export type DeliveryTarget = FileTarget | WebhookTarget | EmailTarget | CommandTarget

interface Named {
  /** Unique among the deliveries of a prompt or of the alerts. The ledger knows them by it. */
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
  /** Exactly one of `url` and `url_file` is set: addresses of chat services are secrets. */
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
 * Parses the address of a receiver. Undefined if it is not https (http only to loopback), or has a
 * user or password. `outgoingFault` has the same rules for the configuration.
 */
export function outgoingUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const is_safe =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  return is_safe && url.username === '' && url.password === '' ? url : undefined
}

/** Secrets are far smaller. A wrong path must not load a large file. */
const max_secret_bytes = 16_384

/**
 * Reads a secret anew for each try, so that users can change it. Errors: `delivery.secret_file`.
 */
export async function readSecretFile(file: string, what: string): Promise<string> {
  try {
    const read = await askingPaths((paths) => readSmallText(file, max_secret_bytes, paths))
    const text = read.trim()
    if (text === '') throw new Error('it is empty')
    return text
  } catch (error) {
    throw new SluiceError({
      code: 'delivery.secret_file',
      message: `${what} cannot be read from ${file}: ${isNoAnswer(error) ? messageOf(error) : causeOf(error)}`,
      hint: 'check that the file exists, what it contains, and who may read it',
    })
  }
}
