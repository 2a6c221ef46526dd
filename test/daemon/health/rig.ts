import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { hour_ms } from '../../../src/base/time/time.ts'
import { type Secrets, secretsOf } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { configOf } from '../../rig/config-of.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { addToTree, makeStore, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { wakeBy } from '../../rig/wake-by.ts'
import { openReceiver, type Received } from './receiver.ts'

type Fields = Record<string, unknown>

export interface Verdict {
  healthy: boolean
  problems: { kind: string; about: string; message: string; hint: string; since: string }[]
}

export interface WatchedOptions {
  tree?: Record<string, TreeEntry>
  folder?: Fields
  /** Path of a second folder. */
  other?: string
  health?: Fields
  alerts?: Fields
  sections?: Fields
  service?: Partial<ServiceOptions>
  /** Size of a disk of its own that holds the state directory. */
  small_disk?: string
  wrap_ledger?: (ledger: Ledger) => Ledger
  /** Sends every change at once to a receiver of this rig. */
  has_receiver?: boolean
}

const fast_health = { listen: '127.0.0.1:0', check_ms: 20 }

/**
 * A daemon that serves its health, with one folder, the real service, and a clock that a test can
 * skip ahead.
 */
export class Watched {
  readonly clock = new MovingClock()
  readonly base = makeTree()
  readonly home = makeStore()
  readonly state_dir: string
  service!: Service
  secrets: Secrets
  readonly log: string[] = []
  #options: WatchedOptions
  #daemon: Daemon | undefined
  #data_dir = makeStore()
  #token = ''
  #project_id = ''
  #receiver: Awaited<ReturnType<typeof openReceiver>> | undefined

  private constructor(options: WatchedOptions) {
    this.#options = options
    this.state_dir = join(this.home, 'state')
    if (options.small_disk) mountSmallDisk(this.home, options.small_disk)
    this.secrets = secretsOf(`pat_${'x'.repeat(32)}`)
    mkdirSync(this.docs)
    addToTree(this.docs, options.tree ?? { 'a.txt': 'a' })
  }

  static async begin(options: WatchedOptions = {}): Promise<Watched> {
    const watched = new Watched(options)
    await watched.openService()
    watched.#project_id = watched.service.projects.create('watched').project_id
    watched.#token = watched.service.tokens.create('watched').token
    watched.secrets = secretsOf(watched.#token)
    onTestFinished(() => watched.close())
    if (options.has_receiver) watched.#receiver = await openReceiver()
    await watched.start()
    return watched
  }

  get docs(): string {
    return join(this.base, 'docs')
  }

  get project_id(): string {
    return this.#project_id
  }

  get daemon(): Daemon {
    return this.#daemon!
  }

  /** Starts the service with the same data at the same address, as after an outage. */
  async openService(): Promise<void> {
    const port = this.service ? Number(new URL(this.service.api).port) : 0
    this.service = await startService({
      data_dir: this.#data_dir,
      clock: this.clock,
      port,
      ...this.#options.service,
    })
  }

  config(change: WatchedOptions = {}) {
    const { folder, other, health, alerts, sections } = { ...this.#options, ...change }
    return configOf(
      {
        service: { base_url: this.service.api, project_id: this.#project_id },
        state_dir: this.state_dir,
        folders: [
          { name: 'docs', path: this.docs, settle_ms: 50, rescan_interval_ms: '7d', ...folder },
          ...(other ? [{ name: 'other', path: other, settle_ms: 50 }] : []),
        ],
        uploads: { limit: 'off', min_resend_s: 0, retry_first_ms: 20, max_retry_ms: 200 },
        follow: { first_ms: 20, max_ms: 200 },
        hashing: { threads: 1 },
        health: { ...fast_health, ...health },
        ...this.#alerts(alerts),
        ...sections,
      },
      { HOME: this.home },
    )
  }

  #alerts(alerts: Fields | undefined): Fields {
    if (!this.#receiver) return alerts ? { alerts } : {}
    const deliver = [{ name: 'people', webhook: { url: this.#receiver.url } }]
    return {
      alerts: { group_ms: 0, resolve_after_ms: 0, deliver, ...alerts },
      asking: { deliver_first_ms: 20, max_deliver_ms: 200 },
    }
  }

  async start(change: WatchedOptions = {}): Promise<void> {
    this.#options = { ...this.#options, ...change }
    const { wrap_ledger } = this.#options
    const log = createLog({
      level: 'debug',
      format: 'json',
      destination: { write: (text) => void this.log.push(text) },
    })
    this.#daemon = await startDaemon({
      config: this.config(),
      secrets: this.secrets,
      clock: this.clock,
      wakeAt: wakeBy(this.clock),
      log,
      mode: 'run',
      ...(wrap_ledger ? { wrap_ledger } : {}),
    })
    // An address that a test chooses may be taken.
    if (this.#options.health?.listen !== undefined) return
    await until(
      'health is served',
      () => this.daemon.health?.address !== undefined,
      () => this.log.slice(-10),
    )
  }

  /** Reloads with other settings, as after an edit of the file. */
  async reload(change: WatchedOptions): Promise<void> {
    this.#options = { ...this.#options, ...change }
    await this.daemon.reload(this.config(), this.secrets)
  }

  async stop(): Promise<void> {
    await this.#daemon?.stop()
    this.#daemon = undefined
  }

  async close(): Promise<void> {
    await this.#daemon?.abort()
    await this.service.close()
  }

  /** Removes the asset with this text on the service, as another user does. */
  async removeThere(text: string): Promise<void> {
    const { asset_id } = this.service
      .assets(this.#project_id)
      .find(({ md5 }) => md5 === md5Of(text))!
    const headers = { 'x-api-key': this.#token, 'x-project-id': this.#project_id }
    await fetch(`${this.service.api}/v1/assets/${asset_id}`, { method: 'DELETE', headers })
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.docs, tree)
  }

  /** Skips to the next full hour. */
  tick(): void {
    this.clock.skip(hour_ms - (this.clock.now_ms() % hour_ms))
  }

  async synced(): Promise<void> {
    this.daemon.rescan()
    await this.daemon.idle()
  }

  async get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string; type: string }> {
    const response = await fetch(`http://${this.daemon.health?.address}${path}`, { headers })
    return {
      status: response.status,
      text: await response.text(),
      type: response.headers.get('content-type') ?? '',
    }
  }

  /** Skips the same time again and again: a wait may have begun a moment after the last skip. */
  async skippingUntil(
    ms: number,
    what: string,
    fact: () => boolean | Promise<boolean>,
    state?: () => unknown,
  ): Promise<void> {
    let skipped_ms = Number.NEGATIVE_INFINITY
    const checked = async () => {
      if (await fact()) return true
      if (performance.now() - skipped_ms <= 1_000) return false
      this.clock.skip(ms)
      skipped_ms = performance.now()
      return fact()
    }
    await until(what, checked, state)
  }

  async verdict(): Promise<Verdict> {
    return JSON.parse((await this.get('/readyz')).text) as Verdict
  }

  /** Kinds of the present problems; the status code must agree. */
  async broken(): Promise<string[]> {
    const { status, text } = await this.get('/readyz')
    const { healthy, problems } = JSON.parse(text) as Verdict
    if (healthy !== (status === 200) || healthy !== (problems.length === 0))
      throw new Error(`${status} and ${text}`)
    return problems.map(({ kind }) => kind)
  }

  async green(): Promise<void> {
    await this.#greenBy(until)
  }

  /** Waits for no problem, and skips this time until the daemon checks again. */
  async greenAfter(ms: number): Promise<void> {
    await this.#greenBy((...facts) => this.skippingUntil(ms, ...facts))
  }

  async #greenBy(
    wait: (
      what: string,
      fact: () => boolean | Promise<boolean>,
      state?: () => unknown,
    ) => Promise<void>,
  ): Promise<void> {
    let broken: string[] = []
    await wait(
      'no problem is left',
      async () => {
        broken = await this.broken()
        return broken.length === 0
      },
      () => ({ broken, log: this.log.slice(-10) }),
    )
  }

  /** Waits for this problem; others may be present as well. */
  async red(kind: string): Promise<Verdict['problems'][number]> {
    await until(
      `${kind} is a problem`,
      async () => (await this.broken()).includes(kind),
      () => this.log.slice(-10),
    )
    return (await this.verdict()).problems.find((reason) => reason.kind === kind)!
  }

  /** Waits for this problem and its alert. */
  async redAndReported(kind: string): Promise<Verdict['problems'][number]> {
    const before = this.#reported.length
    const reason = await this.red(kind)
    await until(
      `${kind} is reported`,
      () =>
        this.#reported
          .slice(Math.max(0, before - 1))
          .some((alert) => reasonsIn(alert).some((one) => one.kind === kind)),
      () => ({
        reported: this.#reported.map(({ body }) => body.subject),
        log: this.log.slice(-10),
      }),
    )
    return reason
  }

  /** Waits until no problem is left and an alert has said so. */
  async greenAndReported({ after_ms }: { after_ms?: number } = {}): Promise<void> {
    await (after_ms === undefined ? this.green() : this.greenAfter(after_ms))
    await until(
      'the end is reported',
      () => this.#reported.length > 0 && reasonsIn(this.#reported.at(-1)!).length === 0,
      () => ({
        reported: this.#reported.map(({ body }) => body.subject),
        log: this.log.slice(-10),
      }),
    )
  }

  get #reported(): Received[] {
    return this.#receiver?.received ?? []
  }
}

function reasonsIn({ body }: Received): { kind: string }[] {
  return (body.data as { problems: { kind: string }[] }).problems
}

function mountSmallDisk(place: string, size: string): void {
  const { status, stderr } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${size},mode=0700`,
    'tmpfs',
    place,
  ])
  if (status !== 0) throw new Error(`no disk of its own: ${stderr}`)
  // Unmounts after everything that was opened later has closed: these callbacks run in reverse.
  onTestFinished(() => void spawnSync('umount', ['-l', place]))
}
