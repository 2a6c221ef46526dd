import { second_ms } from '../../base/time/time.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import type { Moved } from '../../sync/upload/flights.ts'
import { costRange, type Range } from './cost-range.ts'

/** How far a pass is. `sent` includes `done`. */
export interface PassAmounts {
  total: Amount
  /** Files that the pass does not wait for any more. */
  done: Amount
  /** Files that the service needs no more bytes of. */
  sent: Amount
  /** Files of which some bytes may have gone. */
  sending: Amount
  /** The part of them that has gone; undefined if another process sends them. */
  moved?: Moved | undefined
}

/** A shorter pass needs no figure, and the number of parallel calls is found in this time. */
const min_elapsed_ms = 5 * second_ms
/** The last answers come when they come, and no rate predicts them. */
const min_left_ms = 5 * second_ms
const min_left_share = 0.03
/** Nine tenths of the pass at most are left, even if they take longer than the range says. */
const max_times_elapsed = 9 / 1.3
/** By its own range, a shown figure is off by this factor at most. */
const max_off = 2

const nothing: Moved = { files: 0, bytes: 0, count: 0, largest_left_bytes: 0 }

/**
 * Estimates how long a pass still takes, from what was measured since its begin. Undefined where
 * that allows very different answers: then a figure would be a guess.
 */
export class TimeLeft {
  readonly #uploads = new Progress()
  readonly #ends = new Progress()

  /** Milliseconds. Call it at the begin, and then regularly. */
  estimate({ total, done, sent, sending, moved }: PassAmounts, at_ms: number): number | undefined {
    const gone = moved ?? nothing
    const unseen_bytes = moved ? 0 : sending.bytes
    const reading_bytes = sent.bytes - done.bytes
    const elapsed_ms = this.#uploads.add({ at_ms, ...plus(sent, gone), unseen_bytes })
    this.#ends.add({ at_ms, ...plus(done, gone), unseen_bytes: unseen_bytes + reading_bytes })
    if (elapsed_ms < min_elapsed_ms) return undefined
    // The slower of the two decides: the uploads, or the service that reads what it has.
    const ranges = [this.#uploads.rangeOf(total), this.#ends.rangeOf(total)]
    const [low, likely, high] = (['low', 'likely', 'high'] as const).map((bound) =>
      Math.max(...ranges.map((range) => range?.[bound] ?? Number.POSITIVE_INFINITY)),
    ) as [number, number, number]
    const longest_ms = Math.max(high, this.#uploads.largestLeft(gone.largest_left_bytes))
    if (longest_ms > Math.min(max_times_elapsed * elapsed_ms, max_off * likely)) return undefined
    const is_end = likely < Math.max(min_left_ms, min_left_share * elapsed_ms)
    return is_end || likely > max_off * low ? undefined : likely
  }
}

/** A progress at one time. `count`: large files under way. */
interface Mark extends Amount {
  at_ms: number
  unseen_bytes: number
  count: number
}

function plus({ files, bytes }: Amount, gone: Moved): Amount & { count: number } {
  return { files: files + gone.files, bytes: bytes + gone.bytes, count: gone.count }
}

/** A mark is kept after this share of the time until then: a pass of days needs a thousand. */
const kept_share = 1 / 64
/** Begins of the measured parts, as shares of the time until now. */
const cuts = [0, 1 / 2, 3 / 4, 7 / 8]
/** All parts, or the newest if older ones do not fit, such as slow first seconds. */
const choices = [0, 1, 2]

class Progress {
  readonly #kept: Mark[] = []
  #last!: Mark

  /** Returns the time since the first mark. */
  add(mark: Mark): number {
    this.#last = mark
    const elapsed_ms = mark.at_ms - (this.#kept[0] ?? mark).at_ms
    const rest_ms = mark.at_ms - (this.#kept.at(-1)?.at_ms ?? Number.NEGATIVE_INFINITY)
    if (rest_ms > kept_share * elapsed_ms) this.#kept.push(mark)
    return elapsed_ms
  }

  rangeOf(total: Amount): Range | undefined {
    const { files, bytes, unseen_bytes } = this.#last
    const rest = { files: total.files - files, bytes: total.bytes - bytes }
    const marks = [...cuts.map((share) => this.#at(share)), this.#last]
    const parts = marks.slice(1).map((to, at) => between(marks[at]!, to))
    for (const from of choices) {
      const range = costRange(parts.slice(from), rest, unseen_bytes)
      if (range) return range
    }
    return undefined
  }

  /** The time of the largest file under way if it goes no faster than it went beside others. */
  largestLeft(left_bytes: number): number {
    const from = this.#at(cuts.at(-1)!)
    const since = this.#kept.filter(({ at_ms }) => at_ms >= from.at_ms)
    const count = Math.max(...since.map((mark) => mark.count))
    const ms = this.#last.at_ms - from.at_ms
    return left_bytes > 0 ? (left_bytes * count * ms) / (this.#last.bytes - from.bytes) : 0
  }

  #at(share: number): Mark {
    const began_ms = this.#kept[0]!.at_ms
    const at_ms = began_ms + share * (this.#last.at_ms - began_ms)
    return this.#kept.findLast((mark) => mark.at_ms <= at_ms)!
  }
}

function between(from: Mark, to: Mark) {
  const bytes = to.bytes - from.bytes
  return {
    ms: to.at_ms - from.at_ms,
    files: Math.max(0, to.files - from.files),
    bytes: Math.max(0, bytes - from.unseen_bytes),
    unseen_bytes: Math.min(bytes, from.unseen_bytes) + to.unseen_bytes,
  }
}
