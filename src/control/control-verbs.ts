import { day_ms } from '../base/time/time.ts'
import type { Fact, UserFact } from '../domain/fact.ts'
import type { Told } from '../domain/source-read.ts'

/** The verbs of a running daemon. Both ends of the socket implement this interface. */
export interface ControlVerbs {
  ping(): Promise<DaemonPresence>
  /** Orders a scan of one folder; of all without a name. Resolves before the scan has ended. */
  rescan(where: { folder?: string | undefined }): Promise<void>
  /** Tries files again that are refused, blocked, deferred, or removed on the service. */
  retry(where: PlaceInFolder): Promise<void>
  /**
   * Releases files held by the upload limit or for their type, or skipped by `start` of the folder.
   * For a whole folder it also accepts that its project was emptied. If missing files wait for a
   * user, it only confirms their deletion. A `path` such as `*.gz` accepts a type in its project.
   */
  accept(where: PlaceInFolder): Promise<void>
  /** Allows removals on the service of all that was deleted or replaced here until now. */
  acceptRemovals(where: PlaceInFolder): Promise<void>
  /** Makes the prompt due now and records it. Returns the due time, which identifies the run. */
  runPrompt(what: { prompt: string }): Promise<{ due_ms: number }>
  /** Begins no upload, label, removal, question or report delivery until the end or `resume`. */
  pause(what: PauseWish): Promise<void>
  resume(): Promise<void>
  /** Reads the configuration again and puts it in force. After an error the earlier one stays. */
  reload(): Promise<Reloaded>
  /** Makes the named deliveries of a report due now, unless they are done, and records it. */
  deliverAgain(what: DeliveriesOfRun): Promise<void>
  /** Orders an audit of all ready files, faster than usual. Resolves when it is recorded. */
  audit(): Promise<void>
  /** Orders the repetition of work that the ledger wrongly calls done, and records it. */
  doubt(doubt: Doubt): Promise<void>
  /** Asks once. The token stays in the daemon. After `gone`, the answer stays in the chat. */
  ask(question: AskedQuestion, gone?: AbortSignal): Promise<AskAnswer>
  /** Resolves when no scan runs and no work is due within a minute. `gone`: caller disconnected. */
  idle(gone?: AbortSignal): Promise<void>
}

/** A question over ready files, or over the whole project. */
export interface AskedQuestion {
  text: string
  /** Absent: all of them. An empty list has no file, and nothing is asked. */
  folders?: readonly string[] | undefined
  /** Patterns as in .gitignore, relative to a folder. */
  paths: readonly string[]
  labels: readonly string[]
  /** Only files that became ready within this time. */
  within_ms?: number | undefined
  /** The chat to go on in; absent: a new one. */
  chat_id?: string | undefined
  /** Folders of the files whose names the answer may tell; absent: all. */
  sees?: readonly string[] | undefined
}

/**
 * `sources`: the files in scope, and others that the answer names and that are deleted on disk
 * (absent: not known). The files that the answer names come first. `left_out`: number of
 * files that were not asked about, because their names on the service are of folders not in `sees`.
 */
export interface AskAnswer {
  chat_id: string
  answer: string
  /** A doubt about the answer; null without one. */
  note: string | null
  sources: ({ name: string; asset_id: string; is_deleted?: boolean } & AskedTold)[]
  /** Calls of a model; null: the service does not say it. */
  calls?: number | null
  left_out?: number
}

/** An answer that an earlier version kept has only `is_named`. */
type AskedTold = Pick<Told, 'is_named'> & Partial<Told>

export const max_pause_ms = 366 * day_ms

export interface PauseWish {
  /** Name of the user who pauses, for messages. */
  by: string
  why?: string | undefined
  /** At most `max_pause_ms`; absent: until `resume`. */
  for_ms?: number | undefined
}

/** Effects of a reload, in a few words each: in force now, or only at the next start. */
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
  /** Why nothing can be recorded durably; absent: it can. The ledger file does not show it. */
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

const verbs = { accepted: 'accept', retried: 'retry', removals_accepted: 'acceptRemovals' } as const

export async function passFacts(control: ControlVerbs, facts: readonly UserFact[]): Promise<void> {
  for (const { type, folder, path } of facts) await control[verbs[type]]({ folder, path })
}

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
