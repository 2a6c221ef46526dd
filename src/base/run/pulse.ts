import { type Clock, minute_ms } from '../time/time.ts'

/** Of one piece of work that should not be silent for long: a step of a worker, a call to a thread, an upload. */
export interface Pulse {
  /** Something moved. */
  beat(): void
  /** It is over; must be called. */
  end(): void
  /**
   * Waits for something that answers for itself (it has a pulse of its own, or a limit of time): meanwhile silence means
   * nothing. Settles as it does.
   */
  during<Answer>(waited: Promise<Answer>): Promise<Answer>
}

export interface SilentPulse {
  name: string
  silent_ms: number
}

/** Who works says so here; a watchdog asks who has been silent for too long. */
export interface Pulses {
  /**
   * `progress`: for work that cannot say so by itself because it goes on in another thread: a number that changes while it
   * moves, read at every look.
   */
  begin(name: string, progress?: () => number): Pulse
  /** A look: what has been silent for longer than this, the longest first. Must come again and again. */
  stuck(limit_ms: number): SilentPulse[]
}

/**
 * A process that was stopped (SIGSTOP, a frozen control group, a virtual machine that was paused) could not move: between two
 * looks no more than this counts as silence. A suspended machine needs nothing of the kind, its monotonic clock stands still.
 */
const longest_gap_ms = minute_ms

export function createPulses(clock: Clock): Pulses {
  const living = new Set<Beating>()
  let awake_ms = 0
  let looked_ms = clock.monotonic_ms()
  const now_ms = () => awake_ms + Math.min(clock.monotonic_ms() - looked_ms, longest_gap_ms)

  return {
    begin(name, progress) {
      const pulse: Beating = startBeating(name, now_ms, progress, () => living.delete(pulse))
      living.add(pulse)
      return pulse
    },
    stuck(limit_ms) {
      awake_ms = now_ms()
      looked_ms = clock.monotonic_ms()
      return [...living]
        .map((pulse) => ({ name: pulse.name, silent_ms: pulse.silence_ms() }))
        .filter(({ silent_ms }) => silent_ms > limit_ms)
        .sort((one, other) => other.silent_ms - one.silent_ms)
    },
  }
}

type Beating = ReturnType<typeof startBeating>

function startBeating(name: string, now_ms: () => number, progress: (() => number) | undefined, end: () => void) {
  let progressed = progress?.()
  let last_ms = now_ms()
  let waits = 0
  const beat = () => {
    last_ms = now_ms()
  }
  return {
    name,
    beat,
    end,
    async during<Answer>(waited: Promise<Answer>): Promise<Answer> {
      waits++
      try {
        return await waited
      } finally {
        waits--
        beat()
      }
    },
    silence_ms(): number {
      const now = progress?.()
      if (waits > 0 || now !== progressed) beat()
      progressed = now
      return now_ms() - last_ms
    },
  }
}

const nothing: Pulse = { beat() {}, end() {}, during: (waited) => waited }

export type SharedPulse = ReturnType<typeof sharePulse>

/**
 * One pulse for many pieces of work side by side: while any of them is under way, something must move. For those that wait for
 * each other, of which some may rightly be silent as long as others move.
 */
export function sharePulse(pulses: Pulses, name: string) {
  let under_way = 0
  let pulse: Pulse | undefined
  return {
    begin(): void {
      if (under_way++ === 0) pulse = pulses.begin(name)
    },
    beat: () => pulse?.beat(),
    end(): void {
      pulse?.beat()
      if (--under_way > 0) return
      pulse?.end()
      pulse = undefined
    },
  }
}

/** For work that nobody watches. */
export const unwatched: Pulses = { begin: () => nothing, stuck: () => [] }

/** The same verbs for one piece of work: while it waits for one of them, that one answers for itself. */
export function heldBy<Verbs extends object>(pulse: Pulse, verbs: Verbs): Verbs {
  return eachCall(verbs, (_verb, call) => {
    const answer = call()
    return answer instanceof Promise ? pulse.during(answer) : answer
  })
}

/** The same verbs, each call of which has a pulse of its own: `the ledger: claimToSend`. */
export function answering<Verbs extends object>(pulses: Pulses, name: string, verbs: Verbs): Verbs {
  return eachCall(verbs, (verb, call) => {
    const answer = call()
    if (!(answer instanceof Promise)) return answer
    const pulse = pulses.begin(`${name}: ${verb}`)
    return answer.finally(() => pulse.end())
  })
}

function eachCall<Verbs extends object>(verbs: Verbs, around: (verb: string, call: () => unknown) => unknown): Verbs {
  return new Proxy(verbs, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name, target)
      if (typeof verb !== 'function' || typeof name === 'symbol') return verb
      return (...values: unknown[]) => around(name, () => verb.apply(target, values))
    },
  })
}
