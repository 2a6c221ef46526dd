import { type Clock, minute_ms } from '../base/time/time.ts'
import type { DeliveryTarget } from '../deliver/target.ts'

/** One prompt as the config has it: complete, checked and frozen. */
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
  readonly scope: PromptScope
  readonly first_run: 'from_now' | 'all'
  readonly when_nothing_new: 'skip' | 'run'
  readonly wait_for_files_ms: number
  readonly max_assets: number
  readonly when_too_many: 'next_run' | 'more_turns'
  readonly continue_chat: boolean
  readonly catch_up_ms: number
  readonly overlap: 'skip' | 'queue'
  /** Where the report is written: the first `file` delivery, else a directory in the state directory. */
  readonly report: { readonly dir: string; readonly file_name: string }
  /** The others. */
  readonly deliver: readonly DeliveryTarget[]
}

export interface Schedule {
  /** Five fields. */
  readonly cron: string
  /** IANA name. */
  readonly timezone: string
}

export interface PromptScope {
  /** Names of watched folders, all of the prompt's project; empty when it asks about no files. */
  readonly folders: readonly string[]
  /** Patterns as in .gitignore, relative to the folder; empty: every file. */
  readonly paths: readonly string[]
  /** `since_last_run`: what no written run told. `all`: everything. Else: what arrived in so long a time before the due time. */
  readonly fresh: 'since_last_run' | 'all' | { readonly within_ms: number }
  /** By name. */
  readonly labels: readonly string[]
  readonly chats: readonly string[]
  readonly concepts: readonly string[]
  readonly projects: readonly string[]
  readonly views: readonly string[]
}

/** How patiently answers are waited for; the same for all prompts. */
export interface AskingLimits {
  /** Between two looks for an answer: at first, and at the most. */
  readonly first_ms: number
  readonly most_ms: number
  /** How long an answer may take, by intelligence. */
  readonly deadline_ms: Readonly<Record<PromptSettings['intelligence'], number>>
  /** How long a turn whose fate is unknown is looked for on the service before it is sent once more. */
  readonly look_for_ms: number
  /** Deliveries: tried again from first to most, given up after so long. */
  readonly deliver_first_ms: number
  readonly deliver_most_ms: number
  readonly deliver_give_up_ms: number
}

/** What goes on in this life of the daemon has at least this long, whatever the wall clock says about the lives before. */
const least_ms = minute_ms

/**
 * How long something that began at a time of the wall clock, perhaps in an earlier life of the daemon, may still take. From
 * here on the monotonic clock counts: a wall clock that is set neither cuts the wait to nothing nor makes it endless.
 */
export class Patience {
  readonly #clock: Clock
  readonly #end_ms: number

  constructor(clock: Clock, began_ms: number, most_ms: number) {
    const passed_ms = Math.max(0, clock.now_ms() - began_ms)
    this.#clock = clock
    this.#end_ms = clock.monotonic_ms() + Math.max(most_ms - passed_ms, Math.min(most_ms, least_ms))
  }

  left_ms(): number {
    return Math.max(0, this.#end_ms - this.#clock.monotonic_ms())
  }

  isOver(): boolean {
    return this.left_ms() <= 0
  }
}
