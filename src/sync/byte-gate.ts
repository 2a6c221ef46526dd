/** Bounds the bytes that are held in memory at once; who comes first goes first. */
export class ByteGate {
  readonly #most: number
  readonly #waiting: { bytes: number; enter: () => void }[] = []
  #held = 0

  constructor(most_bytes: number) {
    this.#most = most_bytes
  }

  /** What alone is larger than all that may be held goes alone. `leave` must follow. */
  async enter(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>((enter) => this.#waiting.push({ bytes, enter }))
    else this.#held += bytes
  }

  leave(bytes: number): void {
    this.#held -= bytes
    for (let first = this.#waiting[0]; first && this.#fits(first.bytes); first = this.#waiting[0]) {
      this.#waiting.shift()
      this.#held += first.bytes
      first.enter()
    }
  }

  #fits(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#most
  }
}
