import type { Sqlite } from '../base/sqlite.ts'
import { minute_ms } from '../base/time.ts'

/** What can only be read in folders that are offline or no longer configured is asked about again after this. */
const out_of_reach_ms = 5 * minute_ms
/** How many items are remembered for the return of their folder; the rest come by themselves within five minutes. */
const most_remembered = 10_000

/** Puts work off while its folder is away, and brings it back at once when the folder is. */
export class OutOfReach {
  readonly #contents = new Map<number, number>()
  readonly #paths = new Map<string, { folder: number; path: string; until_ms: number }>()
  readonly #defer_content
  readonly #defer_look
  readonly #return_content
  readonly #return_look

  constructor(database: Sqlite) {
    this.#defer_content = database.prepare('UPDATE contents SET not_before_ms = ? WHERE id = ?')
    this.#defer_look = database.prepare('UPDATE files SET not_before_ms = ? WHERE folder = ? AND path = ?')
    // Only what still waits for that very time: anything newer has its own.
    this.#return_content = database.prepare('UPDATE contents SET not_before_ms = ? WHERE id = ? AND not_before_ms = ?')
    this.#return_look = database.prepare(
      `UPDATE files SET not_before_ms = ? WHERE folder = ? AND path = ? AND not_before_ms = ? AND state IN ('seen', 'blocked')`,
    )
  }

  deferContent(content: number, now_ms: number): void {
    const until_ms = now_ms + out_of_reach_ms
    this.#defer_content.run(until_ms, content)
    if (this.#contents.size < most_remembered) this.#contents.set(content, until_ms)
  }

  deferLook(folder: number, path: string, now_ms: number): void {
    const until_ms = now_ms + out_of_reach_ms
    this.#defer_look.run(until_ms, folder, path)
    if (this.#paths.size < most_remembered) this.#paths.set(`${folder} ${path}`, { folder, path, until_ms })
  }

  /** A folder came back: whatever waits is due now; what is still out of reach is put off again. */
  bringBack(at_ms: number): void {
    for (const [content, until_ms] of this.#contents) this.#return_content.run(at_ms, content, until_ms)
    for (const { folder, path, until_ms } of this.#paths.values()) this.#return_look.run(at_ms, folder, path, until_ms)
    this.#contents.clear()
    this.#paths.clear()
  }
}
