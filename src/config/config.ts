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

export interface FolderConfig {
  readonly name: string
  readonly path: string
  readonly project_id: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly dot_files: boolean
  readonly labels: readonly string[]
  readonly label_from: 'none' | 'first_folder'
  readonly max_file_bytes: number
  readonly settle_ms: number
  readonly settle_cap_ms: number
  readonly start: FolderStart
  readonly upload_name: 'path' | 'base'
  /** File name extension, lower case without its dot -> media type. */
  readonly mime_types: Readonly<Record<string, string>>
  readonly on_delete: 'keep' | 'remove'
  readonly delete_grace_ms: number
  readonly on_change: 'keep' | 'remove_old'
  readonly watch: 'auto' | 'chokidar' | 'native' | 'scan'
  readonly rescan_interval_ms: number
  readonly widening: 'warn' | 'skip'
}

/** Which of the files found at the very first look are sent. */
type FolderStart =
  | { readonly kind: 'all' }
  | { readonly kind: 'from_now' }
  | { readonly kind: 'newer_than'; readonly age_ms: number }

export type LogConfig = Config['log']

/** One prompt that is asked on a schedule. */
export interface PromptConfig {
  readonly name: string
  /** That of its folders, where it has any. */
  readonly project_id: string
  readonly schedule: {
    /** Five fields. */
    readonly cron: string
    /** IANA name. */
    readonly timezone: string
  }
  readonly prompt: string
  readonly intelligence: Intelligence
  readonly provider: string | undefined
  readonly skills: readonly string[]
  readonly public_data: boolean | undefined
  /** Names something: an empty one would mean everything. */
  readonly scope: {
    readonly folders: readonly string[]
    readonly paths: readonly string[]
    readonly fresh: 'since_last_run' | 'all' | { readonly within_ms: number }
    readonly labels: readonly string[]
    readonly chats: readonly string[]
    readonly concepts: readonly string[]
    readonly projects: readonly string[]
    readonly views: readonly string[]
  }
  readonly first_run: 'from_now' | 'all'
  readonly when_nothing_new: 'skip' | 'run'
  readonly wait_for_files_ms: number
  readonly max_assets: number
  readonly when_too_many: 'next_run' | 'more_turns'
  readonly continue_chat: boolean
  readonly catch_up_ms: number
  readonly overlap: 'skip' | 'queue'
  /** The first `file` delivery, else a directory in the state directory. */
  readonly report: { readonly dir: string; readonly file_name: string }
  /** The others, their names unique in the prompt. */
  readonly deliver: readonly DeliveryConfig[]
}

type Intelligence = 'auto' | 'fast' | 'expert' | 'research'

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
