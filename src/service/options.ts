import { z } from 'zod'
import type { ProxyVariables } from '../base/net/http-client.ts'
import { SluiceError } from '../base/run/errors.ts'
import { type Clock, hour_ms, minute_ms, second_ms, system_clock } from '../base/time/time.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { checkAddress } from './address.ts'
import { default_assistant, readAssistantConfig } from './assistant/assistant-config.ts'
import { injected_faults } from './fault-injection.ts'
import { limit_options, whole } from './limits.ts'
import type { TlsFiles } from './tls/tls-files.ts'

/** An answer of the API before it is sent, for tests that check it. */
interface AnswerSeen {
  method: string
  /** Path and query. */
  url: string
  status: number
  /** Content-Type; empty without a body. */
  type: string
  body: string
}

const ingest_options = z.object({
  /** The shortest time from `complete` until an asset is read, in which it shows `ingesting`. */
  delay_ms: whole(0).default(0),
  /** The most assets that the reading thread reads together, in one transaction of the index. */
  // One commit of the index costs a disk flush, which the files of a transaction share.
  concurrency: whole(1).default(256),
  /** A larger file ends `failed`. */
  // Reading holds a text about four times in memory: 128 MB at most.
  max_bytes: whole(1).default(32 * 1024 * 1024),
  /** The number of child processes that read documents, each one file at a time. */
  // With two, a slow file does not block the others. More processes would slow down requests on a
  // small machine.
  processes: whole(1).default(2),
  /** A document ends `failed` if its time, memory, unpacked bytes or text exceed these. */
  // The largest real documents took seconds; a busy machine may need a minute.
  time_ms: whole(1).default(minute_ms),
  // Real documents took up to 90 MB, an idle process takes 45 MB. Two hostile files can use twice
  // the default for a minute. With less than the minimum, the process does not start.
  memory_bytes: whole(192 * 1024 * 1024).default(512 * 1024 * 1024),
  // XML shrinks to a tenth or less. A workbook of the largest size, full of numbers, still fits.
  unpacked_bytes: whole(1).default(512 * 1024 * 1024),
  /** In UTF-16 units. */
  // Twenty long novels. Indexing holds a text about four times in memory.
  text_length: whole(1).default(16 * 1024 * 1024),
  /**
   * The languages in which tesseract reads scans and pictures, such as `deu+eng`; `installed`:
   * those that it has; `off`: no programs are used.
   */
  recognition: z
    .string()
    .regex(/^[a-zA-Z_]+(\+[a-zA-Z_]+)*$/, 'must be installed, off, or languages such as deu+eng')
    .default('installed'),
  /** A page whose recognition takes longer stays a picture. */
  // A page full of small letters takes four seconds, twice as long beside other work.
  page_time_ms: whole(1).default(20 * second_ms),
  /** The directories of programs, like `PATH`. Empty: no programs are used. */
  program_path: z.string().default(''),
  /** Another program for the child processes, for tests. Empty: the one of this package. */
  reading_program: z.string().default(''),
})

const max_port = 65_535

const service_options = z.object({
  /** The folder of all data, made with mode 0700. Only one service at a time can use it. */
  data_dir: z.string(),
  /** An IP address. An address other than loopback needs `tls`. */
  listen: z.string().default('127.0.0.1'),
  /** Certificate and key of both listeners. */
  tls: z.custom<TlsFiles>().optional(),
  /** The addresses for clients, if not `listen`: behind a reverse proxy, or by a name. */
  public_url: z.string().optional(),
  public_blob_url: z.string().optional(),
  /**
   * Origins whose pages may call the API; `*` allows any. Absent: any on loopback without a public
   * address, elsewhere only the service's own.
   */
  allowed_origins: z.array(z.string()).readonly().optional(),
  /** The port of the API; 0 takes a free one. */
  port: whole(0, max_port).default(0),
  /** The port of the blob store, which has its own origin; 0 takes a free one. */
  blob_port: whole(0, max_port).default(0),
  profile: z.enum(['default', 'hosted']).default('default'),
  ingest: ingest_options.prefault({}),
  limits: limit_options.prefault({}),
  /** The shortest time between a question and its answer. */
  answer_delay_ms: whole(0).default(0),
  /** A JSON file for assistant-config.ts. Absent: the extractive assistant. */
  assistant_config: z.string().optional(),
  /** The proxy for the hosts that the assistant asks. */
  proxy: z.custom<ProxyVariables>().default({}),
  injected_faults: injected_faults.default({}),
  clock: z.custom<Clock>().default(() => system_clock),
  /** Takes one line for the operator, without secrets. */
  log: z.custom<(line: string) => void>().default(() => () => {}),
  /** The time from the making of a slot in which an upload to its URL can begin. */
  // Long enough to begin a large file again on a slow line. Short enough that a leaked URL soon
  // becomes useless.
  ticket_lifetime_ms: whole(1).default(hour_ms),
  // The usual limit of object stores for one PUT (5 GB).
  max_upload_bytes: whole(1).default(5_000_000_000),
  /** The most requests that `requestLog` keeps. When it is full, the older half is dropped. */
  // A run with tens of thousands of files fits, in about 20 MB.
  max_logged_requests: z.number().default(100_000),
  /** The longest time that `close` waits for requests in flight. */
  close_grace_ms: whole(0).default(5_000),
  /** A connection without traffic is cut after this time, and so is a call without all its body. */
  // Enough for the largest body of a call at 28 kbit/s. Connections that a client leaves open do
  // not pile up.
  silence_ms: whole(1).default(5 * minute_ms),
  /** Gets every answer of the API, except injected ones, before it is sent. It must not throw. */
  onAnswer: z.custom<(answer: AnswerSeen) => void>().optional(),
})

export type ServiceOptions = z.input<typeof service_options>
export type ProfileName = NonNullable<ServiceOptions['profile']>
export type IngestSettings = z.output<typeof ingest_options>
export type Settings = ReturnType<typeof settingsFrom>

/**
 * Checks the options and adds the defaults. Errors: `usage.invalid` for a value that no service can
 * use, `config.service` for one that cannot work here.
 */
export function settingsFrom(options: ServiceOptions) {
  const { success, data, error } = service_options.safeParse(options)
  if (!success) {
    const [{ path, message } = { path: [], message: '' }] = error.issues
    const value = path.reduce<unknown>(
      (inner, key) => (inner as Record<PropertyKey, unknown>)?.[key],
      options,
    )
    // The command line makes NaN of a word.
    const given = Number.isNaN(value) ? '' : ` = ${String(value)}`
    const text = `the local service cannot use ${path.join('.')}${given}: it ${message}`
    throw new SluiceError({ code: 'usage.invalid', message: text })
  }
  const { assistant_config, ...settings } = data
  checkAddress({ ...settings, has_tls: settings.tls !== undefined })
  const assistant =
    assistant_config === undefined ? default_assistant : readAssistantConfig(assistant_config)
  return { ...settings, assistant }
}

const default_profile = {
  cors: true,
  /** False: the list of labels is one full page, whatever its limit. */
  labels_paged: false,
  assets_newest_first: true,
  /** True: messages have `id` in place of `message_id`, and no `status`. */
  messages_by_id: false,
  /** A new message is answered 404 for this long. */
  message_hidden_ms: 0,
  /** True: a chat has no `modified_at` until its first turn has ended. */
  modified_at_late: false,
  /**
   * True: a slot that was never completed counts as an asset with its declared md5. It shows
   * `ingesting` and is never removed.
   */
  dedup_reservations: false,
  /** True: a failed asset shows why. */
  says_why_failed: true,
  /** True: the skill that reads every file is there, and messages say what was read. */
  reads_every_file: true,
  /** The status that an asset shows from `complete` until it is `ready` or `failed`. */
  status_on_the_way: 'ingesting',
  /** Errors that are answered with an empty code and without a text. */
  blank_codes: new Set() as ReadonlySet<ErrorCode>,
}

/** The behaviour: by the specification, or as the hosted service differs from it (contract, E). */
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
    says_why_failed: false,
    reads_every_file: false,
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
