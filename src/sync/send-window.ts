/** The first width: enough for a line over the ocean to show what more would bring, little enough for any service. */
const first_width = 4
/** Long enough to hold some answers of a distant service. */
const epoch_ms = 500
/** So many answers for each place before a rate is believed. */
const answers_per_place = 2
/** Less than this is the noise of a line, and not worth a connection. */
const worth_it = 1.05
/** Epochs until more is tried once again, at first and at most; after each try that was in vain twice as many. */
const patience = { first: 10, most: 160 }
/** What is refused at once was asked for at once: one answer says all. */
const one_burst_ms = 1_000

interface Measured {
  width: number
  rate: number
}

/**
 * How many calls are out at once: one number, found out while sending. It grows while that brings more through, and halves when
 * the service or the line says that it is too much. Pure: times are handed in, `monotonic`, in milliseconds.
 */
export class SendWindow {
  readonly #most: number
  #width: number
  /** Before the last growth; undefined while nothing is tried. */
  #before: Measured | undefined
  #doubles = true
  #tries = true
  #patience = patience.first
  #quiet_epochs = 0
  #began_ms: number | undefined
  #work = 0
  #answers = 0
  #waited = 0
  #slowed_ms = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.#most = most
    this.#width = Math.min(first_width, most)
  }

  get width(): number {
    return this.#width
  }

  /** A call was answered; `work` is what it brought through, in any unit; `others_wait`: more could have been out. */
  answered(work: number, others_wait: boolean, now_ms: number): void {
    this.#began_ms ??= now_ms
    this.#work += work
    this.#answers++
    if (others_wait) this.#waited++
    const elapsed_ms = now_ms - this.#began_ms
    if (elapsed_ms < epoch_ms || this.#answers < this.#width * answers_per_place) return
    // Of a width that was not used up nothing is learnt.
    if (this.#waited > this.#answers / 2) this.#judge(this.#work / elapsed_ms)
    this.#restart(now_ms)
  }

  /** Halves, once a burst: 429, 503 or a time-out. */
  slowDown(now_ms: number): void {
    if (now_ms - this.#slowed_ms < one_burst_ms) return
    this.#slowed_ms = now_ms
    this.#width = Math.max(1, Math.floor(this.#width / 2))
    this.#rest()
    this.#restart(undefined)
  }

  #judge(rate: number): void {
    const before = this.#before
    if (!this.#tries) {
      if (++this.#quiet_epochs >= this.#patience) this.#grow(rate)
    } else if (!before || rate >= before.rate * worth_it) {
      if (before) this.#patience = patience.first
      this.#grow(rate)
    } else {
      this.#width = before.width
      this.#patience = Math.min(this.#patience * 2, patience.most)
      this.#rest()
    }
  }

  #grow(rate: number): void {
    this.#before = { width: this.#width, rate }
    const more = this.#doubles ? this.#width : Math.ceil(this.#width / 4)
    this.#width = Math.min(this.#most, this.#width + more)
    this.#tries = this.#width > this.#before.width
    this.#quiet_epochs = 0
  }

  #rest(): void {
    this.#before = undefined
    this.#doubles = false
    this.#tries = false
    this.#quiet_epochs = 0
  }

  #restart(now_ms: number | undefined): void {
    this.#began_ms = now_ms
    this.#work = 0
    this.#answers = 0
    this.#waited = 0
  }
}
