import { createHash } from 'node:crypto'
import type { Ticket } from '../../src/domain/asset.ts'
import type { ContentFact, Fact, FolderFact, ScanSummary } from '../../src/domain/fact.ts'
import type { FileStat } from '../../src/domain/file.ts'
import type { LargeLimit, Ledger, LedgerLimits, SendWork } from '../../src/ledger/ledger.ts'
import { FakeClock } from '../rig/fake-clock.ts'

/** The suite reads a ledger through this besides its calls; every implementation brings its own. */
export interface Inspector {
  file(folder: string, path: string): FileFound | undefined
  content(md5: string, project_id?: string): ContentFound | undefined
  counts(folder: string): Record<string, { files: number; bytes: number }>
  /** The same numbers, by counting the rows. */
  recounted(folder: string): Record<string, { files: number; bytes: number }>
  /** Number of files that show a loss if they are missing, by reading each row. */
  evidence(folder: string): number
  /** Number of files that a rule skips, by reading each row. */
  skipped(folder: string): number
  /** Ids of the contents in this state. */
  inState(state: string): number[]
  stateOf(content: number): string | undefined
  /** Extensions of the present files with this content. */
  typesOf(content: number): string[]
  /** Contents whose queue is not that of their state. */
  inOtherQueues(): number[]
  arrivals(folder: string): string[]
  /** All sequence numbers, in the order of arrival. */
  sequence(): number[]
  /** True when an audit found so many assets missing that a user must decide. */
  emptied(project_id: string): boolean
  attached(content: number): string[]
  history(content: number): string[]
  troubles(): {
    about: string
    code: string
    hint: string | null
    since_ms: number
    last_ms: number
  }[]
  ticketsKept(): number
  /** All runs, in the order in which they were made. */
  runs(): { id: number; state: string; why: string | null; error_code: string | null }[]
  close(): void
}

export interface FileFound {
  state: string
  reason: string | null
  size: number
  content: number | null
  not_before_ms: number | null
  seen_ms: number
  settled_ms: number | null
  ready_ms: number | null
  gone_ms: number | null
}

export interface ContentFound {
  id: number
  state: string
  asset_id: string | null
  attempts: number
  not_before_ms: number
  error_code: string | null
}

export interface OpenedLedger {
  ledger: Ledger
  inspector: Inspector
}

/** Makes ledgers: opening the same `memory` again gives the ledger that was closed there. */
export interface LedgerFactory {
  memory(): string
  open(options: { memory: string; limits: LedgerLimits; clock: FakeClock }): Promise<OpenedLedger>
}

export const no_limits: LedgerLimits = {
  upload_limit: undefined,
  max_bytes_per_day: undefined,
  min_resend_ms: 0,
  newest_first: false,
  history_days: 90,
  max_history_rows: 100_000,
  removal: { files: 100, percent: 10, per_ms: 86_400_000, wiped: { files: 10, percent: 50 } },
}

export const nothing_seen: ScanSummary = {
  files: 0,
  directories: 0,
  bytes: 0,
  ignored: [],
  odd_names: [],
  odd_names_total: 0,
  special: [],
  unreadable: [],
  unreadable_total: 0,
  other_mounts: [],
  narrower: [],
  narrower_total: 0,
}

export const project_id = 'project_aaaaaaaaaaaaaaaaaaaa'
export const other_project_id = 'project_bbbbbbbbbbbbbbbbbbbb'

export function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

/** A file that changed after Sluice began to watch every folder, unless `ctime_s` is earlier. */
export function statOf(
  size: number,
  version = 1n,
  ctime_s = BigInt(Date.UTC(2100, 0, 1)) / 1_000n,
): FileStat {
  return {
    size,
    mtime_ns: version * 1_000_000_000n,
    ctime_ns: (ctime_s + version) * 1_000_000_000n,
    inode: version,
  }
}

export function ticketFor(name: string, expires_at_ms = Date.UTC(2027, 0, 1)): Ticket {
  return {
    upload_url: `https://blobs.example/${name}?sig=s3cret-${name}`,
    upload_method: 'PUT',
    upload_headers: { 'x-secret': `header-${name}` },
    expires_at_ms,
  }
}

const fault = { code: 'http.500', message: 'the service had a bad moment' }

/** A ledger with a clock that the test moves, and short methods for long facts. */
export class Bench {
  readonly clock = new FakeClock()
  readonly #factory: LedgerFactory
  readonly memory: string
  readonly limits: LedgerLimits
  #opened: OpenedLedger | undefined
  assets = 0

  constructor(factory: LedgerFactory, limits: Partial<LedgerLimits> = {}) {
    this.#factory = factory
    this.memory = factory.memory()
    this.limits = { ...no_limits, ...limits }
  }

  async open(...folders: string[]): Promise<this> {
    const { clock, limits } = this
    this.#opened = await this.#factory.open({ memory: this.memory, limits, clock })
    for (const folder of folders) await this.online(folder)
    return this
  }

  async close(): Promise<void> {
    this.#opened?.inspector.close()
    await this.#opened?.ledger.close()
    this.#opened = undefined
  }

  async reopen(): Promise<void> {
    await this.close()
    await this.open()
  }

  get ledger(): Ledger {
    return this.#opened!.ledger
  }

  get see(): Inspector {
    return this.#opened!.inspector
  }

  record(...facts: Fact[]): Promise<void> {
    return this.ledger.record(facts)
  }

  configure(name: string, change: Partial<FolderFact> = {}): Promise<void> {
    const plain = {
      name,
      root: `/data/${name}`,
      project_id,
      labels: [],
      label_from: 'none',
      rules: '{}',
    } as const
    return this.record({ type: 'folder_configured', folder: { ...plain, ...change } })
  }

  async online(name: string, change: Partial<FolderFact> = {}): Promise<void> {
    await this.configure(name, change)
    await this.record({ type: 'folder_online', folder: name, device: 5n })
  }

  seen(folder: string, path: string, text = 'text', wait_ms = 0): Promise<void> {
    const not_before_ms = this.clock.now_ms() + wait_ms
    return this.record({
      type: 'file_seen',
      folder,
      path,
      stat: statOf(text.length),
      not_before_ms,
    })
  }

  /** Settles a file with these bytes, and returns the id of its content, or 0 where it has none. */
  async settle(folder: string, path: string, text: string, size = text.length): Promise<number> {
    await this.record({ type: 'file_settled', folder, path, stat: statOf(size), md5: md5Of(text) })
    return this.see.file(folder, path)?.content ?? 0
  }

  /** Does the same for a file that is older than its folder in Sluice. */
  async settleOld(folder: string, path: string, text: string): Promise<number> {
    await this.record({
      type: 'file_settled',
      folder,
      path,
      stat: statOf(text.length, 1n, 0n),
      md5: md5Of(text),
    })
    return this.see.file(folder, path)?.content ?? 0
  }

  scanned(folder: string): Promise<void> {
    return this.record({
      type: 'scan_finished',
      folder,
      began_ms: this.clock.now_ms(),
      summary: nothing_seen,
    })
  }

  gone(folder: string, path: string): Promise<void> {
    return this.record({ type: 'file_gone', folder, path })
  }

  claimToSend(limit = 100, except_projects: readonly string[] = [], large?: LargeLimit) {
    return this.ledger.claimToSend(limit, { except_projects, ...(large ? { large } : {}) })
  }

  async sendable(limit = 100): Promise<SendWork[]> {
    return (await this.claimToSend(limit)).work
  }

  follow(limit = 100) {
    return this.ledger.claimToFollow(limit, { except_projects: [] })
  }

  label(limit = 100) {
    return this.ledger.claimToLabel(limit, { except_projects: [] })
  }

  /** Ends every claim on a content, as its worker does. */
  free(content: number): void {
    for (const kind of ['send', 'follow', 'label', 'remove'] as const)
      this.ledger.release(kind, [content])
  }

  async reserve(content: number): Promise<string> {
    const asset_id = `asset_${String(++this.assets).padStart(20, '0')}`
    await this.record(
      { type: 'slot_intended', content },
      { type: 'slot_reserved', content, asset_id, ticket: ticketFor(asset_id) },
    )
    return asset_id
  }

  /** Records each step as a fact of its own, as the uploader and the follower do. */
  async send(content: number): Promise<string> {
    const asset_id = await this.reserve(content)
    await this.record({ type: 'bytes_accepted', content })
    await this.record({ type: 'ingest_started', content, not_before_ms: this.clock.now_ms() })
    return asset_id
  }

  async makeReady(content: number): Promise<string> {
    const asset_id = await this.send(content)
    await this.record({ type: 'asset_ready', content })
    return asset_id
  }

  async setBack(content: number, wait_ms: number): Promise<void> {
    await this.record({
      type: 'deferred',
      content,
      not_before_ms: this.clock.now_ms() + wait_ms,
      error: fault,
    })
  }
}

const too_large = { answer: 'too.large', extension: 'txt' }

export function contentFact(
  type: ContentFact['type'],
  content: number,
  now_ms: number,
): ContentFact {
  const not_before_ms = now_ms
  const error = fault
  switch (type) {
    case 'slot_reserved':
      return {
        type,
        content,
        asset_id: `asset_${String(content).padStart(20, '0')}`,
        ticket: ticketFor(`${content}`),
      }
    case 'asset_found':
      return { type, content, asset_id: `asset_${String(content).padStart(20, '0')}` }
    case 'bytes_missing':
    case 'deferred':
    case 'slot_lost':
      return { type, content, not_before_ms, error }
    case 'content_refused':
    case 'type_refused':
    case 'asset_failed':
      return { type, content, error }
    case 'type_rests':
      return { type, content, refusal: too_large, said: 'too large' }
    case 'types_freed':
      return { type, content, refusal: too_large }
    case 'removal_deferred':
      return { type, content, not_before_ms, error }
    case 'asset_kept':
    case 'ingest_started':
    case 'ingest_continues':
    case 'content_wanted_again':
      return { type, content, not_before_ms }
    default:
      return { type, content }
  }
}
