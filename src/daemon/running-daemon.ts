import type { HttpClient } from '../base/http-client.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { closeInReverse } from './close.ts'
import { type Drained, type DrainTools, drain } from './drain.ts'
import { HealthKeeper } from './health-keeper.ts'
import { Idling } from './idling.ts'
import type { KeptFolders } from './kept-folders.ts'
import type { ReloadOutcome, Reloads } from './reload.ts'
import type { Tools } from './tools.ts'

interface RunningParts {
  tools: Tools
  folders: KeptFolders
  reloads: Reloads
  mode: 'run' | 'once'
  /** For alerts and pings; opened for `run` alone. */
  receivers(): HttpClient
}

/** A daemon from its start to its end. It stands between the ledger's commits and those who wait for work. */
export class Daemon {
  /** Mode `run`: judges the health, tells of it and serves it. */
  readonly health: HealthKeeper | undefined
  /** Mode `once`: the pass is over, or gave up. Errors: `database.*`, when nothing can be recorded any more. */
  readonly drained: Promise<Drained>
  readonly #parts: RunningParts
  readonly #idling = new Idling((gone) => {
    const signal = AbortSignal.any([this.#ending.signal, gone])
    return drain({ ...this.#drainTools(), signal }, { give_up: false })
  })
  readonly #ending = new AbortController()
  readonly #at_once = new AbortController()
  #recorded = 0
  #moved = 0
  #closing: Promise<void> | undefined

  constructor(parts: RunningParts) {
    const { tools, folders, reloads, mode } = parts
    this.#parts = parts
    tools.ledger.onWork((kinds, why) => {
      if (why === 'recorded') this.#recorded++
      if (why === 'recorded' && kinds.size > 0) this.#moved++
      for (const kind of kinds) {
        if (kind === 'look' || kind === 'scan') folders.wake(kind)
        else reloads.current.wake(kind)
      }
    })
    this.health = mode === 'run' ? this.#keepHealth() : undefined
    const reading_most_ms = this.config.follow.pass_wait_ms
    this.drained =
      mode === 'once' ? drain(this.#drainTools(), { give_up: true, reading_most_ms }) : new Promise<never>(() => {})
    // Whoever started it may look at it only later.
    this.drained.catch(() => {})
  }

  get ledger(): Ledger {
    return this.#parts.tools.ledger
  }

  /** That in force. */
  get config(): Config {
    return this.#parts.reloads.current.config
  }

  /** Why nothing can be recorded, or nothing that lasts. */
  ledgerTrouble(): ReturnType<Tools['ledgerTrouble']> {
    return this.#parts.tools.ledgerTrouble()
  }

  /** Every folder was scanned, and nothing is due soon or in flight. `gone`: who asked does not wait any more. */
  idle(gone?: AbortSignal): Promise<void> {
    return this.#idling.wait(gone)
  }

  /** Scan one folder, or all, now. */
  rescan(folder?: string): void {
    this.#parts.folders.rescan(folder)
  }

  /** Puts another config in force; see Reloads. */
  reload(config: Config, secrets: Secrets): Promise<ReloadOutcome> {
    return this.#parts.reloads.reload(config, secrets)
  }

  /** Nothing new is sent, asked or delivered, until `until_ms` or until it is resumed; a restart changes nothing of it. */
  async pause(pause: { by: string; why?: string | undefined; until_ms?: number | undefined }): Promise<void> {
    const { by, why, until_ms } = pause
    await this.ledger.record([{ type: 'paused', by, why, until_ms }])
    this.#parts.reloads.current.circuits.pause(until_ms)
  }

  async resume(): Promise<void> {
    await this.ledger.record([{ type: 'resumed' }])
    this.#parts.reloads.current.circuits.resume()
    this.#parts.reloads.current.wake('send')
  }

  /** What was begun is finished, for half a minute at the most; then everything closes. */
  stop(): Promise<void> {
    this.#ending.abort()
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** At once. What was in flight goes on at the next start. */
  abort(): Promise<void> {
    this.#at_once.abort()
    this.#parts.reloads.abort()
    return this.stop()
  }

  async #close(): Promise<void> {
    const { tools, folders, reloads } = this.#parts
    const running = { tools, folders, ...reloads.stop(), health: this.health?.close() }
    await closeInReverse(running, this.#at_once.signal)
  }

  #keepHealth(): HealthKeeper {
    const { tools, reloads, receivers } = this.#parts
    return new HealthKeeper({
      tools,
      config: () => this.config,
      width: () => reloads.current.width(),
      receivers: receivers(),
    })
  }

  #drainTools(): DrainTools {
    const { tools, folders, reloads } = this.#parts
    return {
      ledger: tools.ledger,
      clock: tools.clock,
      circuits: reloads.current.circuits,
      signal: this.#ending.signal,
      inFlight: () => folders.inFlight() + reloads.inFlight(),
      foldersAreIdle: () => folders.areIdle(),
      recorded: () => this.#recorded,
      moved: () => this.#moved,
      ledgerFault: () => tools.ledgerFault(),
    }
  }
}
