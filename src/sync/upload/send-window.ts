/** First number of parallel calls: enough to measure a slow line, low enough for any service. */
const first_width = 4
/** Time to measure a rate; long enough for some answers of a distant service. */
const epoch_ms = 500
/** Answers per place needed to trust a rate. */
const answers_per_place = 2
/** Minimum gain. Less is noise, and not worth a connection. */
const worth_it = 1.05
/** Epochs until more calls are tried: first and maximum; doubled by a try without gain. */
const patience = { first: 10, max: 160 }
/** Refusals within this time concern calls made together, and count once. */
const one_burst_ms = 1_000

interface Measured {
  width: number
  rate: number
}

/**
 * Finds the best number of parallel calls while sending. It grows while that increases the rate,
 * and halves when the service or the network is overloaded. Pure: times are parameters, monotonic,
 * in milliseconds.
 */
export function createSendWindow(max: number) {
  let now_width = Math.min(first_width, max)
  /** Measurement before the last growth; undefined while no growth is tried. */
  let before: Measured | undefined
  let doubles = true
  let is_trying = true
  let patience_epochs = patience.first
  let quiet_epochs = 0
  let began_ms: number | undefined
  let work_done = 0
  let answers = 0
  let waited = 0
  let slowed_ms = Number.NEGATIVE_INFINITY

  function judge(rate: number): void {
    if (!is_trying) {
      if (++quiet_epochs >= patience_epochs) grow(rate)
    } else if (!before || rate >= before.rate * worth_it) {
      if (before) patience_epochs = patience.first
      grow(rate)
    } else {
      now_width = before.width
      patience_epochs = Math.min(patience_epochs * 2, patience.max)
      rest()
    }
  }

  function grow(rate: number): void {
    before = { width: now_width, rate }
    const more = doubles ? now_width : Math.ceil(now_width / 4)
    now_width = Math.min(max, now_width + more)
    is_trying = now_width > before.width
    quiet_epochs = 0
  }

  function rest(): void {
    before = undefined
    doubles = false
    is_trying = false
    quiet_epochs = 0
  }

  function restart(now_ms: number | undefined): void {
    began_ms = now_ms
    work_done = 0
    answers = 0
    waited = 0
  }

  return {
    get width(): number {
      return now_width
    },
    /** Counts an answered call. `work`: result in any unit. `others_wait`: other calls wait. */
    answered(work: number, others_wait: boolean, now_ms: number): void {
      began_ms ??= now_ms
      work_done += work
      answers++
      if (others_wait) waited++
      const elapsed_ms = now_ms - began_ms
      if (elapsed_ms < epoch_ms || answers < now_width * answers_per_place) return
      // A window that was not full shows nothing.
      if (waited > answers / 2) judge(work_done / elapsed_ms)
      restart(now_ms)
    },
    /** Halves the window, once per burst: after 429, 503 or a time-out. */
    slowDown(now_ms: number): void {
      if (now_ms - slowed_ms < one_burst_ms) return
      slowed_ms = now_ms
      now_width = Math.max(1, Math.floor(now_width / 2))
      rest()
      restart(undefined)
    },
  }
}
