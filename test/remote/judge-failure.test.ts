import { describe, expect, test } from 'vitest'
import { minute_ms } from '../../src/base/time/time.ts'
import { type Call, classifyAnswer } from '../../src/contract/failures.ts'
import type { AlikeRefusals } from '../../src/domain/file-type.ts'
import {
  givenUpText,
  type History,
  judgeFailure,
  type UploadTries,
} from '../../src/remote/judge-failure.ts'
import type { Failure } from '../../src/remote/outcome.ts'
import { taken_by_page } from '../../src/remote/put-bytes.ts'

const now_ms = 100 * minute_ms
const of_uploads: Call[] = ['create', 'complete', 'read', 'list']
const of_features: Call[] = [
  'attach',
  'detach',
  'rename',
  'labels',
  'remove',
  'chat',
  'message',
  'chats',
  'chat_title',
  'chat_remove',
  'skills',
  'projects',
]
const to_service = [...of_uploads, ...of_features]
const all: Call[] = [...to_service, 'put']
const but = (...calls: Call[]) => to_service.filter((call) => !calls.includes(call))

type Body = string | object | null
type Case = [
  row: string,
  calls: Call[],
  statuses: number[],
  body: Body | ((status: number) => Body),
  verdict: `${string}: ${string}`,
  history?: History,
]

const object = (status: number) => ({
  code: 'some.reason',
  humane: 'So it is.',
  statusCode: status,
})
const html = '<!DOCTYPE html><html><body>Blocked by policy</body></html>'
const coded = (code: string) => ({ code })
const in_a_row = { times: 3, general: 0, contents: 3, works: false }
const tries: UploadTries = {
  attempts: 0,
  failing_since_ms: undefined,
  slot_failures: 0,
  max_attempts: 12,
  is_slot_gone: false,
  now_ms,
}
const upload = (change: Partial<UploadTries> = {}) => ({ upload: { ...tries, ...change } })
const long = { failing_since_ms: now_ms - 10 * minute_ms }
const refusals = (change: Partial<AlikeRefusals> = {}): History => ({
  refusals: {
    contents: 1,
    is_test: 0,
    rests: 0,
    rested: 0,
    has_other: 0,
    is_project_proven: 0,
    ...change,
  },
})

/**
 * The contract's table "What an error is about", row by row: the calls, the answers, the verdict.
 */
const cases: Case[] = [
  [
    'the token',
    to_service,
    [400, 401, 403, 404, 422],
    coded('publicapi.auth.revoked'),
    'token: untried',
  ],
  ['401 with the error object', to_service, [401], object, 'token: untried'],
  ['401 with an empty code', to_service, [401], { code: '', statusCode: 401 }, 'token: untried'],
  [
    'the project, whoever asked',
    to_service,
    [400, 401, 403, 404],
    coded('publicapi.tenancy.project.forbidden'),
    'project: untried',
  ],
  ['404 on create or on a list of assets', ['create', 'list'], [404], object, 'project: untried'],
  [
    '404 on create or on a list of assets, bare',
    ['create', 'list'],
    [404],
    null,
    'project: untried',
  ],
  ['a project that was left', ['create', 'list'], [404], object, 'none: again', { is_left: true }],
  [
    'an asset of a project that was left',
    ['read'],
    [404],
    coded('publicapi.tenancy.project.not_found'),
    'none: gone',
    { is_left: true },
  ],
  ['a proxy, once', of_uploads, [401, 403, 407], html, 'none: again'],
  ['a proxy, three times', of_uploads, [401, 403, 407], html, 'host: untried', { in_a_row }],
  ['a proxy before a feature', ['chat', 'attach'], [403], html, 'feature: untried', { in_a_row }],
  ['a proxy before a removal', ['remove', 'projects'], [403], html, 'none: again', { in_a_row }],
  ['a proxy before the blob store', ['put'], [407], html, 'host: untried', { in_a_row }],
  ['later, once', all, [408, 425, 429, 500, 502, 503], object, 'none: again'],
  [
    'later, three times',
    [...of_uploads, 'put'],
    [408, 425, 429, 500],
    null,
    'host: untried',
    { in_a_row },
  ],
  [
    'later, of a feature',
    ['attach', 'chat', 'message'],
    [429, 500],
    object,
    'feature: untried',
    { in_a_row },
  ],
  [
    'later, of one content that others do not meet',
    ['put'],
    [500],
    null,
    'none: again',
    { in_a_row: { ...in_a_row, times: 9, contents: 1, works: true } },
  ],
  ['later, while the host rests', of_uploads, [500], null, 'host: untried', { open: ['host'] }],
  [
    'rate limited, whatever the status',
    to_service,
    [400, 429],
    coded('publicapi.rate.limited'),
    'none: again',
  ],
  ['this content', ['create'], [400, 413, 415, 422], object, 'none: refused'],
  [
    'this content, nothing said',
    ['create'],
    [400, 413],
    null,
    'none: refused',
    refusals({ contents: 2 }),
  ],
  [
    'three contents alike: their types rest, as another type waits',
    ['create'],
    [400, 413],
    object,
    'types: rests',
    refusals({ contents: 3, has_other: 1 }),
  ],
  [
    'three contents alike, and no other type waits',
    ['create'],
    [413],
    object,
    'types: rests',
    refusals({ contents: 3, is_project_proven: 1 }),
  ],
  [
    'three contents alike, no other type waits, and none was ever ready',
    ['create'],
    [400, 413],
    object,
    'uploads: untried',
    refusals({ contents: 3 }),
  ],
  [
    'another content of a type that rests',
    ['create'],
    [400],
    object,
    'types: rests',
    refusals({ contents: 4, is_test: 1, rests: 1, is_project_proven: 1 }),
  ],
  [
    'a content of a type that rests, and none was ever ready',
    ['create'],
    [400],
    object,
    'uploads: untried',
    refusals({ contents: 4, is_test: 1, rests: 1 }),
  ],
  [
    'a type that rested, was tried again, and is refused after others were taken',
    ['create'],
    [400],
    object,
    'types: rests',
    refusals({ rested: 1, is_project_proven: 1 }),
  ],
  [
    'the same type for another answer',
    ['create'],
    [400, 413],
    object,
    'none: refused',
    refusals({ contents: 1, rested: 0, is_project_proven: 1 }),
  ],
  [
    'another type alike',
    ['create'],
    [400, 413],
    object,
    'uploads: untried',
    refusals({ contents: 4, is_test: 1, has_other: 1, is_project_proven: 1 }),
  ],
  [
    'a content while uploads of the project rest',
    ['create'],
    [400],
    object,
    'uploads: untried',
    { open: ['uploads'] },
  ],
  [
    '402, 403 on create, complete or an asset, once',
    ['create', 'complete', 'read'],
    [402, 403],
    object,
    'none: waits',
    { ...upload(), in_a_row: { times: 1, general: 0, contents: 1, works: false } },
  ],
  [
    '402, 403 of two contents',
    ['create', 'complete', 'read'],
    [402, 403],
    object,
    'uploads: untried',
    { ...upload(), in_a_row: { times: 2, general: 0, contents: 2, works: true } },
  ],
  [
    '402, 403 of one content twice, and nothing else works',
    ['create', 'complete', 'read'],
    [402, 403],
    object,
    'uploads: untried',
    { ...upload(), in_a_row: { times: 2, general: 0, contents: 1, works: false } },
  ],
  [
    '402, 403 of one content again and again, while others go',
    ['create', 'complete', 'read'],
    [402, 403],
    object,
    'none: waits',
    { ...upload(), in_a_row: { times: 9, general: 0, contents: 1, works: true } },
  ],
  [
    '402, 403 while uploads rest',
    ['create', 'complete', 'read'],
    [402, 403],
    object,
    'uploads: untried',
    { open: ['uploads'] },
  ],
  ['this attempt', ['complete'], [400, 409], object, 'none: again', upload()],
  [
    'this attempt, given up',
    ['complete'],
    [400],
    object,
    'none: given_up',
    upload({ attempts: 11, ...long }),
  ],
  [
    'this attempt, within ten minutes',
    ['complete'],
    [400],
    object,
    'none: again',
    upload({ attempts: 11 }),
  ],
  ['404 on complete', ['complete'], [404, 410], object, 'none: again', upload()],
  [
    '404 on complete, the third time',
    ['complete'],
    [404],
    null,
    'none: slot_lost',
    upload({ slot_failures: 2 }),
  ],
  [
    '404 on complete, of several contents',
    ['complete'],
    [404],
    object,
    'step: untried',
    { ...upload({ slot_failures: 2 }), alike: 3 },
  ],
  [
    '404 on complete while that step rests',
    ['complete'],
    [404],
    object,
    'step: untried',
    { ...upload(), open: ['step'] },
  ],
  [
    '404 on complete, the last try but one',
    ['complete'],
    [404],
    object,
    'none: slot_lost',
    upload({ attempts: 10 }),
  ],
  [
    'the blob host refuses the ticket',
    ['put'],
    [400, 401, 403, 404, 409, 412, 413],
    null,
    'none: slot_lost',
    upload(),
  ],
  [
    'the blob host refuses several tickets',
    ['put'],
    [403],
    null,
    'step: slot_lost',
    { ...upload(), alike: 3 },
  ],
  ['the third failed PUT', ['put'], [500], null, 'none: slot_lost', upload({ slot_failures: 2 })],
  [
    'the third failed PUT while the store rests',
    ['put'],
    [500],
    null,
    'host: slot_lost',
    { ...upload({ slot_failures: 2 }), open: ['host'] },
  ],
  ['any redirect', all, [301, 302, 307], null, 'none: again'],
  ['redirects in a row', of_uploads, [302], null, 'host: untried', { in_a_row }],
  ['a conflict', but('complete'), [409], object, 'none: again'],
  ['404 while following', ['read', 'attach', 'detach', 'remove'], [404, 410], object, 'none: gone'],
  [
    'a wrong address says nothing of an asset',
    ['read', 'complete'],
    [404],
    coded('publicapi.route.not_found'),
    'none: again',
  ],
  [
    'a web page says nothing of an asset',
    ['complete', 'read', 'attach'],
    [400, 404],
    html,
    'none: again',
  ],
  ['404 on starting a chat', ['chat'], [404], object, 'none: refused'],
  ['404 on a young message', ['message'], [404], object, 'none: again'],
  ['a refused label', ['attach'], [400, 413, 422], object, 'none: refused'],
  ['a refused name', ['rename'], [400, 413, 415, 422], object, 'none: refused'],
  ['no right to rename', ['rename'], [402, 403, 405, 501], object, 'none: refused'],
  ['an asset to rename that is gone', ['rename'], [404, 410], object, 'none: gone'],
  ['three refused labels alike', ['attach'], [400], object, 'feature: refused', { alike: 3 }],
  ['no right to labels', ['attach', 'detach'], [402, 403, 405, 501], object, 'feature: refused'],
  [
    'a service without labels',
    ['attach', 'detach'],
    [404],
    coded('publicapi.route.not_found'),
    'feature: refused',
  ],
  [
    'no right to ask, to list or to remove',
    ['chat', 'message', 'chats', 'labels', 'projects', 'remove'],
    [402, 403, 405],
    object,
    'none: refused',
  ],
  ['a list that is refused', ['labels', 'chats', 'projects'], [400, 404], object, 'none: refused'],
  ['a list of assets that is refused', ['list'], [402, 403], object, 'feature: refused'],
  ['refusals that make no sense', ['read', 'list'], [400, 415, 418], object, 'none: again'],
]

describe('A-39 A-40 B-34 what a failed call blames, and what it says of its item', () => {
  for (const [row, calls, statuses, body, verdict, history = {}] of cases) {
    test(row, () => {
      for (const call of calls) {
        for (const status of statuses) {
          const said = typeof body === 'function' ? body(status) : body
          const text =
            said === null || typeof said === 'string' ? (said ?? '') : JSON.stringify(said)
          const failure = classifyAnswer(call, { status, headers: {}, body: text }, now_ms)
          const { blame, fact } = judgeFailure(failure, history)
          expect(`${blame}: ${fact}`, `${call} ${status}`).toBe(verdict)
        }
      }
    })
  }
})

const network = (call: Call, code: string): Failure => ({
  about: 'network',
  call,
  code,
  message: '',
})

test('no answer at all is about the way to the service, whoever asked', () => {
  for (const call of to_service) {
    expect(judgeFailure(network(call, 'network.refused'), { in_a_row }).blame).toBe('host')
  }
  expect(judgeFailure(network('chat', 'network.timeout'), { in_a_row }).blame).toBe('feature')
})

test('what says nothing: an answer to the old token, and a request that ended with its connection', () => {
  const old: Failure = { about: 'account', call: 'read', of_old_token: true, message: '' }
  for (const failure of [old, network('create', 'network.aborted')])
    expect(judgeFailure(failure, { in_a_row })).toEqual({ blame: 'none', fact: 'untried' })
})

test('a pause that the service asks for counts at once', () => {
  const wait: Failure = { about: 'later', call: 'create', retry_after_ms: 1_000, message: '' }
  expect(judgeFailure(wait, {}).blame).toBe('host')
  expect(judgeFailure({ ...wait, call: 'attach' }, {}).blame).toBe('feature')
  for (const call of ['remove', 'projects', 'rename'] as const)
    expect(judgeFailure({ ...wait, call }, {})).toEqual({ blame: 'host', fact: 'untried' })
})

test('B-35 a web page that seemed to take the bytes is never a try of the content', () => {
  const late = upload({ attempts: 11, slot_failures: 2, ...long })
  expect(judgeFailure(taken_by_page, late)).toEqual({ blame: 'none', fact: 'waits' })
  expect(judgeFailure(taken_by_page, { ...late, in_a_row })).toEqual({
    blame: 'host',
    fact: 'untried',
  })
})

test('the text about a content that is given up', () => {
  const failure = network('complete', 'network.reset')
  expect(
    givenUpText({ ...failure, message: 'it broke' }, { ...tries, attempts: 11, ...long }),
  ).toBe('given up after 12 tries in 10 min: it broke')
  const wrong = { failing_since_ms: Date.UTC(1972, 0, 2), now_ms: Date.UTC(2026, 5, 1) }
  expect(
    givenUpText({ ...failure, message: 'it broke' }, { ...tries, attempts: 11, ...wrong }),
  ).toBe('given up after 12 tries in an unknown time (a clock was wrong): it broke')
})
