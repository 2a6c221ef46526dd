import { join } from 'node:path'
import { createLog } from '../../../src/base/text/log.ts'
import { secretsOf } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { configOf } from '../../rig/config-of.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import type { Act, Day, Happening } from '../day/day.ts'
import { Triggers } from '../day/triggers.ts'
import { real } from '../world/real.ts'
import { world } from '../world/world.ts'
import { actOnDisk, filesOnDisk } from './disk-acts.ts'
import type { Table } from './table.ts'

export type StoredAsset = ReturnType<Service['assets']>[number]

const second = 1_000
/** Time until a daemon that died, or did not start, is started again, as a service manager does. */
const restart_ms = 5 * second

const digest = {
  name: 'digest',
  cron: '*/10 * * * *',
  timezone: 'UTC',
  prompt: 'What is new?',
  scope: { folders: ['docs', 'notes'] },
  first_run: 'all',
  wait_for_files: '2m',
}

type DiskAct = Parameters<typeof actOnDisk>[0]

/** A running day: the daemon, the service, and the events. */
export class Play {
  readonly day: Day
  readonly log: string[] = []
  /** Types of the recorded facts, in all lives. */
  readonly facts: string[] = []
  /** Faults that were found during the day. */
  readonly faults: string[] = []
  service!: Service
  project_id = ''
  daemon: Daemon | undefined
  kills = 0
  /** Start of the present life. */
  started_ms = 0
  readonly seen: Table
  readonly #triggers: Triggers
  #token = ''
  #lives = 0
  #condemned = false
  #settings = { concurrency: 4, label: 'team 0', without_prompt: false }
  #starting = false
  #on_disk: { version: number; files: Map<string, string> } | undefined

  constructor(day: Day, base: string, seen: Table) {
    this.day = day
    this.seen = seen
    world.reset(day.seed, base)
    this.#triggers = new Triggers(this)
    world.happened = (what) => this.#happened(what)
  }

  /** Label of every asset of the first folder, by the last edit of the configuration. */
  get label(): string {
    return this.#settings.label
  }

  get state_dir(): string {
    return join(world.base, 'state')
  }

  async begin(): Promise<void> {
    for (const name of ['docs', 'notes', 'service'])
      real.mkdirSync(join(world.base, name), { recursive: true })
    // No act touches these files: nothing distinguishes the disks of two empty folders.
    for (const number of [901, 902, 903]) {
      for (const folder of ['docs', 'notes']) {
        actOnDisk({
          at_ms: 0,
          do: 'write',
          name: `${folder}/kept-${number}.txt`,
          number,
          bytes: 200,
          how: 'at once',
        })
      }
    }
    real.writeFileSync(join(world.base, 'outside.txt'), 'outside of every folder')
    const clock = world.clockOf(undefined, 'service')
    this.service = await startService({
      data_dir: join(world.base, 'service'),
      clock,
      ingest: { delay_ms: 400 },
      answer_delay_ms: 15_000,
    })
    this.project_id = this.service.projects.create('sim').project_id
    this.#token = this.service.tokens.create('daemon').token
  }

  config() {
    const { concurrency, label, without_prompt } = this.#settings
    const folder = (name: string) => ({
      name,
      path: join(world.base, name),
      settle_ms: '2s',
      watch: 'native',
    })
    return configOf(
      {
        service: { base_url: this.service.api, project_id: this.project_id },
        state_dir: this.state_dir,
        folders: [
          {
            ...folder('docs'),
            labels: [label],
            on_delete: 'remove',
            delete_grace_ms: '1m',
            on_change: 'remove_old',
          },
          folder('notes'),
        ],
        uploads: { concurrency, limit: 'off', min_resend_s: '20s', small_file_bytes: '64KiB' },
        hashing: { threads: 1 },
        health: { offline_ms: '2m', unreachable_ms: '2m', disk_free_bytes: 0, check_ms: '30s' },
        prompts: without_prompt ? [] : [digest],
      },
      { HOME: world.base },
    )
  }

  /** Tries until the daemon starts: a disk that is full now may have space later. */
  async start(): Promise<void> {
    if (this.daemon || this.#starting) return
    this.#starting = true
    const life = { number: ++this.#lives, is_dead: false, held: new Set<() => void>() }
    world.life = life
    const log = createLog({
      level: 'info',
      format: 'json',
      destination: { write: (text) => this.#logged(text) },
    })
    const clock = world.clockOf(life, 'machine')
    try {
      const config = this.config()
      const secrets = secretsOf(this.#token)
      const wrap_ledger = (ledger: Ledger) => this.#crashing(ledger)
      this.daemon = await startDaemon({ config, secrets, clock, log, mode: 'run', wrap_ledger })
      this.#starting = false
      this.started_ms = world.at_ms
    } catch (error) {
      world.note(`the daemon did not start: ${error}`)
      world.kill()
      this.#starting = false
      this.startLater()
    }
  }

  startLater(): void {
    void world
      .clockOf(undefined, 'service')
      .sleep(restart_ms)
      .then(() => this.start())
  }

  #logged(text: string): void {
    const { level, msg } = JSON.parse(text) as { level: string; msg: string }
    this.log.push(`${(world.at_ms / 1000).toFixed(1)} ${level} ${msg}`)
  }

  /**
   * Dies with the fact that the day names; `lost`: with the one after it, which is not recorded.
   */
  #crashing(inner: Ledger): Ledger {
    const { life } = world
    return {
      ...inner,
      record: async (facts: readonly Fact[]) => {
        if (life?.is_dead) return new Promise<void>(() => {})
        if (this.#condemned) return this.#die()
        await inner.record(facts)
        if (life?.is_dead) return new Promise<void>(() => {})
        this.facts.push(...facts.map(({ type }) => `${world.at_ms} ${type}`))
        for (const { type } of facts) this.#triggers.happened(type)
        if (!this.#isKilled(facts.map(({ type }) => type))) return undefined
        if (!this.day.kills[this.kills]!.lost) return this.#die()
        this.#condemned = true
        return undefined
      },
    }
  }

  #isKilled(what: readonly Happening[]): boolean {
    const kill = this.day.kills[this.kills]
    if (!kill || this.facts.length < kill.after_fact) return false
    return kill.comes_with === undefined || what.includes(kill.comes_with)
  }

  /** Handles an event that is no fact. */
  #happened(what: Happening): void {
    this.#triggers.happened(what)
    if (this.day.kills[this.kills]?.comes_with === what && this.#isKilled([what])) void this.#die()
  }

  #die(): Promise<void> {
    world.note(`killed after ${this.facts.length} facts, the last ${this.facts.at(-1)}`)
    this.kills++
    this.seen.note(this, ['kill', ...world.faultNames()])
    this.#condemned = false
    this.daemon = undefined
    this.#starting = false
    world.kill()
    this.startLater()
    return new Promise(() => {})
  }

  /** Plays every act and fault of the day at its time. */
  async live(atEachStep: () => void): Promise<void> {
    const { acts, length_ms } = this.day
    const moments = [
      ...acts.map((act) => ({ at_ms: act.at_ms, do: () => this.#act(act) })),
      ...this.#triggers.moments(),
    ].sort((a, b) => a.at_ms - b.at_ms)
    for (const moment of moments.filter(({ at_ms }) => at_ms === 0)) world.asSim(moment.do)
    void this.start()
    for (const moment of moments.filter(({ at_ms }) => at_ms > 0)) {
      await world.goTo(moment.at_ms, atEachStep)
      world.asSim(moment.do)
    }
    await world.goTo(length_ms, atEachStep)
  }

  #act(act: Act): void {
    const { daemon } = this
    if (isDiskAct(act)) actOnDisk(act)
    else if (act.do === 'sleep') world.sleepMachine(act.for_ms)
    else if (act.do === 'reload') this.#reload(act)
    else if (daemon) this.#request(daemon, act)
  }

  /** Edits the file; a running daemon reads it now, and again if it could not. */
  #reload(act: Extract<Act, { do: 'reload' }>): void {
    this.#settings = act
    void this.#readAgain(act)
  }

  async #readAgain(settings: Extract<Act, { do: 'reload' }>): Promise<void> {
    const { daemon } = this
    if (!daemon || this.#settings !== settings) return
    try {
      await daemon.reload(this.config(), secretsOf(this.#token))
    } catch (error) {
      world.note(`reload: ${error}`)
      await world.clockOf(undefined, 'service').sleep(30 * second)
      await this.#readAgain(settings)
    }
  }

  #request(daemon: Daemon, act: Exclude<Act, DiskAct>): void {
    // A user who accepts the files of an offline disk means it, and does not undo it.
    if (act.do === 'accept' && world.inForce('mounts').some(({ folder }) => folder === act.folder))
      return
    this.#word(daemon, act).catch((error: unknown) => world.note(`${act.do}: ${error}`))
  }

  async #word(daemon: Daemon, act: Exclude<Act, DiskAct>): Promise<unknown> {
    switch (act.do) {
      case 'retry':
        return daemon.ledger.record([{ type: 'retried', folder: act.folder, path: '' }])
      case 'accept':
        await daemon.ledger.record([{ type: 'accepted', folder: act.folder, path: '' }])
        return daemon.rescan(act.folder)
      case 'rescan':
        return daemon.rescan(act.folder)
      case 'pause':
        return daemon.pause({ by: 'the day', until_ms: world.wall_ms('machine') + act.for_ms })
      case 'resume':
        return daemon.resume()
      case 'ask':
        return daemon.ledger.record([
          { type: 'run_due', prompt: 'digest', due_ms: world.wall_ms('machine'), cause: 'user' },
        ])
      default:
        return undefined
    }
  }

  assets(): StoredAsset[] {
    return this.service.assets(this.project_id)
  }

  /**
   * After answers that are not from the service, a file may wait for a user: the status says so,
   * and the user retries it.
   */
  async userChecks(): Promise<void> {
    if (!this.day.faults.some((fault) => fault.kind === 'service' && fault.how === 'wrong body'))
      return
    const facts = ['docs', 'notes'].map((folder) => ({
      type: 'retried' as const,
      folder,
      path: '',
    }))
    await this.daemon?.ledger.record(facts)
  }

  /** Reads the disk again only after an act on it. */
  onDisk(): Map<string, string> {
    if (this.#on_disk?.version !== world.disk_version) {
      this.#on_disk = { version: world.disk_version, files: world.asSim(filesOnDisk) }
    }
    return this.#on_disk.files
  }

  async end(): Promise<void> {
    world.kill()
    await world.settle()
    world.life = undefined
    if (!(await world.until(this.service.close(), 600 * second)))
      this.faults.push('the service did not close')
  }
}

function isDiskAct(act: Act): act is DiskAct {
  return ['write', 'move', 'copy', 'remove', 'truncate', 'link', 'touch'].includes(act.do)
}
