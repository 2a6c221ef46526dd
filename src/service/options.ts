import { z } from 'zod'
import type { ProxyVariables } from '../base/net/http-client.ts'
import { type Clock, hour_ms, minute_ms, system_clock } from '../base/time/time.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { checkAddress } from './address.ts'
import { limit_options, whole } from './api/limits.ts'
import { default_assistant, readAssistantConfig } from './assistant/assistant-config.ts'
import { injected_faults } from './faults/fault-injection.ts'
import { refused } from './faults/faults.ts'
import type { TlsFiles } from './tls/tls-files.ts'

/**
 * An answer as it goes out, for those who check it.
 *
 * @internal
 */
export interface AnswerSeen {
  method: string
  /** Path and query. */
  url: string
  status: number
  /** Content-Type; empty where there is no body. */
  type: string
  body: string
}

const ingest_options = z.object({
  /** An asset stays `ingesting` for at least this long after it was completed. */
  delay_ms: whole(0).default(0),
  /** Assets read together, in one transaction of the index. */
  // One commit of the index costs a disk flush: 64 small files share it, and the first is still ready within 20 ms.
  concurrency: whole(1).default(256),
  /** Above this a file ends `failed`. */
  // A text is held in memory about four times while it is read: 128 MB at most.
  max_bytes: whole(1).default(32 * 1024 * 1024),
  /** Child processes that read documents, each one file at a time. */
  // A file that takes all its time does not hold up the others; more would take a small machine away from its requests.
  processes: whole(1).default(2),
  /** A document that takes longer, that takes more memory, that unpacks to more bytes or holds more text ends `failed`. */
  // The largest real documents took seconds; a minute is for a busy machine.
  time_ms: whole(1).default(minute_ms),
  // Real documents took up to 90 MB, an idle process 45. Twice the default is what a hostile pair can hold for a minute. Below
  // the least the process does not start.
  memory_bytes: whole(192 * 1024 * 1024).default(512 * 1024 * 1024),
  // XML shrinks to a tenth and less: a workbook of the largest size that is full of numbers still passes.
  unpacked_bytes: whole(1).default(512 * 1024 * 1024),
  /** In UTF-16 units. */
  // Twenty long novels. It is held about four times on its way into the index.
  text_length: whole(1).default(16 * 1024 * 1024),
  /** Another program for the child processes, a file; empty: the one of this package. For tests. */
  reading_program: z.string().default(''),
})

const service_options = z.object({
  /** Holds everything that the service knows; made (0700) when missing. One service at a time. */
  data_dir: z.string(),
  /** An address as a literal; one that is not loopback needs `tls`. */
  listen: z.string().default('127.0.0.1'),
  /** Both listeners speak TLS with these. */
  tls: z.custom<TlsFiles>().optional(),
  /** Where others reach the API and the blob store, when that is not where they listen: behind a reverse proxy, or by a name. */
  public_url: z.string().optional(),
  public_blob_url: z.string().optional(),
  /** Origins whose pages may ask, `*` for any. Unless told: any on loopback without a public address, elsewhere the service's own. */
  allowed_origins: z.array(z.string()).readonly().optional(),
  /** Of the API; 0 takes a free one. */
  port: whole(0).default(0),
  /** Of the blob store, which is an origin of its own; 0 takes a free one. */
  blob_port: whole(0).default(0),
  profile: z.enum(['default', 'hosted']).default('default'),
  ingest: ingest_options.prefault({}),
  limits: limit_options.prefault({}),
  /** An answer is written no sooner than this after its question. */
  answer_delay_ms: whole(0).default(0),
  /** A file of JSON that says who answers, and how; absent: the extractive assistant (assistant-config.ts). */
  assistant_config: z.string().optional(),
  /** For the hosts that the assistant itself asks. */
  proxy: z.custom<ProxyVariables>().default({}),
  injected_faults: injected_faults.default({}),
  clock: z.custom<Clock>().default(() => system_clock),
  /** One line for people; nothing secret. */
  log: z.custom<(line: string) => void>().default(() => () => {}),
  // Long enough for a large file on a slow line, short enough that a leaked URL is soon worthless.
  ticket_lifetime_ms: whole(1).default(hour_ms),
  // What object stores commonly take in one PUT (5 GB).
  max_upload_bytes: whole(1).default(5_000_000_000),
  /** How many of the last requests `requestLog` remembers. */
  // Holds a whole run of tens of thousands of files in about 20 MB.
  max_logged_requests: z.number().default(100_000),
  /** How long `close` lets requests in flight finish. */
  close_grace_ms: whole(0).default(5_000),
  /** A connection on which nothing moves for so long, or a call whose body has not come by then, is cut. */
  // Enough for the largest body of a call at 28 kbit/s; connections that somebody leaves open on purpose do not pile up.
  silence_ms: whole(1).default(5 * minute_ms),
  /** Told of every answer of the API but those that bad days order, before it goes out; must not throw. */
  onAnswer: z.custom<(answer: AnswerSeen) => void>().optional(),
})

export type ServiceOptions = z.input<typeof service_options>
export type ProfileName = NonNullable<ServiceOptions['profile']>
export type IngestSettings = z.output<typeof ingest_options>
export type Settings = ReturnType<typeof settingsFrom>

/** Error `config.service`: an option that cannot work. */
export function settingsFrom(options: ServiceOptions) {
  const { success, data, error } = service_options.safeParse(options)
  if (!success) {
    const [{ path, message } = { path: [], message: '' }] = error.issues
    const value = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)?.[key], options)
    throw refused(`the local service cannot work with ${path.join('.')} = ${String(value)}: ${message}`)
  }
  const { assistant_config, ...settings } = data
  checkAddress({ ...settings, has_tls: settings.tls !== undefined })
  const assistant = assistant_config === undefined ? default_assistant : readAssistantConfig(assistant_config)
  return { ...settings, assistant }
}

const default_profile = {
  cors: true,
  /** Otherwise one full page, whatever the limit. */
  labels_paged: false,
  assets_newest_first: true,
  /** Messages are keyed `id`, without `status`. */
  messages_by_id: false,
  /** A new message cannot be read for this long. */
  message_hidden_ms: 0,
  /** A chat has no `modified_at` until its first turn has ended. */
  modified_at_late: false,
  /** A declared md5 also matches a slot whose bytes never came; such a slot reads `ingesting`. */
  dedup_reservations: false,
  /** What an accepted asset reads as on the way. */
  status_on_the_way: 'ingesting',
  /** Answered with an empty code and without words. */
  blank_codes: new Set() as ReadonlySet<ErrorCode>,
}

/** Where the service follows the specification (default) or what the hosted one was seen to do against it (contract, E). */
export type Profile = typeof default_profile

const profiles: Record<ProfileName, Profile> = {
  default: default_profile,
  hosted: {
    cors: false,
    labels_paged: true,
    assets_newest_first: false,
    messages_by_id: true,
    message_hidden_ms: 200,
    modified_at_late: true,
    dedup_reservations: true,
    status_on_the_way: 'enriching',
    blank_codes: new Set<ErrorCode>([
      'publicapi.body.invalid',
      'publicapi.asset.create.md5_malformed',
      'publicapi.asset.complete.bytes_missing',
      'publicapi.asset.complete.md5_differs',
      'publicapi.asset.update.not_ready',
    ]),
  },
}

export function profileOf(name: ProfileName): Profile {
  return profiles[name]
}
