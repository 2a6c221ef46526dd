import type { ProxyVariables } from '../../../base/net/http-client.ts'
import { messageOf } from '../../../base/run/errors.ts'
import { backoff_ms, type Clock, second_ms } from '../../../base/time/time.ts'
import type {
  AssistantConfig,
  Candidate,
  Mode,
  ModelHost as Settings,
} from '../assistant-config.ts'
import { openOutsideHost } from '../outside-host.ts'
import { judgeModelAnswer, type ModelAnswer, type ModelFault } from './model-answer.ts'

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

export interface ModelCall {
  messages: readonly ModelMessage[]
  /** The models that can be asked, the best one first: each attempt asks the next one. */
  models: readonly Candidate[]
  thinking: AssistantConfig['modes'][Mode]['thinking']
}

export function charsOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}

export interface ModelParts {
  host: Settings
  /** The most calls at once; further ones wait here, so that their time limits do not run. */
  connections: number
  proxy?: ProxyVariables | undefined
  /** Until then, a call of `askUntilAnswered` is tried again. */
  deadline_ms: number
  clock: Clock
  log: (line: string) => void
}

/**
 * The model behind the chat completions interface of OpenAI: the only door through which text goes
 * to one. A fault does not quote the host's answer, because that may contain the key.
 */
export class Model {
  readonly #outside: ReturnType<typeof openOutsideHost>
  readonly #url: URL
  readonly #clock: Clock
  readonly #deadline_ms: number
  readonly #log: ModelParts['log']
  readonly #waiting: (() => void)[] = []
  #free: number

  /** Error `config.service` for an unusable key file. */
  constructor({ host, connections, proxy, deadline_ms, clock, log }: ModelParts) {
    const { timeout_ms, key_file, max_answer_bytes: max_body_bytes } = host
    const key = { key_file, key_header: 'authorization' }
    this.#outside = openOutsideHost({
      ...key,
      timeout_ms,
      max_body_bytes,
      connections,
      proxy,
      clock,
    })
    this.#url = new URL(`${host.base_url.replace(/\/+$/, '')}/chat/completions`)
    this.#deadline_ms = deadline_ms
    this.#clock = clock
    this.#log = log
    this.#free = connections
  }

  /** Makes one call. `attempt` counts from 0. Errors: those of `openOutsideHost`. */
  async ask(call: ModelCall, attempt: number, signal: AbortSignal): Promise<ModelAnswer> {
    const { messages, models, thinking } = call
    const { model } = models[attempt % models.length]!
    const body = JSON.stringify({
      model,
      messages,
      ...(thinking === 'none' ? {} : { reasoning_effort: thinking }),
      stream: false,
    })
    const headers = { 'content-type': 'application/json' }
    await this.#takePlace()
    try {
      const request = { method: 'POST', url: this.#url, headers, body } as const
      const response = await this.#outside.ask(request, signal)
      const sent = { model, models: models.length, chars: charsOf(messages) }
      return judgeModelAnswer(response, { ...sent, now_ms: this.#clock.now_ms() })
    } finally {
      this.#leavePlace()
    }
  }

  /** Makes a call until it is answered, too long or refused, or its own deadline is over. */
  async askUntilAnswered(call: ModelCall, signal: AbortSignal): Promise<ModelAnswer> {
    const until_ms = this.#clock.now_ms() + this.#deadline_ms
    for (let attempts = 0; ; attempts++) {
      const answer = await this.ask(call, attempts, signal).catch((error: unknown): ModelFault => {
        if (signal.aborted) throw error
        return { fault: messageOf(error), is_private: true }
      })
      if ('text' in answer) return answer
      const now_ms = this.#clock.now_ms()
      const next_ms = nextAttempt_ms(answer, attempts, now_ms, until_ms)
      this.#log(`a call about files got no answer: ${answer.fault}; ${nextText(next_ms, now_ms)}`)
      if (next_ms === undefined) return answer
      await this.#clock.sleep(next_ms - now_ms, signal)
      signal.throwIfAborted()
    }
  }

  close(): Promise<void> {
    return this.#outside.close()
  }

  async #takePlace(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leavePlace(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}

/** Waits after failed attempts. A short fault is over in a second; longer waits spare the host. */
const retry_backoff = { first_ms: second_ms, max_ms: 30 * second_ms }

/** When a call that failed is tried again; undefined: it is given up. `attempts`: before this. */
export function nextAttempt_ms(
  { max_attempts = Number.POSITIVE_INFINITY, retry_after_ms = 0, is_too_long }: ModelFault,
  attempts: number,
  now_ms: number,
  deadline_ms: number,
): number | undefined {
  if (is_too_long || now_ms >= deadline_ms || attempts + 1 >= max_attempts) return undefined
  return Math.min(
    now_ms + Math.max(retry_after_ms, backoff_ms(attempts, retry_backoff)),
    deadline_ms,
  )
}

/** `it is given up`, or when it is tried again: for the log. */
export function nextText(next_ms: number | undefined, now_ms: number): string {
  if (next_ms === undefined) return 'it is given up'
  return `it is tried again in ${Math.ceil((next_ms - now_ms) / second_ms)} s`
}
