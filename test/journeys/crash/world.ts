import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { type Clock, system_clock } from '../../../src/base/time/time.ts'
import type { Config } from '../../../src/config/config.ts'
import type { AssetStatus } from '../../../src/contract/messages/messages-assets.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { configOf } from '../../rig/config-of.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { addToTree, makeStore, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { setStatusThere } from '../../service/set-status.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { type PromptOptions, PromptSide } from './prompt-side.ts'

type Fields = Record<string, unknown>

export interface WorldOptions {
  /** Entries of the one watched folder, `docs`. */
  tree: Record<string, TreeEntry>
  /** Fields of the folder; `uploads` is a section of the configuration. */
  folder?: Fields
  uploads?: Fields
  removal?: Fields
  service?: Partial<ServiceOptions>
  /** The daemon runs in watch mode until it is stopped, without prompts. */
  watches?: boolean
  /**
   * A prompt over the folder. The daemon then runs in watch mode, because a single pass asks
   * nothing by schedule.
   */
  prompt?: PromptOptions
}

/** The real defaults wait for users and slow lines; a test need not. */
const quick_uploads = {
  limit: 'off',
  min_resend_s: 0,
  concurrency: 2,
  small_file_bytes: 1_000,
  retry_first_ms: 10,
  max_retry_ms: 100,
}
const quick_follow = { first_ms: 30, max_ms: 100, dead_hit_after_ms: 1_000 }
/** Files just written count as old by the clock of this test. */
const clock_ahead_ms = 60_000
/** A time far ahead of all these clocks: such a file has settled only after two equal checks. */
const future_s = Date.now() / 1_000 + 30 * 24 * 3_600

/**
 * One folder, one service and one place for the ledger, with their own clock. Daemons start and
 * stop in it.
 */
export class World {
  readonly base: string
  readonly home: string
  readonly service: Service
  readonly project_id: string
  readonly token: string
  readonly clock: Clock
  readonly prompt: PromptSide | undefined
  readonly watches: boolean
  readonly #options: WorldOptions
  readonly #advance: (ms: number) => void

  static async begin(options: WorldOptions): Promise<World> {
    let ahead_ms = clock_ahead_ms
    const clock = { ...system_clock, now_ms: () => Date.now() + ahead_ms }
    const home = makeStore()
    const service = await startService({
      data_dir: join(home, 'service'),
      clock,
      ...options.service,
    })
    const prompt =
      options.prompt && (await PromptSide.begin(options.prompt, home, join(home, 'state'), clock))
    return new World(options, home, service, clock, prompt, (ms) => {
      ahead_ms += ms
    })
  }

  private constructor(
    options: WorldOptions,
    home: string,
    service: Service,
    clock: Clock,
    prompt: PromptSide | undefined,
    advance: (ms: number) => void,
  ) {
    this.#options = options
    this.#advance = advance
    this.home = home
    this.service = service
    this.clock = clock
    this.prompt = prompt
    this.watches = options.watches === true || prompt !== undefined
    this.base = makeTree()
    this.project_id = service.projects.create('crash').project_id
    this.token = service.tokens.create('crash').token
    mkdirSync(this.folder)
    this.write(options.tree)
  }

  get folder(): string {
    return join(this.base, 'docs')
  }

  get state_dir(): string {
    return join(this.home, 'state')
  }

  config(): Config {
    const { folder, uploads, removal = {} } = this.#options
    return configOf(
      {
        service: { base_url: this.service.api, project_id: this.project_id },
        state_dir: this.state_dir,
        folders: [{ name: 'docs', path: this.folder, settle_ms: 50, ...folder }],
        folder: { settle_cap_ms: 60_000 },
        uploads: { ...quick_uploads, ...uploads },
        follow: quick_follow,
        removal,
        audit: { pages_per_minute: 6_000, on_remote_delete: 'resend' },
        hashing: { threads: 1 },
        ...this.prompt?.config(),
      },
      { HOME: this.home },
    )
  }

  /** True if the condition holds in the ledger, read beside the daemon. */
  holds(condition: string): boolean {
    const database = openSqliteReadOnly(ledgerFile(this.state_dir), ledger_migrations)
    try {
      return database.prepare(`SELECT 1 WHERE ${condition}`).get() !== undefined
    } finally {
      database.close()
    }
  }

  /** The asset with these bytes, from the service's own database. */
  assetWith(text: string): string {
    return this.service.assets(this.project_id).findLast(({ md5 }) => md5 === md5Of(text))!.asset_id
  }

  setStatusThere(asset_id: string, status: AssetStatus): void {
    setStatusThere(this.service, asset_id, status)
  }

  passTime(ms: number): void {
    this.#advance(ms)
  }

  at(path: string): string {
    return join(this.folder, path)
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.folder, tree)
  }

  /** Writes a file that has to settle first. */
  writeJustNow(path: string, text: string): void {
    this.write({ [path]: text })
    utimesSync(this.at(path), future_s, future_s)
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(this.at(to)), { recursive: true })
    renameSync(this.at(from), this.at(to))
  }

  remove(path: string): void {
    rmSync(this.at(path))
  }

  /** Makes a slot as another user of the service. */
  async reserve(fields: { filename: string; mime_type: string; md5: string }): Promise<{
    asset_id: string
    upload_url: string
    upload_headers: Record<string, string>
  }> {
    return (await this.#post('/v1/assets', fields)) as never
  }

  /** Uploads an asset as another user of the service. */
  async upload(text: string, md5: string): Promise<void> {
    const slot = await this.reserve({ filename: 'theirs.txt', mime_type: 'text/plain', md5 })
    await fetch(slot.upload_url, { method: 'PUT', headers: slot.upload_headers, body: text })
    await this.#post(`/v1/assets/${slot.asset_id}/complete`, {})
  }

  async close(): Promise<void> {
    await Promise.all([this.service.close(), this.prompt?.receiver.close()])
  }

  async #post(path: string, body: object): Promise<unknown> {
    const headers = {
      'x-api-key': this.token,
      'x-project-id': this.project_id,
      'content-type': 'application/json',
    }
    const answer = await fetch(this.service.api + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return await answer.json()
  }
}
