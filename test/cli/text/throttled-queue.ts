import type { PassAmounts } from '../../../src/cli/text/time-left.ts'

export interface Throttle {
  /** Maximum number of calls at once. */
  places: number
  /** Of each request. */
  latency_ms: number
  /** Shared by all transfers. */
  bytes_per_s: number
  /** Of one transfer. */
  bytes_per_s_each: number
  /** Requests to the API by all places. */
  requests_per_minute: number
  /** From `complete` until ready. */
  ingest_ms: number
  /** True: the number of places begins at 4, as that of the uploader does. */
  grows: boolean
}

export const no_throttle: Throttle = {
  places: 16,
  latency_ms: 0,
  bytes_per_s: Number.POSITIVE_INFINITY,
  bytes_per_s_each: Number.POSITIVE_INFINITY,
  requests_per_minute: Number.POSITIVE_INFINITY,
  ingest_ms: 300,
  grows: true,
}

const large_bytes = 2 ** 20
const contents_per_place = 24

interface Flow {
  at: number
  size: number
  /** What each transfer had moved in all when this one began. */
  began_at: number
}

/**
 * The upload queue against a throttled service, on a clock of its own: three calls a file with the
 * uploader's places and order, and one line for all bytes. `see` gets the stand every `every_ms`.
 * Returns the time that all took.
 */
export function playQueue(
  sizes: readonly number[],
  throttle: Throttle,
  every_ms: number,
  see: (stand: PassAmounts, at_ms: number) => void,
): number {
  return new Queue(sizes, throttle).play(every_ms, see)
}

class Queue {
  #now_ms = 0
  #width: number
  #answers = 0
  #epoch_ms = 0
  #busy = 0
  #api_free_ms = 0
  #moved_each = 0
  readonly #flows = new Set<Flow>()
  /** Large files whose bytes have gone, and which are not complete. */
  readonly #moved = new Set<number>()
  readonly #unclaimed: { small: number[]; large: number[] } = { small: [], large: [] }
  readonly #steps: { complete: number[]; put: number[]; create: number[] } = {
    complete: [],
    put: [],
    create: [],
  }
  readonly #due: { api: Due[]; put: Due[]; ingest: Due[] } = { api: [], put: [], ingest: [] }
  readonly #heads = new Map<unknown, number>()
  #in_work = 0
  #large_in_work = 0
  readonly #total = { files: 0, bytes: 0 }
  readonly #sent = { files: 0, bytes: 0 }
  readonly #done = { files: 0, bytes: 0 }
  readonly #sending = { files: 0, bytes: 0 }

  readonly sizes: readonly number[]
  readonly throttle: Throttle

  constructor(sizes: readonly number[], throttle: Throttle) {
    this.sizes = sizes
    this.throttle = throttle
    this.#width = throttle.grows ? Math.min(4, throttle.places) : throttle.places
    sizes.forEach((size, at) => {
      this.#unclaimed[size > large_bytes ? 'large' : 'small'].push(at)
      this.#total.files++
      this.#total.bytes += size
    })
  }

  play(every_ms: number, see: (stand: PassAmounts, at_ms: number) => void): number {
    let seen_ms = 0
    while (this.#done.files < this.#total.files) {
      this.#begin()
      const next_ms = this.#nextAt()
      while (seen_ms <= next_ms && seen_ms < Number.MAX_SAFE_INTEGER) {
        this.#moveTo(seen_ms)
        see(this.#stand(), seen_ms)
        seen_ms += every_ms
      }
      this.#moveTo(next_ms)
      this.#end()
    }
    return this.#now_ms
  }

  #begin(): void {
    this.#claim()
    const at_once = Math.min(this.throttle.places, Math.max(this.#width, this.#large_in_work + 1))
    for (const step of ['complete', 'put', 'create'] as const) {
      while (this.#busy < at_once) {
        const at = this.#take(this.#steps[step])
        if (at === undefined) break
        this.#busy++
        if (step === 'put')
          this.#due.put.push({ at, step, due_ms: this.#now_ms + this.throttle.latency_ms })
        else {
          const start_ms = Math.max(this.#now_ms, this.#api_free_ms)
          this.#api_free_ms = start_ms + 60_000 / this.throttle.requests_per_minute
          this.#due.api.push({ at, step, due_ms: start_ms + this.throttle.latency_ms })
        }
      }
    }
  }

  #claim(): void {
    const { small, large } = this.#unclaimed
    while (this.#in_work < this.#width * contents_per_place) {
      const may_large = this.#large_in_work < Math.max(1, this.#width - 1)
      const [s, l] = [this.#peek(small), may_large ? this.#peek(large) : undefined]
      const is_large = l !== undefined && (s === undefined || l < s)
      const at = this.#take(is_large ? large : small)
      if (at === undefined) return
      this.#in_work++
      if (is_large) this.#large_in_work++
      this.#steps.create.push(at)
    }
  }

  #rate(): number {
    const { bytes_per_s, bytes_per_s_each } = this.throttle
    return Math.min(bytes_per_s / Math.max(1, this.#flows.size), bytes_per_s_each) / 1_000
  }

  #nextAt(): number {
    let next_ms = Number.POSITIVE_INFINITY
    for (const list of Object.values(this.#due))
      next_ms = Math.min(next_ms, this.#peek(list)?.due_ms ?? next_ms)
    for (const { size, began_at } of this.#flows) {
      const left = began_at + size - this.#moved_each
      next_ms = Math.min(next_ms, this.#now_ms + Math.max(0, left) / this.#rate())
    }
    return next_ms
  }

  #moveTo(at_ms: number): void {
    if (this.#flows.size > 0 && at_ms > this.#now_ms) {
      const rate = this.#rate()
      this.#moved_each = Number.isFinite(rate)
        ? this.#moved_each + rate * (at_ms - this.#now_ms)
        : 0
    }
    this.#now_ms = Math.max(this.#now_ms, at_ms)
  }

  #end(): void {
    for (const { at, step } of this.#dueNow(this.#due.api)) {
      this.#answered()
      if (step === 'create') {
        this.#sending.files++
        this.#sending.bytes += this.sizes[at]!
        this.#steps.put.push(at)
      } else {
        this.#in_work--
        this.#moved.delete(at)
        if (this.sizes[at]! > large_bytes) this.#large_in_work--
        this.#sending.files--
        this.#sending.bytes -= this.sizes[at]!
        this.#sent.files++
        this.#sent.bytes += this.sizes[at]!
        this.#due.ingest.push({ at, step, due_ms: this.#now_ms + this.throttle.ingest_ms })
      }
    }
    for (const { at } of this.#dueNow(this.#due.put)) {
      this.#flows.add({ at, size: this.sizes[at]!, began_at: this.#moved_each })
    }
    for (const flow of this.#flows) {
      const left = flow.began_at + flow.size - this.#moved_each
      if (left > 1e-3 && Number.isFinite(this.#rate())) continue
      this.#flows.delete(flow)
      this.#answered()
      if (flow.size > large_bytes) this.#moved.add(flow.at)
      this.#steps.complete.push(flow.at)
    }
    for (const { at } of this.#dueNow(this.#due.ingest)) {
      this.#done.files++
      this.#done.bytes += this.sizes[at]!
    }
  }

  #answered(): void {
    this.#busy--
    this.#answers++
    if (this.#now_ms - this.#epoch_ms < 500 || this.#answers < 2 * this.#width) return
    this.#width = Math.min(this.throttle.places, this.#width * 2)
    this.#answers = 0
    this.#epoch_ms = this.#now_ms
  }

  #stand(): PassAmounts {
    const moved = { files: 0, bytes: 0, count: 0, largest_left_bytes: 0 }
    for (const { size, began_at } of this.#flows) {
      if (size <= large_bytes) continue
      const bytes = Math.min(size, this.#moved_each - began_at)
      moved.files += bytes / size
      moved.bytes += bytes
      moved.count++
      moved.largest_left_bytes = Math.max(moved.largest_left_bytes, size - bytes)
    }
    for (const at of this.#moved) {
      moved.files++
      moved.bytes += this.sizes[at]!
      moved.count++
    }
    return {
      done: { ...this.#done },
      sent: { ...this.#sent },
      total: { ...this.#total },
      sending: { ...this.#sending },
      moved,
    }
  }

  #peek<Item>(list: Item[]): Item | undefined {
    return list[this.#heads.get(list) ?? 0]
  }

  #take<Item>(list: Item[]): Item | undefined {
    const head = this.#heads.get(list) ?? 0
    if (head < list.length) this.#heads.set(list, head + 1)
    return list[head]
  }

  #dueNow(list: Due[]): Due[] {
    const due: Due[] = []
    for (
      let first = this.#peek(list);
      first && first.due_ms <= this.#now_ms + 1e-6;
      first = this.#peek(list)
    ) {
      due.push(this.#take(list)!)
    }
    return due
  }
}

interface Due {
  at: number
  step: 'create' | 'put' | 'complete'
  due_ms: number
}
