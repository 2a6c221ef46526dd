import type { MessagePort, Transferable } from 'node:worker_threads'

interface Entry<Item> {
  item: Item
  transfer: readonly Transferable[]
}

/**
 * Gathers what is posted to a port into one message: at thousands of calls a second, posting costs more than what is posted. The
 * other side receives arrays.
 */
export class Outbox<Item> {
  readonly #port: MessagePort
  readonly #on_unsendable: (item: Item, error: unknown) => void
  readonly #later: (flush: () => void) => void
  #entries: Entry<Item>[] = []

  /** `later`: when to send what was gathered: after the callback that is running, or with `setImmediate` after all that are ready. */
  constructor(
    port: MessagePort,
    on_unsendable: (item: Item, error: unknown) => void,
    later: (flush: () => void) => void,
  ) {
    this.#port = port
    this.#on_unsendable = on_unsendable
    this.#later = later
  }

  post(item: Item, transfer: readonly Transferable[]): void {
    if (this.#entries.length === 0) this.#later(() => this.#flush())
    this.#entries.push({ item, transfer })
  }

  #flush(): void {
    const entries = this.#entries
    this.#entries = []
    // One that cannot be cloned must not take the others with it.
    if (!this.#send(entries) && entries.length > 1) for (const entry of entries) this.#send([entry])
  }

  #send(entries: readonly Entry<Item>[]): boolean {
    const items = entries.map(({ item }) => item)
    try {
      this.#port.postMessage(
        items,
        entries.flatMap(({ transfer }) => transfer),
      )
      return true
    } catch (error) {
      if (items.length === 1) this.#on_unsendable(items[0]!, error)
      return false
    }
  }
}
