import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { openPromptsView, type RunSummary } from '../../../src/ledger/views/view-prompts.ts'
import type { Manifest } from '../../../src/prompts/manifest.ts'
import type { ProfileName, ServiceOptions } from '../../../src/service/options.ts'
import { configOf } from '../../rig/config-of.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { addToTree, makeStore, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { wakeBy } from '../../rig/wake-by.ts'
import { answersChecked, takeAnswerFaults } from '../../service/described-answers.ts'

/**
 * A clock that starts at least half an hour before a full hour, ahead of real time. So no due time
 * comes by itself during a test, and new files count as settled.
 */
class OfficeClock extends MovingClock {
  #ahead_ms: number

  constructor() {
    super()
    const real_ms = super.now_ms()
    this.#ahead_ms = Math.ceil((real_ms + minute_ms) / hour_ms) * hour_ms + hour_ms / 2 - real_ms
  }

  override now_ms(): number {
    return super.now_ms() + this.#ahead_ms
  }
}

/** Longer than a test needs to upload a file. */
const before_ms = 20 * second_ms

interface OfficeOptions {
  profile?: ProfileName
  service?: Partial<ServiceOptions>
  prompt?: object
  /** Time between two due times. They are its multiples in UTC. */
  every_ms?: number | undefined
  /** Files in the folder before the daemon starts. */
  there?: Record<string, TreeEntry>
}

/** Opens an office with a running daemon. */
export async function openOffice({
  profile = 'default',
  service,
  prompt = {},
  every_ms,
  there = {},
}: OfficeOptions = {}): Promise<Office> {
  const clock = new OfficeClock()
  const started = await startService({
    data_dir: makeStore(),
    profile,
    clock,
    ...answersChecked(profile),
    ...service,
  })
  const office = new Office(started, clock, { prompt, every_ms })
  onTestFinished(async () => {
    await office.close()
    expect(takeAnswerFaults(), 'answers that are not as the service describes them').toEqual([])
  })
  office.write(there)
  await office.start()
  return office
}

/**
 * A folder `docs`, a service, and a prompt `digest` that is due at each full hour, or each multiple
 * of `every_ms`. The daemon can be stopped and started.
 */
export class Office {
  readonly clock: OfficeClock
  readonly docs = makeTree()
  readonly reports = makeTree()
  readonly service: Service
  readonly project_id: string
  readonly state_dir = join(makeStore(), 'state')
  readonly #token: string
  readonly #prompt: object
  readonly #every_ms: number
  #daemon: Daemon | undefined

  constructor(
    service: Service,
    clock: OfficeClock,
    { prompt = {}, every_ms = hour_ms }: Pick<OfficeOptions, 'prompt' | 'every_ms'>,
  ) {
    this.service = service
    this.clock = clock
    this.#prompt = prompt
    this.#every_ms = every_ms
    this.project_id = service.projects.create('office').project_id
    this.#token = service.tokens.create('office').token
  }

  async start(): Promise<void> {
    const digest = {
      name: 'digest',
      cron: '0 * * * *',
      timezone: 'UTC',
      prompt: 'When does the lease end? {{files}}',
      intelligence: 'fast',
      // A search leaves what does not match the question, and the next run asks about it again.
      scope: { folders: ['docs'] },
      first_run: 'all',
      wait_for_files: '1m',
      catch_up: '6h',
      deliver: [{ file: { dir: this.reports, name: '{{name}}-{{due}}.md' } }],
      ...this.#prompt,
    }
    const config = configOf(
      {
        service: { base_url: this.service.api, project_id: this.project_id },
        state_dir: this.state_dir,
        folders: [{ name: 'docs', path: this.docs, settle_ms: 50 }],
        uploads: { limit: 'off', min_resend_s: 0, retry_first_ms: 20, max_retry_ms: 200 },
        follow: { first_ms: 20, max_ms: 200 },
        hashing: { threads: 1 },
        asking: { first_ms: 20, max_ms: 200 },
        prompts: [digest],
      },
      { HOME: this.state_dir },
    )
    const { secrets } = openSecrets(config, { SLUICE_TOKEN: this.#token })
    const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
    const { clock } = this
    this.#daemon = await startDaemon({
      config,
      secrets,
      clock,
      wakeAt: wakeBy(clock),
      log,
      mode: 'run',
    })
  }

  async stop(): Promise<void> {
    await this.#daemon?.stop()
    this.#daemon = undefined
  }

  async close(): Promise<void> {
    await this.#daemon?.abort()
    await this.service.close()
  }

  /** Writes these files and waits until all files are on the service. */
  async bringIn(tree: Record<string, TreeEntry>): Promise<void> {
    this.write(tree)
    await this.synced()
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.docs, tree)
  }

  move(from: string, to: string): void {
    renameSync(join(this.docs, from), join(this.docs, to))
  }

  remove(path: string): void {
    rmSync(join(this.docs, path))
  }

  /** Waits until each file is recorded at its present path and ready. */
  async synced(): Promise<void> {
    this.#daemon!.rescan()
    await this.#daemon!.idle()
  }

  /**
   * Moves the clock shortly before the next full hour. What takes longer than this does not end
   * before the hour.
   */
  nearTheHour(): void {
    this.clock.skip(this.toTheHour_ms() - before_ms)
  }

  /** Moves to the next due time. */
  tick(): void {
    this.clock.skip(this.#every_ms - (this.clock.now_ms() % this.#every_ms))
  }

  toTheHour_ms(): number {
    return hour_ms - (this.clock.now_ms() % hour_ms)
  }

  /** Moves to the next due time, and waits for the end of its run. */
  async hour(): Promise<RunSummary> {
    const before = this.runs().length
    this.tick()
    return this.ended(before + 1)
  }

  async ended(count: number): Promise<RunSummary> {
    const is_over = () =>
      this.runs().length === count && this.runs().every(({ ended_ms }) => ended_ms !== undefined)
    await until(`${count} runs have ended`, is_over, () => this.runs())
    return this.runs()[0]!
  }

  /** Runs, the latest first. */
  runs(): RunSummary[] {
    const view = openPromptsView(this.state_dir)
    try {
      return view.runs('digest', 100)
    } finally {
      view.close()
    }
  }

  /** Manifests of the reports, the oldest first. */
  manifests(): Manifest[] {
    const names = readdirSync(this.reports).filter((name) => name.endsWith('.json'))
    const read = names.map(
      (name) => JSON.parse(readFileSync(join(this.reports, name), 'utf8')) as Manifest,
    )
    return read.sort((a, b) => a.due_ms - b.due_ms)
  }

  /** Files that each report covered, the oldest report first. */
  covered(): string[][] {
    return this.manifests().map(({ assets }) => assets.map(({ name }) => name))
  }

  /** True if a scan of the folder that began at this time or later has ended. */
  scannedSince(at_ms: number): boolean {
    const view = openLedgerView(this.state_dir)
    try {
      return view
        .folders()
        .every(({ scan_began_ms }) => scan_began_ms !== undefined && scan_began_ms >= at_ms)
    } finally {
      view.close()
    }
  }

  ingesting(): number {
    return this.service.assets(this.project_id).filter(({ status }) => status === 'ingesting')
      .length
  }

  asked(): number {
    return this.service.requestLog.filter(({ place }) => place === 'chats.start').length
  }
}
