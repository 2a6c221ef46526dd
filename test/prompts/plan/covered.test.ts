import { expect, test } from 'vitest'
import { fateOf } from '../../../src/prompts/plan/covered.ts'
import { emptyWhy } from '../../../src/prompts/plan/empty-run.ts'

test.each([
  ['read whole', 'whole', 0, false, 'covered'],
  ['read in part', 'part', 0, false, 'covered'],
  ['a service that does not say it', undefined, 0, false, 'covered'],
  ['a service that does not say it, after two runs', undefined, 2, false, 'covered'],
  ['not read, the first time', 'not', 0, false, 'left'],
  ['not read, the second time', 'not', 1, false, 'left'],
  ['not read, the third time', 'not', 2, false, 'given_up'],
  ['not read, of which an earlier version asked more often', 'not', 7, false, 'given_up'],
  ['an empty run, although it read the file', 'whole', 0, true, 'left'],
  ['an empty run of a silent service', undefined, 1, true, 'left'],
  ['the third empty run', undefined, 2, true, 'given_up'],
] as const)('what becomes of a file: %s', (_, read, times_unread, is_empty, fate) => {
  expect(fateOf({ times_unread }, read, is_empty)).toBe(fate)
})

const long = 'The lease ends in May. '.repeat(10)
const no_answer = 'the service gave no answer'
const none_read = 'the service read none of the files'
const repeated = 'the answer is word for word that of the last report, which is about other files'

test.each([
  ['an answer', ['yes'], ['whole'], undefined, undefined],
  ['an answer that names no file', ['nothing much'], [undefined], undefined, undefined],
  ['none', [undefined], ['whole'], undefined, no_answer],
  ['only blanks', [' \n\t'], [undefined], undefined, no_answer],
  ['only blanks, in every part', [' ', ''], [undefined], undefined, no_answer],
  ['a part, but no closing answer', ['a part', ''], [undefined], undefined, undefined],
  ['none read', ['I see nothing.'], ['not', 'not'], undefined, none_read],
  ['one of two read', ['yes'], ['not', 'part'], undefined, undefined],
  ['the service says it of one alone', ['yes'], ['not', undefined], undefined, undefined],
  ['no files', ['yes'], [], undefined, undefined],
  ['the last answer again', [long], [undefined], `${long}\n`, repeated],
  ['nearly the last answer', [`${long}!`], [undefined], long, undefined],
  ['the last answer, which is short', ['Nothing new.'], ['whole'], 'Nothing new.', undefined],
  ['the last answer as a part', [long, 'other'], ['whole'], long, undefined],
] as const)('an empty run: %s', (_, answers, reads, last_answer, why) => {
  const files = reads.map((read) => ({ read }))
  const turns = answers.map((answer) => ({ answer, body: '{"scope":{"asset_ids":["a"]}}' }))
  expect(emptyWhy(files, turns, last_answer)).toBe(why)
})

test('an answer from the rest of the scope is a report, though it read none of the files', () => {
  const files = [{ read: 'not' as const }]
  const body = JSON.stringify({ scope: { asset_ids: ['a'], label_ids: ['contracts'] } })
  expect(emptyWhy(files, [{ body, answer: 'The lease ends in May.' }], undefined)).toBeUndefined()
  expect(emptyWhy(files, [{ body, answer: ' ' }], undefined)).toBe(no_answer)
})
