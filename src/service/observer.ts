import type { ServerResponse } from 'node:http'
import type { Place } from './fault-injection.ts'

/**
 * The stages of a request. Tests listen to them.
 * - begin: the request line and the headers have arrived, nothing is done yet.
 * - during: half of a body in several pieces has arrived (PUT only).
 * - handled: the work is committed or refused, no byte of the answer is sent.
 * - end: the answer is sent, or the connection is gone.
 */
export type Stage = 'begin' | 'during' | 'handled' | 'end'

export interface RequestEntry {
  readonly place: Place
  /** The time when the request began, Unix milliseconds by the wall clock. */
  readonly at: number
  asset_id?: string
  /** The status of the answer; 0 until it is decided, and if no answer was given. */
  status: number
}

export type StageListener = (entry: RequestEntry) => void | Promise<void>

export type Observer = ReturnType<typeof observeRequests>

export function observeRequests(max_logged: number) {
  const log: RequestEntry[] = []
  const in_flight = new Set<RequestEntry>()
  const listeners: Record<Stage, StageListener[]> = { begin: [], during: [], handled: [], end: [] }

  /** Calls and awaits the listeners one after the other. Returns undefined if there are none. */
  function notify(stage: Stage, entry: RequestEntry): Promise<void> | undefined {
    return listeners[stage].length === 0 ? undefined : notifyEach([...listeners[stage]], entry)
  }

  return {
    log: log as readonly RequestEntry[],
    /** Requests that have begun and not ended. */
    in_flight: in_flight as ReadonlySet<RequestEntry>,
    begin(place: Place, response: ServerResponse, now_ms: number): RequestEntry {
      const entry: RequestEntry = { place, at: now_ms, status: 0 }
      // A full log drops its older half, which is cheaper than dropping one entry per request.
      if (log.length >= max_logged) log.splice(0, Math.ceil(max_logged / 2))
      if (max_logged > 0) log.push(entry)
      in_flight.add(entry)
      response.once('close', () => {
        in_flight.delete(entry)
        void notify('end', entry)
      })
      return entry
    },
    notify,
    on(stage: Stage, listener: StageListener): () => void {
      listeners[stage].push(listener)
      return () => {
        listeners[stage] = listeners[stage].filter((other) => other !== listener)
      }
    },
  }
}

async function notifyEach(listeners: readonly StageListener[], entry: RequestEntry): Promise<void> {
  for (const listener of listeners) await listener(entry)
}
