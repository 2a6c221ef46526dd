import type { LargeLimit } from './ledger.ts'

/** How large the contents of one round of claims may still be: of large ones so many, then none. */
export class SizesLeft {
  readonly #over_bytes: number
  #left: number

  constructor(large: LargeLimit | undefined) {
    this.#over_bytes = large?.over_bytes ?? Number.MAX_SAFE_INTEGER
    this.#left = large?.most ?? 0
  }

  /** Bytes; what has more is left for another round. */
  get up_to(): number {
    return this.#left > 0 ? Number.MAX_SAFE_INTEGER : this.#over_bytes
  }

  take(bytes: number): void {
    if (bytes > this.#over_bytes) this.#left--
  }
}
