import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { system_clock } from '../../../src/base/time/time.ts'
import type { Config } from '../../../src/config/config.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Drained } from '../../../src/daemon/drain.ts'
import type { ReloadOutcome } from '../../../src/daemon/reload/reload.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import { backUpLedger, restoreLedger } from '../../../src/ledger/backup.ts'
import type { Place } from '../../../src/service/fault-injection.ts'
import type { RequestEntry, Stage } from '../../../src/service/observer.ts'
import type { ProfileName, ServiceOptions } from '../../../src/service/options.ts'
import { faultsOf } from '../../ledger/broken-rules.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { addToTree, makeStore, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { until, within } from '../../rig/waiting.ts'
import { answersChecked, takeAnswerFaults } from '../../service/described-answers.ts'
import { pathsOnDisk } from './disk-truth.ts'
import { checkEnd, notReady, type StoredAsset, wantedOnDisk } from './end-check.ts'
import { type Hold, holdNext } from './hold.ts'
import { startInBetween } from './in-between.ts'
import type { JourneyOptions } from './journey-options.ts'
import { type FileView, type FolderView, LedgerView, type TroubleView } from './ledger-view.ts'
import { type ConfigChange, type Fields, quickConfig } from './quick-config.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** vitest.config.ts and vitest.long.config.ts set it. */
    local_journeys: ProfileName
  }
}

/**
 * Journeys that run against both profiles: the service of docs/interface.md, and the hosted service
 * as observed.
 */
export function journeys(title: string, define: (profile: ProfileName) => void): void {
  describe.each(['default', 'hosted'] as const)(`${title} (%s)`, { timeout: 60_000 }, define)
}

/**
 * Journeys that should not depend on the profile. `npm test` runs them with the documented service,
 * `npm run test:long` with the hosted one (vitest.long.config.ts).
 */
export function localJourneys(title: string, define: (profile: ProfileName) => void): void {
  const profile = inject('local_journeys')
  describe(`${title} (${profile})`, { timeout: 60_000 }, () => define(profile))
}

/**
 * Journeys about disks: the service answers the same in both profiles, so `npm test` runs them
 * once.
 */
export function diskJourneys(title: string, define: (profile: ProfileName) => void): void {
  describe(title, { timeout: 60_000 }, () => define('default'))
}

/**
 * Size of a local journey: the full one for `npm run test:long`, as large as a user would try it; a
 * part for `npm test`.
 */
export function fullOrPart<Amount>(full: Amount, part: Amount): Amount {
  return inject('local_journeys') === 'hosted' ? full : part
}

/**
 * Makes the folders, starts the service and the daemon (unless the journey starts it later). After
 * the test everything is checked and closed.
 */
export async function begin(
  options: JourneyOptions,
  start: 'started' | 'not started' = 'started',
): Promise<Journey> {
  onTestFinished(() => {
    expect(takeAnswerFaults(), 'answers that are not as the service describes them').toEqual([])
  })
  const base = makeTree()
  for (const name of Object.keys(options.folders ?? { docs: {} })) mkdirSync(join(base, name))
  addToTree(base, options.tree ?? {})
  const { profile } = options
  const service = await startService({
    data_dir: makeStore(),
    profile,
    ...answersChecked(profile),
    ...options.service,
  })
  const journey = new Journey(options, base, service)
  if (options.list_page !== undefined) await journey.shortenPages(options.list_page)
  if (start === 'started') await journey.start()
  return journey
}

export class Journey {
  readonly base: string
  readonly home: string
  readonly project_id: string
  service: Service
  readonly #options: JourneyOptions
  readonly #person: string
  readonly #log: string[] = []
  readonly #holds: Hold[] = []
  readonly #owns_service: boolean
  #daemon: Daemon | undefined
  /** Address of the service for the daemon, if it is not the service's own. */
  #address: string | undefined
  #view: LedgerView | undefined
  #end: { left_out: string[]; also_there: string[]; half_sent: boolean } = {
    left_out: [],
    also_there: [],
    half_sent: false,
  }

  constructor(options: JourneyOptions, base: string, service: Service) {
    this.#options = options
    this.base = base
    this.home = makeStore()
    this.service = service
    const [project] = service.projects.list()
    this.project_id = project?.project_id ?? service.projects.create('journey').project_id
    const so_far = service.tokens.list().length
    this.#owns_service = so_far === 0
    this.#person = service.tokens.create(`person ${so_far}`).token
    this.giveToken(so_far === 0 ? 'daemon' : `daemon ${so_far}`)
    // Callbacks run in reverse: a second daemon closes first, and the service closes with the
    // journey that started it.
    onTestFinished(({ task }) => this.close(task.result?.state !== 'fail'))
  }

  /** A second daemon with its own ledger, over the same folders, service and project. */
  async another(change: ConfigChange = {}): Promise<Journey> {
    const other = new Journey(this.#options, this.base, this.service)
    await other.start(change)
    return other
  }

  get daemon(): Daemon {
    if (!this.#daemon) throw new Error('the daemon is not running')
    return this.#daemon
  }

  /** Makes a token of this name and writes it to the file that the daemon reads. */
  giveToken(name: string): void {
    const { token } = this.service.tokens.create(name)
    const file = join(this.home, 'token')
    writeFileSync(`${file}.new`, `${token}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** Gives the daemon another address, whose list pages hold at most this many assets. */
  async shortenPages(max_assets: number): Promise<void> {
    const shorter = (path: string) => path.replace(/\blimit=100\b/, `limit=${max_assets}`)
    const { address } = await startInBetween(this.service.api, { path: shorter })
    this.#address = address
  }

  config(change: ConfigChange = {}): Config {
    const { folders = { docs: {} }, config = {} } = this.#options
    const base_url = this.#address ?? this.service.api
    const service = { base_url, project_id: this.project_id, token_file: join(this.home, 'token') }
    const places = { state_dir: join(this.home, 'state'), base: this.base, home: this.home }
    return quickConfig(places, { service }, { folders, ...config }, change)
  }

  async start(change: ConfigChange = {}): Promise<void> {
    const config = this.config(change)
    const log = createLog({
      level: 'trace',
      format: 'json',
      destination: { write: (text) => void this.#log.push(text) },
    })
    const { secrets } = openSecrets(config, {})
    const { clock = system_clock, wrap_ledger, mode = 'run' } = this.#options
    const wrapped = wrap_ledger ? { wrap_ledger } : {}
    this.#daemon = await within(
      'the start',
      startDaemon({ config, secrets, clock, log, mode, ...wrapped }),
    )
    this.#view ??= new LedgerView(config.state_dir)
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    if (daemon) await within('the stop', daemon.stop())
  }

  /** Aborts at once, in the middle of any work. */
  async abort(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    if (daemon) await within('the abort', daemon.abort())
  }

  /** Makes a backup as `sluice backup` beside the daemon does; returns its name. */
  backUp(): string {
    const file = join(this.home, 'backup.db')
    backUpLedger(this.config().state_dir, file, { force: false })
    return file
  }

  /** Stops, restores a backup as `sluice restore` does, and starts. */
  async restore(backup: string): Promise<void> {
    await this.stop()
    this.#view?.close()
    this.#view = undefined
    restoreLedger(this.config().state_dir, backup, (this.#options.clock ?? system_clock).now_ms())
    await this.start()
  }

  /** Restarts with another configuration, as after an edit of the file. */
  async restart(change: ConfigChange = {}): Promise<void> {
    await this.stop()
    await this.start(change)
  }

  /** Reloads another configuration without a restart, as after a SIGHUP. */
  async reload(change: ConfigChange = {}): Promise<ReloadOutcome> {
    const config = this.config(change)
    return within('the reload', this.daemon.reload(config, openSecrets(config, {}).secrets))
  }

  /** Restarts the service with the same data and address and other options, as after an update. */
  async restartService(options: Partial<ServiceOptions>): Promise<void> {
    const { data_dir, api } = this.service
    await this.service.close()
    const port = Number(new URL(api).port)
    const { profile } = this.#options
    this.service = await startService({
      data_dir,
      port,
      profile,
      ...answersChecked(profile),
      ...options,
    })
  }

  async record(...facts: Fact[]): Promise<void> {
    await this.daemon.ledger.record(facts)
  }

  /** As `sluice retry` of a whole folder. */
  async retry(folder = 'docs'): Promise<void> {
    await this.daemon.retry(folder, '')
  }

  // On the disk.

  at(name: string): string {
    return join(this.base, name)
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.base, tree)
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(this.at(to)), { recursive: true })
    renameSync(this.at(from), this.at(to))
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true })
  }

  /** True if a file exists at this folder and path, with any content. */
  isOnDisk(name: string): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false })?.isFile() ?? false
  }

  /** Log lines so far. */
  log(): readonly string[] {
    return this.#log
  }

  // Views of the ledger.

  files(): FileView[] {
    return this.#view?.files() ?? []
  }

  file(name: string): FileView | undefined {
    return this.files().find((file) => file.name === name)
  }

  stages(): Record<string, string> {
    return Object.fromEntries(this.files().map(({ name, stage }) => [name, stage]))
  }

  troubles(): TroubleView[] {
    return this.#view?.troubles() ?? []
  }

  folder(name = 'docs'): FolderView | undefined {
    return this.#view?.folders().find((folder) => folder.name === name)
  }

  contents(): { state: string; asset_id: string | null }[] {
    return this.#view?.contents() ?? []
  }

  // Views of the service.

  /** Assets with bytes, oldest first. */
  assets(): StoredAsset[] {
    return this.service.assets(this.project_id).filter(({ bare }) => !bare)
  }

  slots(): StoredAsset[] {
    return this.service.assets(this.project_id).filter(({ bare }) => bare)
  }

  requests(place: Place): RequestEntry[] {
    return this.service.requestLog.filter((entry) => entry.place === place)
  }

  /** Cost of the uploads: requested slots and sent bodies. */
  cost(): { creates: number; puts: number } {
    return { creates: this.requests('assets.create').length, puts: this.requests('put').length }
  }

  hold(stage: Stage, place: Place): Hold {
    const hold = holdNext(this.service, stage, place)
    this.#holds.push(hold)
    return hold
  }

  /** A call of a user with her own token. */
  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Fields }> {
    const headers = {
      'x-api-key': this.#person,
      'x-project-id': this.project_id,
      'content-type': 'application/json',
    }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(this.service.api + path, { method, headers, ...text })
    const answer = await response.text()
    return { status: response.status, body: answer === '' ? {} : (JSON.parse(answer) as Fields) }
  }

  // Waiting.

  async until(what: string, fact: () => boolean | Promise<boolean>): Promise<void> {
    await until(what, fact, () => this.#stateForPeople())
  }

  async stage(name: string, stage: string): Promise<void> {
    await this.until(`${name} is ${stage}`, () => this.file(name)?.stage === stage)
  }

  /** Waits until every file on the disk that is not left out is ready with its present bytes. */
  async allReady(): Promise<void> {
    // Before the daemon knows its folders, no file is wanted and none is missing.
    const isKnown = () => (this.#view?.folders().length ?? 0) > 0
    // Read the bytes only after the states are as expected.
    const isReady = () => isKnown() && this.#seemsReady() && this.#notReady().length === 0
    await this.until('every file on the disk is ready', isReady)
  }

  async idle(): Promise<void> {
    await within('nothing left to do', this.daemon.idle(), undefined, () => this.#stateForPeople())
  }

  /**
   * Sets how the end differs from "every file on the disk is on the service", see checkEnd;
   * `also_there` are md5s.
   */
  ends(end: { left_out?: string[]; also_there?: string[]; half_sent?: boolean }): void {
    this.#end = { ...this.#end, ...end }
  }

  /** The end of a single pass. */
  async drained(): Promise<Drained> {
    return within('the end of the pass', this.daemon.drained)
  }

  async close(check: boolean): Promise<void> {
    try {
      for (const hold of this.#holds) hold.release()
      await this.stop()
      if (check) {
        const { service } = this
        const on_disk = this.#onDisk()
        const log = this.#log.join('')
        expect(faultsOf(this.config().state_dir), 'what is wrong in the ledger').toEqual([])
        checkEnd({
          service,
          assets: this.assets(),
          files: this.files(),
          on_disk,
          ...this.#end,
          log,
        })
      }
    } finally {
      this.#view?.close()
      if (this.#owns_service) await this.service.close()
    }
  }

  #notReady(): string[] {
    return notReady(this.#onDisk(), this.files())
  }

  #seemsReady(): boolean {
    const ready = new Set([
      ...this.#end.left_out,
      ...this.files().flatMap(({ name, stage }) => (stage === 'ready' ? name : [])),
    ])
    return this.#online().every((folder) =>
      pathsOnDisk(this.at(folder)).every((path) => ready.has(`${folder}/${path}`)),
    )
  }

  #onDisk(): Map<string, string> {
    return wantedOnDisk(this.base, this.#online(), this.#end.left_out)
  }

  /** Names of the online folders. */
  #online(): string[] {
    const folders = this.#view?.folders() ?? []
    return folders.flatMap(({ name, offline_reason }) => (offline_reason === null ? name : []))
  }

  #stateForPeople(): unknown {
    const requests = this.service.requestLog
      .slice(-20)
      .map(({ place, status }) => `${place} ${status}`)
    const files = this.files().slice(0, 30)
    return {
      files,
      troubles: this.troubles(),
      folder: this.folder(),
      requests,
      log: this.#log.slice(-15),
    }
  }
}
