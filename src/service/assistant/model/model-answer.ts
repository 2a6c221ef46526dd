import { z } from 'zod'
import type { HttpResponse } from '../../../base/net/http-client.ts'
import { parseJson } from '../../../contract/errors.ts'
import { retryAfter_ms } from '../../../contract/failures.ts'

/** Why a call got no answer. It never quotes the host, whose text may contain the key. */
export interface ModelFault {
  fault: string
  /** The least wait before the next attempt. */
  retry_after_ms?: number | undefined
  /** After so many attempts in all the call is given up; absent: only its deadline ends it. */
  max_attempts?: number
  /** The text is too long for the model: a shorter one may be answered. */
  is_too_long?: true
  /** The reason is for the log alone. */
  is_private?: true
}

/** The reason for users, to continue "because". */
export function shownFault({ fault, is_private }: ModelFault): string {
  return is_private ? 'the assistant failed (the log of the service says why)' : fault
}

export type ModelAnswer = ModelFault | { text: string; is_cut: boolean; is_prompt_cut: boolean }

/** What the call was, as far as it matters for its answer. */
export interface SentCall {
  model: string
  /** Characters of all messages. */
  chars: number
  /** The number of models that can be asked in turn. */
  models: number
  now_ms: number
}

/** A model that answers nothing, or too much, again and again, is paid each time. */
const max_useless_answers = 3
/** No model has so many characters in a token on average, in any language. */
const max_chars_per_token = 12
/** A shorter prompt fits every model, so a strange count of its tokens means nothing. */
const min_counted_chars = 4_000

/** The part of a chat completion that is needed; servers differ in the rest. */
const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.int().positive() }).nullish().catch(undefined),
})

/** Codes and words by which hosts say that a text is too long. */
const too_long = new RegExp(
  [
    'context[ _-]?(?:length|window|size|limit)',
    'maximum (?:context|prompt|model)',
    'too[ _](?:many (?:input )?tokens|long|large)',
    'n_ctx',
    'exceed(?:s|ed)? [^.]{0,60}(?:tokens|token limit|characters|bytes|max length)',
    'exceeds max length',
    'must (?:be <=|have less than) \\d+(?: tokens)?',
    'input length should be',
    'reduce the length',
  ].join('|'),
  'i',
)
/** A limit of tokens a minute that is below those of one request never passes. */
const too_large_for_limit = /request too large/i

/** What the answer of a model's host means. */
export function judgeModelAnswer(response: HttpResponse, sent: SentCall): ModelAnswer {
  const { headers, body, truncated } = response
  const { model, models, now_ms } = sent
  const status = response.status === 200 ? statusIn(body) : response.status
  if (status !== 200) {
    const fault = `the host of ${model} answered with status ${status}`
    if (isTooLong(status, body)) return { fault: `${fault}: too long`, is_too_long: true }
    if (isRefusal(status)) return { fault: `${fault}${codeIn(body)}`, max_attempts: models }
    return { fault, retry_after_ms: retryAfter_ms({ ...headers }, now_ms) }
  }
  if (truncated) {
    const fault = `the answer of ${model} is larger than the limit`
    return { fault, max_attempts: max_useless_answers }
  }
  const parsed = completion.safeParse(parseJson(body))
  if (!parsed.success) return { fault: `the host of ${model} sent no valid answer` }
  const { message, finish_reason } = parsed.data.choices[0]!
  const text = message.content?.trim() ?? ''
  // Spaces without width are no answer either.
  if (!/[^\s\p{C}]/u.test(text))
    return { fault: `${model} gave an empty answer`, max_attempts: max_useless_answers }
  const { prompt_tokens } = parsed.data.usage ?? {}
  return {
    text,
    is_cut: finish_reason === 'length' || finish_reason === 'content_filter',
    is_prompt_cut:
      prompt_tokens !== undefined &&
      sent.chars >= min_counted_chars &&
      prompt_tokens * max_chars_per_token < sent.chars,
  }
}

function isTooLong(status: number, body: string): boolean {
  if (status === 413) return true
  if (status === 429) return too_large_for_limit.test(body)
  return (status === 400 || status === 422) && too_long.test(body)
}

/** A timeout (408) and a limit of calls (429) pass; every other 4xx is the same the next time. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Routers of models answer 200 before they ask one, and write its status into the error. */
function statusIn(body: string): number {
  const { error, choices } = (parseJson(body) ?? {}) as {
    error?: { code?: unknown }
    choices?: unknown
  }
  const code = choices === undefined ? error?.code : undefined
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 200
}

/** The code of an error as hosts write it. Only small letters: it cannot be a key. */
function codeIn(body: string): string {
  const { error } = (parseJson(body) ?? {}) as { error?: { code?: unknown; type?: unknown } }
  const code = error?.code ?? error?.type
  return typeof code === 'string' && /^[a-z]+(?:_[a-z]+)*$/.test(code) && code.length <= 64
    ? ` (${code})`
    : ''
}
