import type { Sqlite } from '../base/sqlite.ts'
import { day_ms, hour_ms } from '../base/time.ts'

/** The last two by the id of a folder: what was removed on the service without a person's word, and of that what was deleted here. */
export type Used = 'wanted' | 'sent' | `removed in ${number}` | `deleted in ${number}`

interface Sum {
  what: Used
  hour_ms: number
  files: number
  bytes: number
}

/** Rolling sums by the hour: what the brake and the limits look at. Kept for a week, for people. */
export class Usage {
  readonly #add
  readonly #since
  readonly #trim
  /** Not in the table yet: a first look adds a hundred thousand times to one row. */
  readonly #gathered = new Map<string, Sum>()
  /** The one that was added to last: a key takes longer to make than the sum. */
  #last: Sum | undefined

  /** What was asked last of each: the brake asks for every new file. */
  readonly #sums = new Map<Used, { files: number; bytes: number; first_hour_ms: number }>()

  constructor(database: Sqlite) {
    this.#add = database.prepare(
      `INSERT INTO usage (what, hour_ms, files, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT (what, hour_ms) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
    )
    this.#since = database.prepare(
      'SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM usage WHERE what = ? AND hour_ms > ?',
    )
    this.#trim = database.prepare('DELETE FROM usage WHERE hour_ms < ?')
  }

  add(what: Used, bytes: number, at_ms: number): void {
    const began_ms = Math.floor(at_ms / hour_ms) * hour_ms
    const known = this.#sums.get(what)
    if (known && began_ms >= known.first_hour_ms) {
      known.files += 1
      known.bytes += bytes
    }
    const sum = this.#gatheredOf(what, began_ms)
    sum.files += 1
    sum.bytes += bytes
  }

  #gatheredOf(what: Used, hour_ms: number): Sum {
    if (this.#last?.what === what && this.#last.hour_ms === hour_ms) return this.#last
    const key = `${what} ${hour_ms}`
    this.#last = this.#gathered.get(key) ?? { what, hour_ms, files: 0, bytes: 0 }
    this.#gathered.set(key, this.#last)
    return this.#last
  }

  /** Inside the transaction, before it commits. What was summed up stays true: it counts what is gathered with what is kept. */
  flush(): void {
    for (const { what, hour_ms, files, bytes } of this.#gathered.values()) this.#add.run(what, hour_ms, files, bytes)
    this.#gathered.clear()
    this.#last = undefined
  }

  /** After a rollback. */
  forget(): void {
    this.#gathered.clear()
    this.#last = undefined
    this.#sums.clear()
  }

  /** Sum of the hours that began less than `span_ms` before `at_ms`. */
  over(what: Used, span_ms: number, at_ms: number): { files: number; bytes: number } {
    const after_ms = at_ms - span_ms
    const known = this.#sums.get(what)
    // Hours count as a whole: the sum is another one only where the border passed the begin of one.
    if (known?.first_hour_ms === firstHour_ms(after_ms)) return { files: known.files, bytes: known.bytes }
    this.flush()
    const sum = this.#since.get(what, after_ms) as { files: number; bytes: number }
    this.#sums.set(what, { ...sum, first_hour_ms: firstHour_ms(after_ms) })
    return sum
  }

  trim(at_ms: number): void {
    this.#sums.clear()
    this.#trim.run(at_ms - 7 * day_ms)
  }
}

/** The first hour that began after this. */
function firstHour_ms(after_ms: number): number {
  return (Math.floor(after_ms / hour_ms) + 1) * hour_ms
}
