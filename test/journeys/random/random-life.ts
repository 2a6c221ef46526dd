import { setImmediate } from 'node:timers/promises'
import { openPromptsView } from '../../../src/ledger/views/view-prompts.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { audited } from '../audit/audited.ts'
import { namesOf, verified } from '../audit/verified.ts'
import { Chance } from '../rig/chance.ts'
import { md5Of } from '../rig/disk-truth.ts'
import type { StoredAsset } from '../rig/end-check.ts'
import { begin, type Journey } from '../rig/harness.ts'
import type { ConfigChange } from '../rig/quick-config.ts'
import { type Act, adopt, daemon_acts, disk_acts, kept, service_acts } from './random-acts.ts'
import {
  differencesSince,
  diskOf,
  falselyNamed,
  faultsOf,
  type Snapshot,
  snapshotOf,
  wronglyReported,
} from './random-oracle.ts'

export type Policy = 'respect' | 'resend'
export type Alive = StoredAsset & { md5: string }

/**
 * Maximum number of event loop turns between two acts: some acts come in the middle of work, some
 * long after.
 */
const max_turns = 40
/** Number of acts in the message of a failed seed. */
const acts_shown = 60

/**
 * A daemon, its disk and its service under random acts of a seed, and the facts that are known
 * without the ledger.
 */
export class RandomLife {
  readonly journey: Journey
  readonly chance: Chance
  readonly policy: Policy
  is_running = true
  kills = 0
  /** Every text that was ever written here, except uploads of other users. */
  readonly texts: string[] = []
  /** By md5: contents that another user removed from the service at least once. */
  readonly removed = new Set<string>()
  /** Texts of assets that another user uploaded, and that Sluice need not know yet. */
  readonly foreign = new Map<string, string>()
  /** The md5 of every asset that ever existed on the service. */
  readonly md5_by_asset = new Map<string, string>()
  readonly #seed: number
  readonly #clock: MovingClock
  readonly #acts: string[] = []
  #numbers = 0
  #runs = 0

  private constructor(journey: Journey, seed: number, policy: Policy, clock: MovingClock) {
    this.journey = journey
    this.chance = new Chance(seed)
    this.policy = policy
    this.#seed = seed
    this.#clock = clock
  }

  static async begin(options: {
    profile: ProfileName
    seed: number
    policy: Policy
  }): Promise<RandomLife> {
    const { profile, seed, policy } = options
    // Rests of seconds while the service is offline are short here.
    const clock = new MovingClock({ times: 5 })
    const digest = {
      name: 'digest',
      cron: '0 0 1 1 *',
      timezone: 'UTC',
      prompt: 'What is new?',
      scope: { folders: ['docs', 'notes'] },
      first_run: 'all',
      deliver: [{ file: { dir: makeTree(), name: '{{name}}-{{due}}.md' } }],
    }
    const journey = await begin({
      profile,
      tree: Object.fromEntries(kept.map((name) => [name, `kept in ${name}`])),
      folders: { docs: { labels: ['team'], label_from: 'first_folder' }, notes: {} },
      config: { audit: { on_remote_delete: policy }, prompts: [digest] },
      clock,
      service: { clock },
    })
    return new RandomLife(journey, seed, policy, clock)
  }

  get acts(): number {
    return this.#acts.length
  }

  /** A number that was not returned before. */
  next(): number {
    return ++this.#numbers
  }

  /**
   * Acts of every kind at any time: the daemon works, is killed or paused, the service restarts.
   */
  async live(acts: number): Promise<void> {
    for (let act = 0; act < acts; act++)
      await this.#act([...disk_acts, ...service_acts, ...daemon_acts])
  }

  /**
   * Acts on the disk and the service while the daemon is stopped: `verify` names exactly these
   * changes.
   */
  async behindItsBack(acts: number): Promise<void> {
    await this.stops('stop')
    const before = snapshotOf(this)
    await this.#checkNamed(before)
    for (let act = 0; act < acts; act++) await this.#act([...disk_acts, ...service_acts, adopt])
    await this.#checkNamed(before)
  }

  /** Runs `verify` in the middle of any work: every difference that it names must be true. */
  async verify(): Promise<string> {
    const { differences } = await verified(this.journey, {
      full: this.chance.oneIn(2),
      clock: this.#clock,
    })
    const faults = falselyNamed(namesOf(differences), this)
    if (faults.length > 0) throw new Error(`verify:\n${faults.join('\n')}`)
    return `${differences.length} differences`
  }

  /** Expects that `verify` names only assets of other users after a run. */
  async whole(): Promise<void> {
    await this.#checkNamed(snapshotOf(this))
  }

  /**
   * Runs until disk, service and ledger agree: everything is scanned, sent, followed and audited.
   */
  async quiet(policy = this.policy): Promise<void> {
    const change: ConfigChange = { audit: { on_remote_delete: policy } }
    await this.#explained(async () => {
      if (this.is_running) await this.journey.reload(change)
      else await this.start(change)
      await this.journey.daemon.resume()
      this.journey.daemon.rescan()
      // Audit first: an asset that another user removed gets no label, and the daemon retries its
      // labels for minutes unless it knows.
      await audited(this.journey)
      await this.journey.idle()
      await audited(this.journey)
      await this.journey.idle()
      this.#noteAssets()
      const faults = () => faultsOf(this, policy)
      await this.journey
        .until('disk, service and ledger agree', () => faults().length === 0)
        .catch((error: unknown) => {
          throw new Error(`they differ:\n${faults().join('\n')}`, { cause: error })
        })
      this.#noteAssets()
      this.#reportEnd()
    })
  }

  /** Runs the prompt at a user's request. */
  async ask(): Promise<void> {
    await this.#explained(async () => {
      const { journey } = this
      await journey.record({
        type: 'run_due',
        prompt: 'digest',
        due_ms: this.#clock.now_ms(),
        cause: 'user',
      })
      this.#runs++
      await journey.until('the run has ended', () => this.#endedRuns() === this.#runs)
      const faults = wronglyReported(this)
      if (faults.length > 0) throw new Error(faults.join('\n'))
    })
  }

  async start(change: ConfigChange = { audit: { on_remote_delete: this.policy } }): Promise<void> {
    await this.journey.start(change)
    this.is_running = true
  }

  async stops(how: 'stop' | 'abort'): Promise<string | undefined> {
    if (!this.is_running) return undefined
    this.is_running = false
    if (how === 'abort') this.kills++
    await this.journey[how]()
    return how
  }

  async whileRunning(work: (journey: Journey) => Promise<unknown>): Promise<string | undefined> {
    if (!this.is_running) return undefined
    await work(this.journey)
    return 'done'
  }

  async reload(): Promise<void> {
    const uploads = { concurrency: 1 + this.chance.below(4) }
    await this.journey.reload({ uploads, audit: { on_remote_delete: this.policy } })
  }

  /** Both addresses stay, so that earlier tickets remain valid. */
  async restartService(): Promise<void> {
    const { blob } = this.journey.service
    await this.journey.restartService({ blob_port: Number(new URL(blob).port), clock: this.#clock })
  }

  /** Usable assets, from the service's own store. */
  alive(): Alive[] {
    return this.journey
      .assets()
      .filter((asset): asset is Alive => asset.status === 'ready' && asset.md5 !== null)
  }

  isAlive(asset_id: string): boolean {
    return this.alive().some((asset) => asset.asset_id === asset_id)
  }

  async #act(acts: readonly Act[]): Promise<void> {
    await this.#explained(async () => {
      for (;;) {
        const act = this.chance.weighted(acts)
        this.#noteAssets()
        const done = await act.do(this)
        if (done === undefined) continue
        this.#acts.push(`${act.name}: ${done}`)
        break
      }
      for (let turns = this.chance.below(max_turns); turns > 0; turns--) await setImmediate()
    })
  }

  /** Runs `verify` with and without reading the files; without a daemon, or with an idle one. */
  async #checkNamed(before: Snapshot): Promise<void> {
    await this.#explained(async () => {
      const should = differencesSince(before, this)
      for (const full of [false, true]) {
        const { summary, differences } = await verified(this.journey, { full, clock: this.#clock })
        const named = namesOf(differences)
        const faults = [
          ...should.filter((name) => !named.includes(name)).map((name) => `not named: ${name}`),
          ...named
            .filter((name) => !should.includes(name))
            .map((name) => `named without reason: ${name}`),
          ...named
            .filter((name, index) => named[index - 1] === name)
            .map((name) => `named twice: ${name}`),
          ...(summary.complete ? [] : [`not complete: ${JSON.stringify(summary)}`]),
        ]
        if (faults.length > 0)
          throw new Error(`verify${full ? ' --full' : ''}:\n${faults.join('\n')}`)
      }
    })
  }

  /** Sets the expected end of the journey: old versions and removed assets are no fault. */
  #reportEnd(): void {
    const also_there = this.alive().map(({ md5 }) => md5)
    const left_out = [...diskOf(this)].flatMap(([name, md5]) =>
      also_there.includes(md5) ? [] : [name],
    )
    this.journey.ends({ left_out, also_there, half_sent: true })
  }

  #noteAssets(): void {
    for (const { asset_id, md5 } of this.journey.assets())
      if (md5 !== null) this.md5_by_asset.set(asset_id, md5)
  }

  #endedRuns(): number {
    const view = openPromptsView(this.journey.config().state_dir)
    try {
      return view.runs('digest', 10_000).filter(({ ended_ms }) => ended_ms !== undefined).length
    } finally {
      view.close()
    }
  }

  async #explained(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const acts = this.#acts.slice(-acts_shown).join('\n')
      throw new Error(
        `seed ${this.#seed}, after ${this.#acts.length} acts: ${error}\nthe last of them:\n${acts}`,
        {
          cause: error,
        },
      )
    }
  }

  /** Forgets uploads of other users whose bytes lie on the disk now: Sluice must know them. */
  forgetAdopted(on_disk: ReadonlySet<string>): void {
    for (const [asset_id, text] of this.foreign)
      if (on_disk.has(md5Of(text))) this.foreign.delete(asset_id)
  }
}
