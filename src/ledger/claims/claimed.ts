export interface Claimed<Work> {
  work: Work[]
  /**
   * Due time of the next item that is not due yet, Unix ms; undefined without one. It is the
   * present time if the claim stopped before it had examined all rows.
   */
  next_due_ms: number | undefined
}
