/** Contents by the ledger's ids, a bit for each: a million of them take what a thousand objects take. */
export class ContentSet {
  #bits = new Uint8Array(1_024)
  size = 0

  /** False where it is in it already. */
  add(content: number): boolean {
    const at = Math.floor(content / 8)
    if (at >= this.#bits.length) this.#grow(at + 1)
    const bit = 1 << (content % 8)
    if ((this.#bits[at]! & bit) !== 0) return false
    this.#bits[at]! |= bit
    this.size++
    return true
  }

  has(content: number): boolean {
    return ((this.#bits[Math.floor(content / 8)] ?? 0) & (1 << (content % 8))) !== 0
  }

  #grow(least: number): void {
    const bits = new Uint8Array(Math.max(least, this.#bits.length * 2))
    bits.set(this.#bits)
    this.#bits = bits
  }
}
