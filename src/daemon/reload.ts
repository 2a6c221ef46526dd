import { SluiceError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Fact } from '../domain/fact.ts'
import type { WorkKind } from '../ledger/ledger.ts'
import type { Circuits } from '../sync/circuits.ts'
import {
  changesBetween,
  changesForNextStart,
  isSameService,
  projectsOf,
  refuseWhatCannotChange,
} from './config-changes.ts'
import type { Generation, PreparedGeneration } from './generation.ts'
import type { KeptFolders } from './kept-folders.ts'
import { ledgerLimits } from './limits.ts'
import type { Tools } from './tools.ts'

export interface ReloadOutcome {
  /** What is different now, in words for people: `2 folders added`, `token changed`. Empty: nothing is. */
  changes: string[]
  /** Fields of the config that changed and wait for the next start. */
  at_next_start: string[]
}

export interface ReloadParts {
  tools: Tools
  folders: KeptFolders
  /** Of a service of which nothing is known yet. */
  makeCircuits(): Circuits
  prepare(config: Config, secrets: Secrets, circuits: Circuits): PreparedGeneration
  factsOf(config: Config): Promise<Fact[]>
}

const all_work: readonly WorkKind[] = ['send', 'follow', 'label', 'remove', 'prompt', 'run', 'delivery']

/** Puts one config after another in force, one at a time, and keeps what still ends under an earlier one. */
export class Reloads {
  readonly #parts: ReloadParts
  /** Told to begin nothing new; each leaves when it has finished what it had in hand. */
  readonly #earlier = new Set<Generation>()
  #current: Generation
  #secrets: Secrets
  #last: Promise<unknown> = Promise.resolve()
  #is_stopped = false

  constructor(parts: ReloadParts, first: Generation, secrets: Secrets) {
    this.#parts = parts
    this.#current = first
    this.#secrets = secrets
  }

  get current(): Generation {
    return this.#current
  }

  inFlight(): number {
    let sum = this.#current.inFlight()
    for (const generation of this.#earlier) sum += generation.inFlight()
    return sum
  }

  /**
   * All of the config or nothing: what cannot be used is found out before anything of it is in force. Errors: `config.*` for
   * that, `database.*` where it could not be recorded, `reload.stopped`; after each the config before it is wholly in force.
   */
  reload(config: Config, secrets: Secrets): Promise<ReloadOutcome> {
    const reloaded = this.#last.then(() => this.#reloadNow(config, secrets))
    this.#last = reloaded.catch(() => {})
    return reloaded
  }

  /** Nothing new is begun by any config; answers what has to end. */
  stop(): { generations: readonly Generation[]; reloading: Promise<unknown> } {
    this.#is_stopped = true
    return { generations: [this.#current, ...this.#earlier], reloading: this.#last }
  }

  /** Drop what is under way. */
  abort(): void {
    for (const generation of [this.#current, ...this.#earlier]) generation.abort()
  }

  async #reloadNow(config: Config, secrets: Secrets): Promise<ReloadOutcome> {
    const { config: before, circuits } = this.#current
    this.#refuseStopped()
    refuseWhatCannotChange(before, config)
    const changes = changesBetween(before, config)
    if (changes.length > 0) await this.#putInForce(config, secrets)
    if (secrets.token() !== this.#secrets.token()) changes.push('token changed')
    this.#takeToken(secrets)
    if (circuits === this.#current.circuits) await circuits.forgetProjectsExcept(projectsOf(config))
    else await circuits.retire()
    return { changes, at_next_start: changesForNextStart(before, config) }
  }

  async #putInForce(config: Config, secrets: Secrets): Promise<void> {
    const { folders, makeCircuits, prepare, tools } = this.#parts
    const { config: config_before, circuits } = this.#current
    const prepared = prepare(config, secrets, isSameService(config_before, config) ? circuits : makeCircuits())
    try {
      await this.#record(config)
      this.#refuseStopped()
    } catch (error) {
      await prepared.close()
      throw error
    }
    tools.setLogLevel(config.log.level)
    const before = this.#current
    before.stop()
    this.#earlier.add(before)
    this.#current = prepared.begin(folders.settings)
    void this.#letEnd(before)
  }

  /**
   * The folders change in the same breath as the ledger is told, and after it in its order of calls: what was seen under the old
   * settings is recorded before that, or not at all.
   */
  async #record(config: Config): Promise<void> {
    const { folders, factsOf, tools } = this.#parts
    const facts = await factsOf(config)
    this.#refuseStopped()
    const recorded = tools.ledger.record(facts)
    folders.configure(config)
    try {
      await recorded
      await tools.ledger.setLimits(ledgerLimits(config))
    } catch (error) {
      folders.configure(this.#current.config)
      throw error
    }
  }

  /** Those that still end under an earlier config show it too, where they speak to the same service. */
  #takeToken(secrets: Secrets): void {
    const is_other = secrets.token() !== this.#secrets.token()
    this.#secrets = secrets
    for (const generation of [this.#current, ...this.#earlier]) {
      if (isSameService(generation.config, this.#current.config)) generation.takeToken(secrets)
    }
    if (!is_other) return
    this.#current.circuits.tokenChanged()
    this.#wakeAll()
  }

  async #letEnd(generation: Generation): Promise<void> {
    try {
      await generation.ended()
      await generation.close()
    } catch (error) {
      this.#parts.tools.report.fault('the end of an earlier configuration', error)
    } finally {
      this.#earlier.delete(generation)
      // What it gave back is free.
      this.#wakeAll()
    }
  }

  #wakeAll(): void {
    for (const kind of all_work) this.#current.wake(kind)
  }

  #refuseStopped(): void {
    if (!this.#is_stopped) return
    throw new SluiceError({
      code: 'reload.stopped',
      message: 'Sluice is stopping: the configuration was not read again',
      hint: 'the next start reads it',
    })
  }
}
