import { SluiceError } from '../base/errors.ts'
import type { ProxyVariables } from '../base/http-client.ts'
import { type Clock, hour_ms, minute_ms, system_clock } from '../base/time.ts'
import { checkAddress } from './address.ts'
import type { AnswerSeen } from './answer-seen.ts'
import { type AssistantConfig, readAssistantConfig, usual_assistant } from './assistant-config.ts'
import { type BadDays, no_bad_days } from './bad-days.ts'
import { type LimitOptions, type Limits, limitsFrom } from './limit-options.ts'
import type { TlsFiles } from './tls-files.ts'

export type ProfileName = 'default' | 'hosted'

export interface ServiceOptions {
  /** Holds everything that the service knows; made (0700) when missing. One service at a time. */
  data_dir: string
  /** An address as a literal; one that is not loopback needs `tls`. */
  listen?: string
  /** Both listeners speak TLS with these. */
  tls?: TlsFiles | undefined
  /** Where others reach the API and the blob store, when that is not where they listen: behind a reverse proxy, or by a name. */
  public_url?: string | undefined
  public_blob_url?: string | undefined
  /** Origins whose pages may ask, `*` for any. Unless told: any on loopback without a public address, elsewhere the service's own. */
  allowed_origins?: readonly string[] | undefined
  /** Of the API; 0 takes a free one. */
  port?: number
  /** Of the blob store, which is an origin of its own; 0 takes a free one. */
  blob_port?: number
  profile?: ProfileName
  ingest?: IngestOptions
  limits?: LimitOptions
  /** An answer is written no sooner than this after its question. */
  answer_delay_ms?: number
  /** A file of JSON that says who answers, and how; absent: the extractive assistant (assistant-config.ts). */
  assistant_config?: string | undefined
  /** For the hosts that the assistant itself asks. */
  proxy?: ProxyVariables
  bad_days?: BadDays
  clock?: Clock
  /** One line for people; nothing secret. */
  log?: (line: string) => void
  ticket_lifetime_ms?: number
  max_upload_bytes?: number
  /** How many of the last requests `requestLog` remembers. */
  request_log_most?: number
  /** How long `close` lets requests in flight finish. */
  close_grace_ms?: number
  /** A connection on which nothing moves for so long, or a call whose body has not come by then, is cut. */
  silence_ms?: number
  /** Told of every answer of the API but those that bad days order, before it goes out; must not throw. */
  onAnswer?: (answer: AnswerSeen) => void
}

export interface IngestOptions {
  /** An asset stays `ingesting` for at least this long after it was completed. */
  delay_ms?: number
  /** Assets read together, in one transaction of the index. */
  concurrency?: number
  /** Above this a file ends `failed`. */
  max_bytes?: number
  /** Child processes that read documents, each one file at a time. */
  processes?: number
  /** A document that takes longer, that takes more memory, that unpacks to more bytes or holds more text ends `failed`. */
  time_ms?: number
  memory_bytes?: number
  unpacked_bytes?: number
  /** In UTF-16 units. */
  text_length?: number
  /** Another program for the child processes, a file; empty: the one of this package. For tests. */
  reading_program?: string
}

type LeftOpen = 'tls' | 'public_url' | 'public_blob_url' | 'allowed_origins'

export type Settings = Required<
  Omit<ServiceOptions, 'ingest' | 'limits' | 'assistant_config' | 'onAnswer' | LeftOpen>
> & {
  [Option in LeftOpen]: ServiceOptions[Option]
} & {
  ingest: Required<IngestOptions>
  limits: Limits
  assistant: AssistantConfig
  onAnswer?: ServiceOptions['onAnswer']
}

const defaults = {
  listen: '127.0.0.1',
  port: 0,
  blob_port: 0,
  profile: 'default',
  answer_delay_ms: 0,
  // Long enough for a large file on a slow line, short enough that a leaked URL is soon worthless.
  ticket_lifetime_ms: hour_ms,
  // What object stores commonly take in one PUT (5 GB).
  max_upload_bytes: 5_000_000_000,
  // Holds a whole run of tens of thousands of files in about 20 MB.
  request_log_most: 100_000,
  close_grace_ms: 5_000,
  // Enough for the largest body of a call at 28 kbit/s; connections that somebody leaves open on purpose do not pile up.
  silence_ms: 5 * minute_ms,
} as const

const ingest_defaults: Required<IngestOptions> = {
  delay_ms: 0,
  // One commit of the index costs a disk flush: 64 small files share it, and the first is still ready within 20 ms.
  concurrency: 256,
  // A text is held in memory about four times while it is read: 128 MB at most.
  max_bytes: 32 * 1024 * 1024,
  // A file that takes all its time does not hold up the others; more would take a small machine away from its requests.
  processes: 2,
  // The largest real documents took seconds; a minute is for a busy machine.
  time_ms: minute_ms,
  // Real documents took up to 90 MB, an idle process 45. Twice this is what a hostile pair can hold for a minute.
  memory_bytes: 512 * 1024 * 1024,
  // XML shrinks to a tenth and less: a workbook of the largest size that is full of numbers still passes.
  unpacked_bytes: 512 * 1024 * 1024,
  // Twenty long novels. It is held about four times on its way into the index.
  text_length: 16 * 1024 * 1024,
  reading_program: '',
}

/** Error `config.service`: an option that cannot work. */
export function settingsFrom(options: ServiceOptions): Settings {
  const { assistant_config, ...given } = options
  const settings: Settings = {
    tls: undefined,
    public_url: undefined,
    public_blob_url: undefined,
    allowed_origins: undefined,
    ...defaults,
    proxy: {},
    bad_days: no_bad_days,
    clock: system_clock,
    log: () => {},
    ...definedOnly(given),
    ingest: { ...ingest_defaults, ...definedOnly(options.ingest ?? {}) },
    assistant: assistant_config === undefined ? usual_assistant : readAssistantConfig(assistant_config),
    limits: limitsFrom(options.limits),
  }
  checkAddress({ ...settings, has_tls: settings.tls !== undefined })
  for (const [name, value, least] of [
    ['port', settings.port, 0],
    ['blob_port', settings.blob_port, 0],
    ['answer_delay_ms', settings.answer_delay_ms, 0],
    ['ticket_lifetime_ms', settings.ticket_lifetime_ms, 1],
    ['max_upload_bytes', settings.max_upload_bytes, 1],
    ['close_grace_ms', settings.close_grace_ms, 0],
    ['silence_ms', settings.silence_ms, 1],
    ['bad_days.latency_ms', settings.bad_days.latency_ms ?? 0, 0],
    ['bad_days.requests_per_minute', settings.bad_days.requests_per_minute ?? 1, 1],
    ['bad_days.failed_answers', settings.bad_days.failed_answers ?? 0, 0],
    ['ingest.delay_ms', settings.ingest.delay_ms, 0],
    ['ingest.concurrency', settings.ingest.concurrency, 1],
    ['ingest.max_bytes', settings.ingest.max_bytes, 1],
    ['ingest.processes', settings.ingest.processes, 1],
    ['ingest.time_ms', settings.ingest.time_ms, 1],
    // Below this the process does not start.
    ['ingest.memory_bytes', settings.ingest.memory_bytes, 192 * 1024 * 1024],
    ['ingest.unpacked_bytes', settings.ingest.unpacked_bytes, 1],
    ['ingest.text_length', settings.ingest.text_length, 1],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new SluiceError({
      code: 'config.service',
      message: `the local service cannot work with ${name} = ${value}: a whole number from ${least} on is needed`,
    })
  }
  return settings
}

/** Options that are there but undefined count as absent. */
function definedOnly<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options
}
