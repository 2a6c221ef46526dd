import { type Clock, minute_ms } from '../time/time.ts'

/** The heartbeat of one piece of work: a worker's step, a call to a thread, an upload. */
export interface Heartbeat {
  beat(): void
  /** Ends the heartbeat; must be called. */
  end(): void
  /** Waits for work with its own heartbeat or time limit. Meanwhile, silence does not count. */
  during<Answer>(waited: Promise<Answer>): Promise<Answer>
}

export interface SilentHeartbeat {
  name: string
  silent_ms: number
}

/** Work reports its heartbeats here; a watchdog finds work that is silent for too long. */
export interface Heartbeats {
  /** `progress`: a number that changes while work in another thread moves. Each check reads it. */
  begin(name: string, progress?: () => number): Heartbeat
  /** Checks for work silent for longer than this, the longest first. Must be called regularly. */
  stuck(limit_ms: number): SilentHeartbeat[]
}

/** Maximum silence that counts between two checks: a stopped process (SIGSTOP) could not move. */
const longest_gap_ms = minute_ms

export function createHeartbeats(clock: Clock): Heartbeats {
  const living = new Set<Heartbeat & { name: string; silence_ms(): number }>()
  let awake_ms = 0
  let checked_ms = clock.monotonic_ms()
  const now_ms = () => awake_ms + Math.min(clock.monotonic_ms() - checked_ms, longest_gap_ms)

  return {
    begin(name, progress) {
      let progressed = progress?.()
      let last_ms = now_ms()
      let waits = 0
      const heartbeat = {
        name,
        beat(): void {
          last_ms = now_ms()
        },
        end: () => void living.delete(heartbeat),
        async during<Answer>(waited: Promise<Answer>): Promise<Answer> {
          waits++
          try {
            return await waited
          } finally {
            waits--
            heartbeat.beat()
          }
        },
        silence_ms(): number {
          const now = progress?.()
          if (waits > 0 || now !== progressed) heartbeat.beat()
          progressed = now
          return now_ms() - last_ms
        },
      }
      living.add(heartbeat)
      return heartbeat
    },
    stuck(limit_ms) {
      awake_ms = now_ms()
      checked_ms = clock.monotonic_ms()
      return [...living]
        .map((heartbeat) => ({
          name: heartbeat.name,
          silent_ms: Math.round(heartbeat.silence_ms()),
        }))
        .filter(({ silent_ms }) => silent_ms > limit_ms)
        .sort((one, other) => other.silent_ms - one.silent_ms)
    },
  }
}

const nothing: Heartbeat = { beat() {}, end() {}, during: (waited) => waited }

export type SharedHeartbeat = ReturnType<typeof shareHeartbeat>

/** One heartbeat for parts that wait for each other: one may be silent while another moves. */
export function shareHeartbeat(heartbeats: Heartbeats, name: string) {
  let under_way = 0
  let heartbeat: Heartbeat | undefined
  return {
    begin(): void {
      if (under_way++ === 0) heartbeat = heartbeats.begin(name)
    },
    beat: () => heartbeat?.beat(),
    end(): void {
      heartbeat?.beat()
      if (--under_way > 0) return
      heartbeat?.end()
      heartbeat = undefined
    },
  }
}

export type Progress = ReturnType<typeof createProgress>

/** A counter that a thread increases while it moves. Others read it without a message to it. */
export function createProgress() {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const counter = new Int32Array(shared)
  return { shared, read: () => Atomics.load(counter, 0) }
}

/** For the thread: makes a function that adds one. An overflow is a change, too. */
export function countInto(shared: SharedArrayBuffer): () => void {
  const counter = new Int32Array(shared)
  return () => void Atomics.add(counter, 0, 1)
}

export const unwatched: Heartbeats = { begin: () => nothing, stuck: () => [] }

/** The same methods for one piece of work. Its silence does not count while it waits for one. */
export function heldBy<Verbs extends object>(heartbeat: Heartbeat, verbs: Verbs): Verbs {
  return eachCall(verbs, (_verb, call) => {
    const answer = call()
    return answer instanceof Promise ? heartbeat.during(answer) : answer
  })
}

/** The same methods, each call with its own heartbeat: `the ledger: claimToSend`. */
export function answering<Verbs extends object>(
  heartbeats: Heartbeats,
  name: string,
  verbs: Verbs,
): Verbs {
  return eachCall(verbs, (verb, call) => {
    const answer = call()
    if (!(answer instanceof Promise)) return answer
    const heartbeat = heartbeats.begin(`${name}: ${verb}`)
    return answer.finally(() => heartbeat.end())
  })
}

function eachCall<Verbs extends object>(
  verbs: Verbs,
  around: (verb: string, call: () => unknown) => unknown,
): Verbs {
  return new Proxy(verbs, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name, target)
      if (typeof verb !== 'function' || typeof name === 'symbol') return verb
      return (...values: unknown[]) => around(name, () => verb.apply(target, values))
    },
  })
}
