import { expect, test } from 'vitest'
import {
  judgeTurn,
  type ShownTurn,
  showsLife,
  type TurnVerdict,
} from '../../src/remote/turn-verdict.ts'

const text = { response: 'The rent is due.' }
const odd = { status: 'enriching', ...text }
const answered = { state: 'answered', answer: text.response, told: {} }
const told = { sources: [{ asset_id: 'asset_1', read: 'whole' as const }], calls: 3 }
const running = { state: 'running' }
const note = expect.stringContaining('status enriching')

/** Name, reads (oldest first), verdict in time, verdict at the deadline; one means both. */
const cases: readonly [string, readonly ShownTurn[], object, object?][] = [
  ['no read yet', [], running],
  ['no status, no text', [{}], running],
  ['no status, an empty text', [{ response: '' }], running],
  ['no status, a text', [text], answered],
  ['done and a text', [{ status: 'done', ...text }], answered],
  ['done without a text', [{ status: 'done' }], { state: 'answered', answer: '', told: {} }],
  ['done and what was read', [{ status: 'done', ...text, ...told }], { ...answered, told }],
  ['error', [{ status: 'error' }], { state: 'failed', said: '' }],
  [
    'error and a text',
    [{ status: 'error', ...text }],
    { state: 'failed', said: '; it said: The rent is due' },
  ],
  ['running', [{ status: 'running' }], running],
  ['running and a text, three times', Array(3).fill({ status: 'running', ...text }), running],
  ['unknown', [{ status: 'enriching' }], running],
  ['unknown and a blank text', Array(3).fill({ ...odd, response: ' \n' }), running],
  ['unknown and a text, once', [odd], running, { state: 'unsure' }],
  ['unknown and a text, twice', [odd, odd], running, { state: 'unsure' }],
  ['unknown and a text, three times', [odd, odd, odd], running, { ...answered, note }],
  ['unknown and a text that grew', [{ ...odd, response: 'The' }, odd, odd], running],
  ['a text whose status changed', [{ ...odd, status: 'thinking' }, odd, odd], running],
  ['a text that came last', [{ status: 'enriching' }, odd, odd], running],
  ['unknown before, done now', [odd, odd, { status: 'done', ...text }], answered],
  ['unknown before, error now', [odd, odd, { status: 'error' }], { state: 'failed', said: '' }],
  ['a status that is gone', [odd, odd, text], answered],
]

test.each(cases)('C-14 C-22 C-23 a turn that shows: %s', (_, reads, in_time, late = in_time) => {
  const verdicts: TurnVerdict[] = [judgeTurn(reads, false), judgeTurn(reads, true)]
  expect(verdicts).toEqual([in_time, late])
})

test.each<[string, ShownTurn[], boolean]>([
  ['nothing read', [], false],
  ['no steps', [{}, { status: 'running' }], false],
  ['steps for the first time', [{}, { done: 0 }], true],
  ['the same steps', [{ done: 3 }, { done: 3 }], false],
  ['another step', [{ done: 3 }, { done: 4 }], true],
  ['steps that are no longer shown', [{ done: 3 }, {}], false],
])('a sign of life: %s', (_, reads, is_alive) => {
  expect(showsLife(reads)).toBe(is_alive)
})
