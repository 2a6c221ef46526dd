import { expect, test } from 'vitest'
import { OpenRequests } from '../../../src/page/mcp/open-requests.ts'

const call = (id: unknown) => ({ id, method: 'tools/call' })
const cancel = (id: unknown) => ({ method: 'notifications/cancelled', params: { requestId: id } })
const result = (id: unknown) => ({ id, result: {} })

test.each<[name: string, came: object[], sent: object[], is_open: boolean]>([
  ['nothing came', [], [], false],
  ['a call without an answer', [call(1)], [], true],
  ['a call with its result', [call(1)], [result(1)], false],
  ['a call with its error', [call('a')], [{ id: 'a', error: {} }], false],
  ['one of two is answered', [call(1), call(2)], [result(2)], true],
  ['a number is no text', [call(1)], [result('1')], true],
  ['a progress note is no answer', [call(1)], [{ method: 'notifications/progress' }], true],
  ['a request of the server is no answer', [call(1)], [{ id: 1, method: 'ping' }], true],
  ['an error about no call', [call(1)], [{ id: null, error: {} }], true],
  ['a note of the agent has no answer', [{ method: 'notifications/initialized' }], [], false],
  ['an answer of the agent has none', [result(7)], [], false],
  ['a cancelled call', [call(1), cancel(1)], [], false],
  ['another call is cancelled', [call(1), cancel(2)], [], true],
  ['a subscription', [{ id: 1, method: 'subscriptions/listen' }], [], false],
])('%s', async (_name, came, sent, is_open) => {
  const requests = new OpenRequests()
  for (const message of came) requests.came(message)
  let is_over = false
  const over = requests.none().then(() => {
    is_over = true
  })
  for (const message of sent) requests.sent(message)
  await Promise.resolve()
  expect(is_over).toBe(!is_open)
  requests.came(cancel(1))
  requests.came(cancel(2))
  requests.sent(result(1))
  requests.sent(result('a'))
  if (!is_open) await over
})
