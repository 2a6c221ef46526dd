export interface Claimed<Work> {
  work: Work[]
  /** When the next item that is not due yet will be; undefined when there is none. */
  next_due_ms: number | undefined
}
