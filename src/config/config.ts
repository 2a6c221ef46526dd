import type { Constants } from './constants.ts'
import type { CheckedConfig } from './schema.ts'

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

type Settings = Omit<CheckedConfig, 'service' | 'state_dir' | 'folders' | 'prompts' | 'smtp' | 'alerts'>

/** Sections of what a file can set, of what none can, or of both. */
type Sections = DeepReadonly<Settings & Omit<Constants, 'alerts' | 'folder'>>

/**
 * The configuration as the program uses it: complete, checked and frozen. What each field means, and the reason of its value,
 * stands in schema.ts and constants.ts; durations are numbers in the unit of their name, sizes are bytes.
 */
export interface Config extends Sections {
  readonly service: ServiceConfig
  /** The ledger and what belongs to it; absolute. */
  readonly state_dir: string
  readonly folders: readonly FolderConfig[]
  readonly prompts: readonly PromptConfig[]
  readonly alerts: AlertsConfig
}

export interface ServiceConfig {
  /** Without a trailing slash; paths begin with /v1 after it. */
  readonly base_url: string
  readonly project_id: string
  readonly token_file?: string
  readonly ca_file?: string
}

/** As the file has it; `path` is absolute. */
export type FolderConfig = DeepReadonly<
  Omit<CheckedConfig['folders'][number], 'project_id'> & { project_id: string; settle_cap_ms: number }
>

export type LogConfig = Config['log']

type CheckedPrompt = CheckedConfig['prompts'][number]

/** One prompt that is asked on a schedule. */
export type PromptConfig = DeepReadonly<
  Omit<
    CheckedPrompt,
    | 'project_id'
    | 'cron'
    | 'timezone'
    | 'provider'
    | 'public_data'
    | 'scope'
    | 'wait_for_files'
    | 'catch_up'
    | 'deliver'
  > & {
    /** That of its folders, where it has any. */
    project_id: string
    /** Five fields, and an IANA name. */
    schedule: { cron: string; timezone: string }
    provider: string | undefined
    public_data: boolean | undefined
    /** Names something: an empty one would mean everything. */
    scope: Omit<CheckedPrompt['scope'], 'fresh'> & { fresh: NonNullable<CheckedPrompt['scope']['fresh']> }
    wait_for_files_ms: number
    catch_up_ms: number
    /** The first `file` delivery, else a directory in the state directory. */
    report: { dir: string; file_name: string }
    /** The others, their names unique in the prompt. */
    deliver: DeliveryConfig[]
  }
>

export type DeliveryConfig = { readonly name: string } & (
  | { readonly kind: 'file'; readonly dir: string; readonly file_name: string }
  | WebhookConfig
  | EmailConfig
  | { readonly kind: 'command'; readonly run: readonly string[]; readonly timeout_ms: number }
)

export interface WebhookConfig {
  readonly kind: 'webhook'
  /** May be a secret: the addresses of chat services are. Either this or url_file. */
  readonly url?: string
  readonly url_file?: string
  readonly secret_file?: string
  readonly body: 'json' | 'slack' | 'teams' | { readonly template: string }
}

export interface EmailConfig {
  readonly kind: 'email'
  readonly to: readonly string[]
  readonly from: string
  readonly subject?: string
  readonly smtp: SmtpConfig
}

export interface SmtpConfig {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'none'
  readonly user?: string
  readonly password_file?: string
  readonly ca_file?: string
}

export interface AlertsConfig extends Readonly<Constants['alerts']> {
  /** Their names are unique. */
  readonly deliver: readonly DeliveryConfig[]
  /** Either url or url_file; both are secrets. */
  readonly ping?: { readonly url?: string; readonly url_file?: string }
}
