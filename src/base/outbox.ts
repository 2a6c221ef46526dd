import type { MessagePort, Transferable } from 'node:worker_threads'

interface Entry<Item> {
  item: Item
  transfer: readonly Transferable[]
}

/**
 * Gathers what is posted to a port within one turn into one message: at thousands of calls a second, posting costs more than
 * what is posted. The other side receives arrays.
 */
export class Outbox<Item> {
  readonly #port: MessagePort
  readonly #on_unsendable: (item: Item, error: unknown) => void
  #entries: Entry<Item>[] = []

  constructor(port: MessagePort, on_unsendable: (item: Item, error: unknown) => void) {
    this.#port = port
    this.#on_unsendable = on_unsendable
  }

  post(item: Item, transfer: readonly Transferable[]): void {
    if (this.#entries.length === 0) queueMicrotask(() => this.#flush())
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
