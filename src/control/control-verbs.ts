import { day_ms } from '../base/time/time.ts'
import type { Fact } from '../domain/fact.ts'

/** The verbs of a running daemon. Both ends of the socket implement this interface. */
export interface ControlVerbs {
  ping(): Promise<DaemonPresence>
  /** Scans one folder, or all without a name. Resolves when the scan has begun. */
  rescan(where: { folder?: string | undefined }): Promise<void>
  /** Tries refused, blocked and deferred files again. */
  retry(where: PlaceInFolder): Promise<void>
  /** Releases files held by the upload limit, or skipped by `start` of the folder. */
  accept(where: PlaceInFolder): Promise<void>
  /** Allows removals on the service of all files deleted or replaced in this place. */
  acceptRemovals(where: PlaceInFolder): Promise<void>
  /** Makes the prompt due now and records it. Returns the due time, which names the run. */
  runPrompt(what: { prompt: string }): Promise<{ due_ms: number }>
  /** Starts no new upload until the pause is over, or until `resume`. */
  pause(what: PauseWish): Promise<void>
  resume(): Promise<void>
  /** Puts the new configuration in force. On an error, `config.*`, the earlier one stays. */
  reload(): Promise<Reloaded>
  /** Makes failed and waiting deliveries of a report due now, and records it. */
  deliverAgain(what: DeliveriesOfRun): Promise<void>
  /** Orders an audit of all ready files, without pauses. Resolves when it is recorded. */
  audit(): Promise<void>
  /** Orders the repetition of work that the ledger wrongly calls done, and records it. */
  doubt(doubt: Doubt): Promise<void>
  /** Resolves when no scan and no work is due or in flight; `gone`: the caller disconnected. */
  idle(gone?: AbortSignal): Promise<void>
}

/** A longer pause has no end: `resume` ends it. */
export const max_pause_ms = 366 * day_ms

export interface PauseWish {
  /** The name of the person who pauses, for messages. */
  by: string
  why?: string | undefined
  /** At most `max_pause_ms`. */
  for_ms?: number | undefined
}

/** The effects of a reload, in a few words each. */
export interface Reloaded {
  changes: string[]
  at_next_start: string[]
  /** Parts of the new configuration that the systemd unit does not allow, each with the remedy. */
  unit: string[]
}

export interface DaemonPresence {
  pid: number
  version: string
  /** `run` continues until it is stopped; `once` makes one pass and ends. */
  mode: 'run' | 'once'
  /** Why nothing can be recorded durably. The file of the ledger does not show it. */
  ledger_fault?: { message: string; hint: string | undefined; since_ms: number }
}

/** A folder name, and the path of a file or directory in it; the path '' is the whole folder. */
export interface PlaceInFolder {
  folder: string
  path: string
}

/** The ledger's id of a run, and names of deliveries of its prompt. */
export interface DeliveriesOfRun {
  run: number
  targets: readonly string[]
}

/** A fact of the ledger that is wrong, and that neither a scan nor an audit corrects. */
export type Doubt =
  /** The file has other bytes with the same size and times: Sluice reads it again. */
  | { about: 'bytes'; folder: string; path: string }
  /** A label is no longer attached: Sluice attaches it again. `content` is an id of the ledger. */
  | { about: 'label'; content: number; label: string }

export function factsOfDoubt(doubt: Doubt, now_ms: number): Fact[] {
  if (doubt.about === 'bytes') {
    const { folder, path } = doubt
    return [{ type: 'file_changed', folder, path, not_before_ms: now_ms }]
  }
  const { content, label } = doubt
  return [
    { type: 'label_detached', content, name: label },
    { type: 'labels_deferred', content, not_before_ms: now_ms },
  ]
}
