import { day_ms } from '../base/time/time.ts'
import type { Fact } from '../domain/fact.ts'

/** What a running daemon can be asked from outside; the same on both ends of the socket. */
export interface ControlVerbs {
  ping(): Promise<DaemonPresence>
  /** Scan now; without a folder, all of them. Resolves when it is begun, not when it is over. */
  rescan(where: { folder?: string | undefined }): Promise<void>
  /** What was refused, blocked or set back is tried again. */
  retry(where: PlaceInFolder): Promise<void>
  /** What the brake or the folder's start holds back may go. */
  accept(where: PlaceInFolder): Promise<void>
  /** What was deleted or replaced there may be removed on the service, however much it is. */
  acceptRemovals(where: PlaceInFolder): Promise<void>
  /** The prompt comes due now, by a person's word; answers the due time that names the run. Resolves when it is recorded. */
  runPrompt(what: { prompt: string }): Promise<{ due_ms: number }>
  /** Nothing new goes out, for so long or until `resume`. */
  pause(what: PauseWish): Promise<void>
  resume(): Promise<void>
  /** Reads the configuration again; resolves when it is in force. Errors: `config.*`, and that of before stays in force. */
  reload(): Promise<Reloaded>
  /** Deliveries of a written run that were given up, or wait, are due now. Resolves when that is recorded. */
  deliverAgain(what: DeliveriesOfRun): Promise<void>
  /** What is ready is compared with the service, from the beginning and without rests. Resolves when that is recorded. */
  audit(): Promise<void>
  /** Something is otherwise than the ledger has it: it is done anew. Resolves when that is recorded. */
  doubt(doubt: Doubt): Promise<void>
  /** Resolves when every folder had its scan and nothing is due or in flight; that may take days. `gone`: who asked has left. */
  idle(gone?: AbortSignal): Promise<void>
}

/** Who wants it for longer wants it until it is resumed. Beyond some 270,000 years there is no date to show. */
export const max_pause_ms = 366 * day_ms

export interface PauseWish {
  /** Who wants it: a name for people. */
  by: string
  why?: string | undefined
  /** At most `max_pause_ms`. */
  for_ms?: number | undefined
}

/** For people, a few words each. */
export interface Reloaded {
  changes: string[]
  at_next_start: string[]
  /** What the unit of systemd does not give to the new configuration, with what to do. */
  unit: string[]
}

export interface DaemonPresence {
  pid: number
  version: string
  /** run: until it is stopped; once: one pass, then it ends by itself. */
  mode: 'run' | 'once'
  /** Nothing can be recorded, or nothing that lasts: who reads the ledger's file does not see it. */
  ledger_fault?: { message: string; hint: string | undefined; since_ms: number }
}

/** A folder by its name, and a file or directory in it; the path '' is the whole folder. */
export interface PlaceInFolder {
  folder: string
  path: string
}

/** A run by the ledger's id, and the names of deliveries of its prompt. */
export interface DeliveriesOfRun {
  run: number
  targets: readonly string[]
}

/** What somebody found to be otherwise than the ledger has it, where no scan and no audit would: it is done anew. */
export type Doubt =
  /** Other bytes under the same size and times: they are read again. */
  | { about: 'bytes'; folder: string; path: string }
  /** A label that was attached is not there: it is attached again. `content` is the ledger's id. */
  | { about: 'label'; content: number; label: string }

export function factsOfDoubt(doubt: Doubt, now_ms: number): Fact[] {
  if (doubt.about === 'bytes') {
    const { folder, path } = doubt
    return [{ type: 'file_changed', folder, path, not_before_ms: now_ms }]
  }
  const { content, label } = doubt
  return [
    { type: 'label_detached', content, name: label },
    { type: 'labels_set_back', content, not_before_ms: now_ms },
  ]
}
