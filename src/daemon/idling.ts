/** Many wait for one look at the work; it ends with the last of them, for who has gone hears of nothing. */
export class Idling {
  readonly #look: (gone: AbortSignal) => Promise<unknown>
  #looking: { ended: Promise<unknown>; waiting: number; nobody: AbortController } | undefined

  /** `look` resolves when nothing is left to do, or nobody waits any more. */
  constructor(look: (gone: AbortSignal) => Promise<unknown>) {
    this.#look = look
  }

  async wait(gone?: AbortSignal): Promise<void> {
    if (gone?.aborted) return
    const looking = this.#current()
    looking.waiting++
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    gone?.addEventListener('abort', leave)
    try {
      await Promise.race([looking.ended, left])
    } finally {
      gone?.removeEventListener('abort', leave)
      looking.waiting--
      if (looking.waiting === 0) this.#end(looking)
    }
  }

  #current() {
    if (this.#looking) return this.#looking
    const nobody = new AbortController()
    const looking = { ended: this.#look(nobody.signal), waiting: 0, nobody }
    // Whoever waits hears of it; the last may have gone.
    looking.ended.catch(() => {})
    this.#looking = looking
    return looking
  }

  #end(looking: { nobody: AbortController }): void {
    looking.nobody.abort()
    if (this.#looking === looking) this.#looking = undefined
  }
}
