import { type LedgerView, openLedgerView } from '../../../src/ledger/views/view.ts'
import type { HealthView } from '../../../src/ledger/views/view-health.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import { healthFacts, healthStatus } from '../../../src/status/health/health-facts.ts'
import { type StatusView, statusView } from '../../../src/status/view.ts'
import type { Fault, FaultKind } from '../day/day.ts'
import { idleClaims } from '../world/claims.ts'
import { isAway } from '../world/mounts.ts'
import { world } from '../world/world.ts'
import { isEmpty, readyMd5s } from './oracle.ts'
import type { Play } from './play.ts'

const second = 1_000
const minute = 60 * second

/** A change is reported, checked and recorded within this time, unless a fault delays it. */
const noticed_ms = 30 * second
/** Faults delay checks and calls; the daemon catches up within this time. */
const made_up_ms = 20 * minute
/**
 * A change that no watcher reported is found by the next scan: rescan_interval_ms, an hour give or
 * take a tenth.
 */
const scanned_ms = 66 * minute + noticed_ms
/** The daemon knows of all faults except lost events. */
const known_faults: readonly FaultKind[] = ['disk', 'descriptors', 'mounts', 'service', 'clock']
/**
 * Time beyond the limit of a problem: until the next check of health, and a minute until the ledger
 * is asked to record.
 */
const reported_late_ms = 90 * second
/** Time between two checks: after a recorded fact, and without one. */
const pace_ms = { recorded: 10 * second, nothing: 60 * second }

/**
 * Compares the view that `sluice status --json` shows with the disk and the service, at every step
 * of a day.
 */
export class ViewCheck {
  readonly #play: Play
  #ledger: LedgerView | undefined
  #health: HealthView | undefined
  #facts = 0
  #is_recorded = false
  #checked_ms = 0

  constructor(play: Play) {
    this.#play = play
  }

  /** Called after each step; most steps change nothing. */
  check(): void {
    const { facts, daemon } = this.#play
    if (!daemon) return
    const is_recorded = facts.length !== this.#facts
    if (is_recorded) this.#play.seen.note(this.#play, world.faultNames())
    this.#facts = facts.length
    this.#is_recorded ||= is_recorded
    const since_ms = world.at_ms - this.#checked_ms
    if (since_ms < (this.#is_recorded ? pace_ms.recorded : pace_ms.nothing)) return
    this.#is_recorded = false
    if (!is_recorded) this.#play.seen.note(this.#play, world.faultNames())
    this.#checked_ms = world.at_ms
    world.asSim(() => this.#checkNow())
  }

  status(): StatusView | undefined {
    const { daemon, state_dir } = this.#play
    if (!daemon) return undefined
    this.#ledger ??= openLedgerView(state_dir)
    this.#health ??= openHealthView(state_dir)
    const settings = daemon.config
    const now_ms = world.wall_ms('machine')
    const trouble = daemon.ledgerTrouble()
    const ledger_fault = trouble && {
      message: trouble.error.message,
      hint: trouble.error.hint,
      since_ms: trouble.since_ms,
    }
    const health = healthStatus(
      healthFacts(this.#health, settings, now_ms, { ledger_fault }),
      settings.health,
      true,
    )
    const running = {
      state: 'running',
      pid: 1,
      mode: 'run',
      version: 'sim',
      ...(ledger_fault ? { ledger_fault } : {}),
    }
    return statusView({ ledger: this.#ledger, settings, daemon: running as never, health, now_ms })
  }

  /** After quiet time no problem is left that needs a user. */
  wrongAtEnd(): string[] {
    const status = world.asSim(() => this.status())
    if (!status) return ['no daemon runs']
    const { verdict, health } = status
    return [
      ...(verdict === 'all_ready' ? [] : [`everything is in, and the status says ${verdict}`]),
      ...(health?.problems ?? []).map(({ message }) => `health is not well: ${message}`),
    ]
  }

  close(): void {
    this.#ledger?.close()
    this.#health?.close()
  }

  #checkNow(): void {
    const status = this.status()
    if (!status) return
    const ready = readyMd5s(this.#play)
    if (status.verdict === 'all_ready') this.#checkAllReady(ready)
    this.#checkReadyFiles()
    // A check or an upload waits for an unresponsive share as long as the fault lasts.
    const hung = world.faults.some(
      ({ kind, to_ms, ...fault }) =>
        kind === 'mounts' && 'how' in fault && fault.how === 'hung' && world.at_ms < to_ms + minute,
    )
    if (world.life && !hung) for (const text of idleClaims(world.life)) this.#wrong(text)
    for (const fault of world.faults) this.#checkPromise(fault, status)
  }

  #wrong(text: string): void {
    const { faults } = this.#play
    if (!faults.some((other) => other.endsWith(text))) faults.push(`at ${world.at_ms} ms: ${text}`)
  }

  /**
   * "All ready" is wrong if a file has been missing for longer than a change takes to be reported.
   */
  #checkAllReady(ready: ReadonlySet<string>): void {
    const play = this.#play
    if (world.at_ms - play.started_ms < minute || world.wasTroubled(minute)) return
    for (const [name, md5] of play.onDisk()) {
      if (isEmpty(md5) || ready.has(md5)) continue
      const since_ms = world.at_ms - (world.changed_ms.get(name) ?? 0)
      const patience_ms = this.#patience_ms()
      if (since_ms > patience_ms) this.#wrong(`the status says "all ready", and ${name} is not in`)
    }
  }

  #patience_ms(): number {
    if (world.wasTroubled(scanned_ms, known_faults)) return scanned_ms
    return world.wasTroubled(made_up_ms) ? made_up_ms : noticed_ms
  }

  /** A file that is shown as ready must have a ready asset. */
  #checkReadyFiles(): void {
    const assets = new Map(this.#play.assets().map((asset) => [asset.asset_id, asset]))
    for (const folder of ['docs', 'notes']) {
      const query = { folder, prefix: '', stages: ['ready'] as const, after: undefined, limit: 500 }
      for (const { path, asset_id } of this.#ledger!.files(query)) {
        if (asset_id !== undefined && assets.get(asset_id)?.status === 'ready') continue
        this.#wrong(`${folder}/${path} is shown as ready, and its asset ${asset_id} is not`)
      }
    }
  }

  /** A fault that lasts longer than its limit must be among the problems of health. */
  #checkPromise(fault: Fault, { health, pause }: StatusView): void {
    if (world.at_ms < fault.from_ms || world.at_ms >= fault.to_ms || pause || world.hasOddClock())
      return
    const since_ms = Math.max(fault.from_ms, this.#play.started_ms)
    const lasts_ms = world.at_ms - since_ms
    const problems = health?.problems ?? []
    if (fault.kind === 'disk' && lasts_ms > minute + reported_late_ms && fault.how !== 'busy') {
      if (!problems.some(({ kind }) => kind === 'ledger'))
        this.#wrong(`health does not name ${fault.how} disk`)
    }
    if (
      fault.kind === 'mounts' &&
      isAway(fault) &&
      lasts_ms > 2 * minute + reported_late_ms &&
      !world.wasTroubled(2 * minute + reported_late_ms, ['mounts'])
    ) {
      if (!problems.some(({ about }) => about.includes(fault.folder))) {
        this.#wrong(`health does not name ${fault.folder}, whose disk is ${fault.how}`)
      }
    }
  }
}
