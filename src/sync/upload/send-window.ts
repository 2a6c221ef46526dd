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
export function createSendWindow(most: number) {
  let now_width = Math.min(first_width, most)
  /** Before the last growth; undefined while nothing is tried. */
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
      patience_epochs = Math.min(patience_epochs * 2, patience.most)
      rest()
    }
  }

  function grow(rate: number): void {
    before = { width: now_width, rate }
    const more = doubles ? now_width : Math.ceil(now_width / 4)
    now_width = Math.min(most, now_width + more)
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
    /** A call was answered; `work` is what it brought through, in any unit; `others_wait`: more could have been out. */
    answered(work: number, others_wait: boolean, now_ms: number): void {
      began_ms ??= now_ms
      work_done += work
      answers++
      if (others_wait) waited++
      const elapsed_ms = now_ms - began_ms
      if (elapsed_ms < epoch_ms || answers < now_width * answers_per_place) return
      // Of a width that was not used up nothing is learnt.
      if (waited > answers / 2) judge(work_done / elapsed_ms)
      restart(now_ms)
    },
    /** Halves, once a burst: 429, 503 or a time-out. */
    slowDown(now_ms: number): void {
      if (now_ms - slowed_ms < one_burst_ms) return
      slowed_ms = now_ms
      now_width = Math.max(1, Math.floor(now_width / 2))
      rest()
      restart(undefined)
    },
  }
}
