/**
 * The elements that are open, and whether the present one is left out with its content. A program
 * writes an element again in a form for older ones (`AlternateContent`): the first form counts.
 */
export class ElementPath {
  readonly #names: string[] = []
  /** The number of open elements at the one that is left out. */
  #left_out_at = 0
  /** For each `AlternateContent` that is open, whether one of its forms was taken. */
  readonly #is_taken = [false]

  /** The innermost element. */
  get last(): string {
    return this.#names.at(-1) ?? ''
  }

  /** Opens an element. False if it is left out. */
  open(name: string): boolean {
    this.#names.push(name)
    if (this.#left_out_at > 0) return false
    if (name === 'AlternateContent') this.#is_taken.push(false)
    if (name !== 'Choice' && name !== 'Fallback') return true
    if (this.#is_taken.at(-1)) this.leaveOut()
    this.#is_taken[this.#is_taken.length - 1] = true
    return this.#left_out_at === 0
  }

  /** Leaves out the innermost element. */
  leaveOut(): void {
    this.#left_out_at = this.#names.length
  }

  /** Closes an element. False if it was left out. */
  close(name: string): boolean {
    const depth = this.#names.length
    this.#names.pop()
    if (this.#left_out_at > 0) {
      if (depth === this.#left_out_at) this.#left_out_at = 0
      return false
    }
    if (name === 'AlternateContent') this.#is_taken.pop()
    return true
  }

  /** Whether the elements around the innermost one are these, from the outside. */
  isIn(...names: readonly string[]): boolean {
    const from = this.#names.length - 1 - names.length
    return names.every((name, at) => this.#names[from + at] === name)
  }

  /** Whether a text here is that of the element. */
  isTextOf(name: string): boolean {
    return this.#left_out_at === 0 && this.last === name
  }
}
