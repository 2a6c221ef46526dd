interface Message {
  id?: unknown
  method?: string
  params?: { requestId?: unknown }
}

/** A subscription is answered when the agent ends it. */
const endless = 'subscriptions/listen'

/** The requests of an agent that have no answer yet. */
export class OpenRequests {
  readonly #ids = new Set<unknown>()
  #onNone = () => {}

  /** Notes a message of the agent. A request that it cancels gets no answer. */
  came(message: object): void {
    const { id, method, params }: Message = message
    if (method === 'notifications/cancelled') this.#settle(params?.requestId)
    else if (id !== undefined && method !== undefined && method !== endless) this.#ids.add(id)
  }

  /** Notes a message to the agent. */
  sent(message: object): void {
    const { id, method }: Message = message
    if (method === undefined) this.#settle(id)
  }

  /** Resolves once every request is answered. */
  none(): Promise<void> {
    if (this.#ids.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onNone = resolve
    })
  }

  #settle(id: unknown): void {
    this.#ids.delete(id)
    if (this.#ids.size === 0) this.#onNone()
  }
}
