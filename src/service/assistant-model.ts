import { z } from 'zod'
import type { HttpResponse, ProxyVariables } from '../base/http-client.ts'
import type { Clock } from '../base/time.ts'
import { parseJson } from '../contract/error-answer.ts'
import { retryAfter_ms } from '../contract/retry-after.ts'
import type { Assistant, Outcome } from './assistant.ts'
import type { ModelHost } from './assistant-config.ts'
import { modelMessages } from './model-messages.ts'
import { openOutsideHost } from './outside-host.ts'

export interface ModelParts {
  host: ModelHost
  connections: number
  proxy?: ProxyVariables | undefined
  clock: Clock
}

/** The part of a chat completion that counts; servers differ in all the rest. */
const completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().trim().min(1) }), finish_reason: z.string().nullish() }))
    .min(1),
})

const cut_note = '_The model stopped at the limit of its length: this answer is not whole._'

/**
 * A model behind the chat completions interface that OpenAI made common. One call an attempt: the next attempt, which the workflow
 * makes, asks the next candidate. What the host says of a fault is not repeated: it may hold the key.
 */
export function openModelAssistant({ host, connections, proxy, clock }: ModelParts): Assistant {
  const { timeout_ms, key_file, answer_bytes_most: max_body_bytes } = host
  const key = { key_file, key_header: 'authorization' }
  const outside = openOutsideHost({ ...key, timeout_ms, max_body_bytes, connections, proxy, clock })
  const url = new URL(`${host.base_url.replace(/\/+$/, '')}/chat/completions`)

  return {
    async answer(turn, signal) {
      const { models, thinking } = turn.plan
      const { model } = models[turn.attempts % models.length]!
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({
        model,
        messages: modelMessages(turn, host.history_chars_most),
        ...(thinking === 'none' ? {} : { reasoning_effort: thinking }),
        stream: false,
      })
      const answer = await outside.ask({ method: 'POST', url, headers, body }, signal)
      return readAnswer(answer, model, clock.now_ms())
    },
    close: () => outside.close(),
  }
}

function readAnswer({ status, headers, body, truncated }: HttpResponse, model: string, now_ms: number): Outcome {
  if (status !== 200) {
    return { fault: `${model} was answered with ${status}`, retry_after_ms: retryAfter_ms({ ...headers }, now_ms) }
  }
  if (truncated) return { fault: `the answer of ${model} is larger than it may be` }
  const parsed = completion.safeParse(parseJson(body))
  if (!parsed.success) return { fault: `what came from ${model} is no answer` }
  const { message, finish_reason } = parsed.data.choices[0]!
  return { response: finish_reason === 'length' ? `${message.content}\n\n${cut_note}` : message.content }
}
