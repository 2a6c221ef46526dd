import { type PlainError, SluiceError } from './errors.ts'

export interface CallMessage {
  id: number
  method: string
  argument: unknown
}

export type AnswerMessage = { id: number; value: unknown } | { id: number; error: PlainError }

/** Calls of a thread or another process that have no answer yet. */
export class OpenCalls {
  readonly #waiting = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: Error) => void }
  >()
  readonly #onIdle: (is_idle: boolean) => void
  #next_id = 1
  #ended: SluiceError | undefined

  /** `onIdle`: called before the first open call, and after the last. */
  constructor(onIdle: (is_idle: boolean) => void) {
    this.#onIdle = onIdle
  }

  make<Result>(call: Omit<CallMessage, 'id'>, send: (call: CallMessage) => void): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise<Result>((resolve, reject) => {
      const id = this.#next_id++
      if (this.#waiting.size === 0) this.#onIdle(false)
      this.#waiting.set(id, { resolve, reject })
      send({ id, ...call })
    })
  }

  settle(answer: AnswerMessage): void {
    const call = this.#waiting.get(answer.id)
    if (!call) return
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#onIdle(true)
    if ('error' in answer) call.reject(new SluiceError(answer.error))
    else call.resolve(answer.value as never)
  }

  /** Open and later calls reject with this error. Further errors change nothing. */
  end(error: ConstructorParameters<typeof SluiceError>[0]): void {
    this.#ended ??= new SluiceError(error)
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}
