import type { ServerResponse } from 'node:http'
import type { Place } from '../faults/fault-injection.ts'

/**
 * begin: request line and headers are in, nothing is done yet. during: half of a body that comes in several pieces is in (PUT
 * only). handled: what was asked for is committed, no byte of the answer is sent. end: the answer is out, or the connection gone.
 */
export type Stage = 'begin' | 'during' | 'handled' | 'end'

export interface RequestEntry {
  readonly place: Place
  /** Wall clock, Unix milliseconds: when the request began. */
  readonly at: number
  asset_id?: string
  /** 0 until the answer is decided, and where none was given. */
  status: number
}

export type StageListener = (entry: RequestEntry) => void | Promise<void>

export type Observer = ReturnType<typeof observeRequests>

export function observeRequests(max_logged: number) {
  const log: RequestEntry[] = []
  const in_flight = new Set<RequestEntry>()
  const listeners: Record<Stage, StageListener[]> = { begin: [], during: [], handled: [], end: [] }

  /** Calls the listeners in the order in which they came, each awaited; undefined when there is none. */
  function notify(stage: Stage, entry: RequestEntry): Promise<void> | undefined {
    return listeners[stage].length === 0 ? undefined : notifyEach([...listeners[stage]], entry)
  }

  return {
    log: log as readonly RequestEntry[],
    /** Begun and not ended. */
    in_flight: in_flight as ReadonlySet<RequestEntry>,
    begin(place: Place, response: ServerResponse, now_ms: number): RequestEntry {
      const entry: RequestEntry = { place, at: now_ms, status: 0 }
      // Dropping half at a time keeps the cost of forgetting small.
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
