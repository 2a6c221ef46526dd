import type { Server } from 'node:http'
import type { Clock } from '../../../src/base/time/time.ts'
import { Chance } from '../../journeys/rig/chance.ts'
import { withFraction } from '../../rig/fake-clock.ts'
import { type Fault, type FaultKind, faultName, type Happening } from '../day/day.ts'

/**
 * One life of the daemon, from its start to its kill. Open calls of a dead life are never answered.
 */
export interface Life {
  number: number
  is_dead: boolean
  /** Closes what the kernel would close: databases, descriptors. */
  readonly held: Set<() => void>
}

interface Sleeper {
  due_ms: number
  number: number
  life: Life | undefined
  wake: () => void
}

/** 2026-11-02T07:00:00Z, a Monday. */
const start_ms = Date.UTC(2026, 10, 2, 7)
/** Maximum turns of the event loop at one moment of a day; most moments take ten. */
const max_turns = 20_000
/** A busy minute of a day has five hundred. */
const max_wakes_per_minute = 3_000
const real_immediate = globalThis.setImmediate
const clear_immediate = globalThis.clearImmediate

/** A watcher of a folder as test/sim/doors/watch.ts makes it. */
export interface Watching {
  root: string
  life: Life
  hint(
    hint: { kind: 'path' | 'directory'; path: string } | { kind: 'doubtful'; reason: string },
  ): void
}

/**
 * The state that all doors share: virtual time, the present life of the daemon, and the faults in
 * force. There is only one at a time, because modules are behind the doors.
 */
class World {
  chance = new Chance(1)
  life: Life | undefined
  /**
   * The folder of this day: below it lie the watched folders, the state, the reports and the
   * service's data.
   */
  base = ''
  faults: readonly Fault[] = []
  /** Called with the events that some faults and kills wait for; each play sets it. */
  happened: (what: Happening) => void = () => {}
  readonly servers = new Map<number, Server>()
  readonly watchers = new Set<Watching>()
  /** Notes of the sim itself, for the log of a red day. */
  readonly notes: string[] = []
  /** Forbidden actions of the daemon, as the doors saw them. */
  readonly broken: string[] = []
  /** By inode: the times that the kernel would set by the virtual clock. */
  readonly times = new Map<bigint, { mtime_ns?: bigint; ctime_ns: bigint }>()
  /** The sim itself acts: it meets no fault of the day. */
  is_acting = false
  /** By name: time of the last change to a file. */
  readonly changed_ms = new Map<string, number>()
  disk_version = 0
  /** A call of a thread runs: it may wait for an unresponsive share, the main thread may not. */
  is_in_thread = false
  #mono_ms = 0
  #slept_ms = 0
  #sleepers: Sleeper[] = []
  #numbers = 0
  #immediates = 0
  #minute = 0
  #wakes = 0
  readonly #waiting = new Set<NodeJS.Immediate>()
  #counts = new Map<string, number>()

  reset(seed: number, base: string): void {
    this.chance = new Chance(seed)
    this.life = undefined
    this.base = base
    this.faults = []
    this.servers.clear()
    this.watchers.clear()
    this.notes.length = 0
    this.broken.length = 0
    this.times.clear()
    this.changed_ms.clear()
    this.disk_version++
    this.#mono_ms = 0
    this.#slept_ms = 0
    this.#sleepers = []
    this.#numbers = 0
    this.#counts.clear()
  }

  asSim<Value>(work: () => Value): Value {
    const before = this.is_acting
    this.is_acting = true
    try {
      return work()
    } finally {
      this.is_acting = before
    }
  }

  /** Virtual milliseconds since the day began. */
  get at_ms(): number {
    return this.#mono_ms
  }

  /** A number that was not returned before in this day. */
  next(): number {
    return ++this.#numbers
  }

  /** Number of earlier calls with this name: draws by it do not depend on other draws. */
  count(name: string): number {
    const count = this.#counts.get(name) ?? 0
    this.#counts.set(name, count + 1)
    return count
  }

  counted(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** The faults of a kind that are in force now. */
  inForce<Kind extends FaultKind>(kind: Kind): Extract<Fault, { kind: Kind }>[] {
    return this.faults.filter(
      (fault): fault is Extract<Fault, { kind: Kind }> =>
        fault.kind === kind && fault.from_ms <= this.#mono_ms && this.#mono_ms < fault.to_ms,
    )
  }

  faultNames(): string[] {
    return this.faults.filter((fault) => this.#wasInForce(fault, 0)).map(faultName)
  }

  /** True if a fault was in force within the last milliseconds, except faults of these kinds. */
  wasTroubled(within_ms: number, but: readonly FaultKind[] = []): boolean {
    return this.faults.some(
      (fault) => !but.includes(fault.kind) && this.#wasInForce(fault, within_ms),
    )
  }

  /** The wall clock jumped, or the machine slept: its time spans are unreliable. */
  hasOddClock(): boolean {
    return (
      this.#slept_ms > 0 ||
      this.faults.some(({ kind, from_ms }) => kind === 'clock' && from_ms <= this.#mono_ms)
    )
  }

  #wasInForce({ from_ms, to_ms }: Fault, within_ms: number): boolean {
    return from_ms <= this.#mono_ms && this.#mono_ms - within_ms < to_ms
  }

  note(text: string): void {
    this.notes.push(`${(this.#mono_ms / 1000).toFixed(3)} ${text}`)
  }

  /** The machine's wall clock. Only the daemon's is set wrongly; the service has its own. */
  wall_ms(of: 'machine' | 'service'): number {
    const step_ms =
      of === 'machine' ? this.inForce('clock').reduce((sum, { step_ms }) => sum + step_ms, 0) : 0
    return start_ms + this.#mono_ms + this.#slept_ms + step_ms
  }

  /** The machine and its service sleep: the wall clocks continue, the monotonic ones stop. */
  sleepMachine(ms: number): void {
    this.#slept_ms += ms
  }

  clockOf(life: Life | undefined, of: 'machine' | 'service'): Clock {
    return {
      now_ms: () => this.wall_ms(of),
      monotonic_ms: () => withFraction(this.#mono_ms),
      sleep: (ms, signal) => this.#sleep(ms, signal, life),
    }
  }

  #sleep(ms: number, signal: AbortSignal | undefined, life: Life | undefined): Promise<void> {
    if (life?.is_dead) return new Promise(() => {})
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        // As with real timers, at least a millisecond passes and fractions do not count.
        due_ms: this.#mono_ms + Math.max(1, Math.ceil(ms)),
        number: this.next(),
        life,
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          if (!life?.is_dead) resolve()
        },
      }
      signal?.addEventListener('abort', sleeper.wake, { once: true })
      this.#sleepers.push(sleeper)
    })
  }

  /** Runs until nothing is left to do before that moment; time then stops there. */
  async goTo(at_ms: number, afterEach: () => void = () => {}): Promise<void> {
    for (;;) {
      await this.settle()
      afterEach()
      const next = this.#nextSleeper()
      if (!next || next.due_ms > at_ms) break
      this.#mono_ms = Math.max(this.#mono_ms, next.due_ms)
      this.#countWake()
      next.wake()
    }
    this.#mono_ms = Math.max(this.#mono_ms, at_ms)
  }

  /** Moves time until the work has ended, at most this long; returns whether it has. */
  async until(work: Promise<unknown>, max_ms: number): Promise<boolean> {
    let is_over = false
    const end = () => {
      is_over = true
    }
    work.then(end, end)
    for (let waited_ms = 0; waited_ms < max_ms && !is_over; waited_ms += 1_000)
      await this.goTo(this.#mono_ms + 1_000)
    return is_over
  }

  /** A worker that rests for a millisecond again and again burns a core. */
  #countWake(): void {
    const minute = Math.floor(this.#mono_ms / 60_000)
    if (minute !== this.#minute) this.#wakes = 0
    this.#minute = minute
    this.#wakes++
    if (this.#wakes > max_wakes_per_minute) throw new Error(`something spins in minute ${minute}`)
  }

  #nextSleeper(): Sleeper | undefined {
    let next: Sleeper | undefined
    for (const one of this.#sleepers) {
      if (
        !next ||
        one.due_ms < next.due_ms ||
        (one.due_ms === next.due_ms && one.number < next.number)
      )
        next = one
    }
    return next
  }

  /**
   * Resolves when no callback is left that can run without time: no immediate, no promise, no call
   * of a thread or a socket.
   */
  async settle(): Promise<void> {
    for (let quiet = 0, turns = 0; quiet < 2; turns++) {
      if (turns > max_turns) throw new Error('something spins, and lets no time pass')
      await new Promise((resolve) => real_immediate(resolve))
      quiet = this.#immediates === 0 ? quiet + 1 : 0
    }
  }

  /** Replaces setImmediate and counts the callbacks, so that `settle` sees whether one is left. */
  immediate(callback: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate {
    this.#immediates++
    const handle = real_immediate(() => {
      this.#immediates--
      this.#waiting.delete(handle)
      callback(...args)
    })
    this.#waiting.add(handle)
    return handle
  }

  clearImmediate(handle: NodeJS.Immediate | undefined): void {
    if (handle && this.#waiting.delete(handle)) this.#immediates--
    clear_immediate(handle)
  }

  /** Ends the process: its memory is lost; the files and the service stay. */
  kill(): void {
    const { life } = this
    if (!life || life.is_dead) return
    life.is_dead = true
    for (const close of life.held) close()
    life.held.clear()
    for (const watching of this.watchers) if (watching.life === life) this.watchers.delete(watching)
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.life !== life)
  }
}

export const world = new World()

/**
 * Calls back in a later turn of the event loop, unless the life that requested it is dead by then.
 */
export function later<Value>(life: Life | undefined, work: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    world.immediate(() => {
      if (life?.is_dead) return
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
  })
}
