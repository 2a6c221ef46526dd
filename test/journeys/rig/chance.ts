/** Random numbers of a seed: the same seed gives the same numbers on every machine. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  /** True once in this many calls, on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)]
  }

  /** Picks an item; its weight is its relative frequency. */
  weighted<Item extends { weight: number }>(items: readonly Item[]): Item {
    let left = this.below(items.reduce((sum, { weight }) => sum + weight, 0))
    for (const item of items) {
      left -= item.weight
      if (left < 0) return item
    }
    throw new Error('nothing to draw from')
  }

  /** The generator Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
