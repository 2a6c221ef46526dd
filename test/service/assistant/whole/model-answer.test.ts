import { expect, test } from 'vitest'
import { judgeModelAnswer } from '../../../../src/service/assistant/model/model-answer.ts'
import { nextAttempt_ms } from '../../../../src/service/assistant/model/model-host.ts'

const sent = { model: 'm', chars: 12_000, models: 2, now_ms: 0 }

function judge(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return judgeModelAnswer(
    { status, headers, body: text, truncated: false, request_complete: true },
    sent,
  )
}

const error = (code: string, message = '') => ({ error: { code, message } })
const answer = (content: unknown, usage?: unknown, finish_reason = 'stop') => ({
  choices: [{ message: { content }, finish_reason }],
  usage,
})

test.each<[string, number, unknown, object]>([
  ['OpenAI', 400, error('context_length_exceeded'), { is_too_long: true }],
  [
    'vLLM',
    400,
    { message: "This model's maximum context length is 4096 tokens." },
    { is_too_long: true },
  ],
  [
    'Anthropic',
    400,
    error('invalid_request_error', 'prompt is too long: 210000 tokens'),
    { is_too_long: true },
  ],
  [
    'Google',
    400,
    error('x', 'The input token count (9) exceeds the maximum number of tokens'),
    { is_too_long: true },
  ],
  [
    'llama.cpp',
    400,
    error('x', 'the request exceeds the available context size'),
    { is_too_long: true },
  ],
  [
    'Anthropic, with the answer',
    400,
    error(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`',
    ),
    { is_too_long: true },
  ],
  [
    'Google, by bytes',
    400,
    [error('x', 'Request payload size exceeds the limit: 20971520 bytes.')],
    { is_too_long: true },
  ],
  [
    'vLLM, of later',
    400,
    error('x', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'),
    { is_too_long: true },
  ],
  [
    'xAI',
    400,
    {
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    { is_too_long: true },
  ],
  [
    'Text Generation Inference',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000',
    },
    { is_too_long: true },
  ],
  [
    'Moonshot',
    400,
    error('x', 'Invalid request: Your request exceeded model token limit: 8192'),
    { is_too_long: true },
  ],
  ['Zhipu', 400, error('1261', 'Prompt exceeds max length'), { is_too_long: true }],
  [
    'DashScope',
    400,
    error('x', 'Range of input length should be [1, 30720]'),
    { is_too_long: true },
  ],
  [
    'Groq',
    400,
    error('x', 'Please reduce the length of the messages or completion.'),
    { is_too_long: true },
  ],
  [
    'OpenAI, by tokens a minute',
    429,
    error('rate_limit_exceeded', 'Request too large for m on tokens per min (TPM): Limit 10000'),
    { is_too_long: true },
  ],
  ['a quota', 400, error('x', 'You exceeded your current quota.'), { max_attempts: 2 }],
  [
    'a router',
    200,
    { error: { code: 400, message: "This endpoint's maximum context length is 32768 tokens." } },
    { is_too_long: true },
  ],
  ['a router without means', 200, { error: { code: 402, message: '' } }, { max_attempts: 2 }],
  ['a router in need', 200, { error: { code: 502, message: '' } }, {}],
  ['a proxy', 413, '<html>', { is_too_long: true }],
  ['another 400', 400, error('invalid_model'), { max_attempts: 2 }],
  ['a 401', 401, error('Bearer sk-1'), { max_attempts: 2 }],
  ['a 403', 403, error('insufficient_quota'), { max_attempts: 2 }],
  ['a 404', 404, '', { max_attempts: 2 }],
  ['a timeout', 408, '', {}],
  ['too many calls', 429, error('context_length_exceeded'), {}],
  ['a fault of the host', 503, '', {}],
  ['a redirect', 302, '', {}],
  ['no JSON', 200, 'x', {}],
  ['blanks', 200, answer(' \u200b\u00a0\n'), { max_attempts: 3 }],
  ['no text', 200, answer(null), { max_attempts: 3 }],
])('%s: %i %j', (_, status, body, fault) => {
  const judged = judge(status, body)
  expect(judged).toEqual({
    fault: expect.any(String),
    ...fault,
    ...('retry_after_ms' in judged && { retry_after_ms: undefined }),
  })
})

test('an answer that is too large is asked for three times', () => {
  const response = { status: 200, headers: {}, body: '{', truncated: true, request_complete: true }
  expect(judgeModelAnswer(response, sent)).toMatchObject({ max_attempts: 3 })
})

test('C-26 an answer that a filter of the host has ended is cut', () => {
  expect(judge(200, answer('Nine. And', undefined, 'content_filter'))).toMatchObject({
    text: 'Nine. And',
    is_cut: true,
  })
})

test('a fault names the code of the host and nothing else of its answer', () => {
  expect(judge(403, error('insufficient_quota', 'sk-secret'))).toMatchObject({
    fault: 'the host of m answered with status 403 (insufficient_quota)',
  })
  expect(JSON.stringify(judge(401, error('sk-secret', 'sk-secret')))).not.toContain('secret')
  expect(judge(429, '', { 'retry-after': '7' })).toMatchObject({ retry_after_ms: 7_000 })
})

test.each([
  [undefined, false],
  [{ prompt_tokens: 3_000 }, false],
  [{ prompt_tokens: 1_000 }, false],
  [{ prompt_tokens: 999 }, true],
  [{ prompt_tokens: 'many' }, false],
  [{ prompt_tokens: 0 }, false],
])('C-26 usage %j of 12,000 characters: cut %s', (usage, is_prompt_cut) => {
  expect(judge(200, answer('Nine.', usage))).toEqual({
    text: 'Nine.',
    is_cut: false,
    is_prompt_cut,
  })
})

test.each([
  ['a fault', {}, 5, 0, true],
  ['a fault after the deadline', {}, 5, 100_000, false],
  ['a refusal by the first of two models', { max_attempts: 2 }, 0, 0, true],
  ['a refusal by the last one', { max_attempts: 2 }, 1, 0, false],
  ['a text that is too long', { is_too_long: true as const }, 0, 0, false],
])('%s is tried again: %s', (_, fault, attempts, now_ms, is_tried) => {
  const next = nextAttempt_ms({ fault: 'x', ...fault }, attempts, now_ms, 100_000)
  expect(next !== undefined).toBe(is_tried)
})

test('Retry-After is waited for, until the deadline at most', () => {
  expect(nextAttempt_ms({ fault: 'x', retry_after_ms: 50_000 }, 0, 0, 100_000)).toBe(50_000)
  expect(nextAttempt_ms({ fault: 'x', retry_after_ms: 500_000 }, 0, 0, 100_000)).toBe(100_000)
})
