import { type Clock, minute_ms } from '../base/time/time.ts'
import type { DeliveryTarget } from '../deliver/target.ts'

/** `every_file`: the service is asked to read each file of the scope whole. */
export type Reading = 'search' | 'every_file'

/** One prompt of the config: complete, checked and frozen. */
export interface PromptSettings {
  readonly name: string
  readonly project_id: string
  readonly schedule: Schedule
  /** Template, see template.ts. */
  readonly prompt: string
  readonly intelligence: 'auto' | 'fast' | 'expert' | 'research'
  readonly provider: string | undefined
  readonly skills: readonly string[]
  readonly public_data: boolean | undefined
  /** How the files of the scope are read; undefined: whole, where the service can do that. */
  readonly read: Reading | undefined
  /** Language of the words that Sluice itself writes into the report. */
  readonly language: 'en' | 'de'
  readonly scope: PromptScope
  readonly first_run: 'from_now' | 'all'
  readonly when_nothing_new: 'skip' | 'run'
  readonly wait_for_files_ms: number
  readonly max_assets: number
  readonly when_too_many: 'next_run' | 'more_turns'
  readonly continue_chat: boolean
  readonly catch_up_ms: number
  readonly overlap: 'skip' | 'queue'
  /** Place of the report: the first `file` delivery, or a directory in the state directory. */
  readonly report: { readonly dir: string; readonly file_name: string }
  /** All other deliveries. */
  readonly deliver: readonly DeliveryTarget[]
}

export interface Schedule {
  /** Cron expression with five fields. */
  readonly cron: string
  /** IANA name of the time zone. */
  readonly timezone: string
}

export interface PromptScope {
  /** Names of watched folders, all in the prompt's project; empty if it asks about no files. */
  readonly folders: readonly string[]
  /** Patterns as in .gitignore, relative to the folder; empty: every file. */
  readonly paths: readonly string[]
  /** Contents in no written report, all, or those since `within_ms` before the due time. */
  readonly fresh: 'since_last_run' | 'all' | { readonly within_ms: number }
  /** Label names. */
  readonly labels: readonly string[]
  readonly chats: readonly string[]
  readonly concepts: readonly string[]
  readonly projects: readonly string[]
  readonly views: readonly string[]
}

/** Limits for waiting; the same for all prompts. */
export interface AskingLimits {
  /** Pause between two reads of an answer: first and maximum. */
  readonly first_ms: number
  readonly max_ms: number
  /** Maximum time for an answer, by `intelligence`. */
  readonly deadline_ms: Readonly<Record<PromptSettings['intelligence'], number>>
  /** Time to search the service for a turn with unknown result, before it is sent once more. */
  readonly find_turn_ms: number
  /** Pause between retries of a delivery: first and maximum, and the time after which they end. */
  readonly deliver_first_ms: number
  readonly max_deliver_ms: number
  readonly deliver_give_up_ms: number
}

/** Minimum time in this process, whatever the wall clock says about earlier ones. */
const min_ms = minute_ms

/**
 * Time left for something that began at a wall clock time, perhaps in an earlier process. From then
 * on the monotonic clock counts, so that setting the wall clock neither ends the wait nor makes it
 * endless.
 */
export class Patience {
  readonly #clock: Clock
  readonly #end_ms: number

  constructor(clock: Clock, began_ms: number, max_ms: number) {
    const passed_ms = Math.max(0, clock.now_ms() - began_ms)
    this.#clock = clock
    this.#end_ms = clock.monotonic_ms() + Math.max(max_ms - passed_ms, Math.min(max_ms, min_ms))
  }

  left_ms(): number {
    return Math.max(0, this.#end_ms - this.#clock.monotonic_ms())
  }

  isOver(): boolean {
    return this.left_ms() <= 0
  }
}
