import { describe, expect, test } from 'vitest'
import { isFinal, type RunState } from '../../src/domain/run.ts'
import { newRun, type RunProgress, type RunStep, runAfter } from '../../src/domain/run-progress.ts'

const states: readonly RunState[] = [
  'due',
  'planned',
  'asking',
  'asked',
  'answered',
  'written',
  'skipped',
  'failed',
]
const now_ms = 1_000_000
const later_ms = 1_060_000
const error = { code: 'http.503', message: 'the service rests' }
const plan = {
  bodies: ['one', 'two'],
  assets: [],
  refusals: [],
  coverage: '{"files":2}',
  chat_id: 'chat_old',
}

const facts: { [Type in RunStep['type']]: Extract<RunStep, { type: Type }> } = {
  run_skipped: { type: 'run_skipped', run: 1, why: 'nothing new' },
  run_planned: { type: 'run_planned', run: 1, plan },
  turn_intended: { type: 'turn_intended', run: 1, body: 'as sent' },
  turn_unsent: { type: 'turn_unsent', run: 1, not_before_ms: later_ms, error },
  turn_lost: { type: 'turn_lost', run: 1, why: 'found nowhere' },
  turn_asked: { type: 'turn_asked', run: 1, chat_id: 'chat_new', message_id: 'message_new' },
  turn_answered: { type: 'turn_answered', run: 1, answer: 'much' },
  run_written: { type: 'run_written', run: 1, report_path: '/r.md', targets: [] },
  run_failed: { type: 'run_failed', run: 1, error },
  run_deferred: { type: 'run_deferred', run: 1, not_before_ms: later_ms, error },
}

/**
 * The state after each fact in each state, for a run of one turn; a dot means that the fact changes
 * nothing.
 */
const table: Record<RunStep['type'], string> = {
  //              due     planned asking  asked    answered written skipped failed
  run_skipped: '  skipped skipped .       .        .        .       .       .',
  run_planned: '  planned planned .       .        .        .       .       .',
  turn_intended: '.       asking  .       .        .        .       .       .',
  turn_unsent: '  .       .       planned .        .        .       .       .',
  turn_lost: '    .       .       planned planned  .        .       .       .',
  turn_asked: '   .       .       asked   .        .        .       .       .',
  turn_answered: '.       .       .       answered .        .       .       .',
  run_written: '  .       .       .       .        written  .       .       .',
  run_failed: '   failed  failed  failed  failed   failed   .       .       .',
  run_deferred: ' due     planned asking  asked    answered .       .       .',
}

function runIn(state: RunState, turns = 1): RunProgress {
  const due = { ...newRun(5), attempts: 3, notes: ['noted'], error }
  if (state === 'due') return due
  const one = { ...plan, bodies: plan.bodies.slice(0, turns) }
  return {
    ...due,
    ...runAfter(due, { type: 'run_planned', run: 1, plan: one }, 6),
    state,
    attempts: 3,
    error,
  }
}

describe.each(Object.entries(table))('%s', (type, row) => {
  test.each(states.map((state, index) => [state, row.trim().split(/\s+/)[index]!] as const))(
    'in state %s: %s',
    (state, to) => {
      const after = runAfter(runIn(state), facts[type as RunStep['type']], now_ms)
      expect(after?.state ?? '.').toBe(to)
      if (after && isFinal(after.state)) expect(after.ended_ms).toBe(now_ms)
    },
  )
})

/** Applies these facts one after the other; every one must change something. */
function through(run: RunProgress, ...types: (keyof typeof facts)[]): RunProgress {
  return types.reduce((before, type, index) => {
    const after = runAfter(before, facts[type], now_ms + index)
    expect(after, type).toBeDefined()
    return after!
  }, run)
}

test('all turns are asked one after the other, and the last answer ends the asking', () => {
  const first = through(runIn('planned', 2), 'turn_intended', 'turn_asked', 'turn_answered')
  expect(first).toMatchObject({
    state: 'planned',
    turn: 1,
    attempts: 0,
    error: undefined,
    coverage: plan.coverage,
  })
  expect(first.turns).toMatchObject([
    { body: 'as sent', intended_ms: now_ms, asked_ms: now_ms + 1, answer: 'much' },
    { body: 'two' },
  ])
  const second = through(first, 'turn_intended', 'turn_asked', 'turn_answered')
  expect(second).toMatchObject({
    state: 'answered',
    turn: 1,
    turns: [{ answer: 'much' }, { answer: 'much' }],
  })
})

test('an answered turn is neither planned again nor skipped', () => {
  const second = through(runIn('planned', 2), 'turn_intended', 'turn_asked', 'turn_answered')
  expect(runAfter(second, facts.run_planned, now_ms)).toBeUndefined()
  expect(runAfter(second, facts.run_skipped, now_ms)).toBeUndefined()
})

test('a lost turn is noted and counted, and its message is known; a new plan keeps all of it', () => {
  const lost = through(runIn('planned', 2), 'turn_intended', 'turn_asked', 'turn_lost')
  const past = { message_id: 'message_new', asked_again: 1 }
  expect(lost.turns[0]).toEqual({ ...runIn('planned', 2).turns[0], body: 'as sent', ...past })
  const again = through(lost, 'run_planned', 'turn_intended', 'turn_lost', 'run_planned')
  expect(again).toMatchObject({
    notes: expect.arrayContaining(['noted', 'found nowhere']),
    turns: [
      { asked_again: 2, message_id: 'message_new' },
      { asked_again: 0, message_id: undefined },
    ],
  })
})

test('a turn that was not sent counts as never intended, and waits as the fact says', () => {
  const unsent = through(runIn('planned'), 'turn_intended', 'turn_unsent')
  expect(unsent).toMatchObject({ state: 'planned', attempts: 4, not_before_ms: later_ms, error })
  expect(unsent.turns).toMatchObject([{ body: 'as sent', intended_ms: undefined, asked_again: 0 }])
})

test('a fault keeps the state and waits; a success clears the fault', () => {
  const deferred = through(runIn('due'), 'run_deferred')
  expect(deferred).toEqual({ ...runIn('due'), attempts: 4, not_before_ms: later_ms, error })
  expect(through(deferred, 'run_planned')).toMatchObject({
    attempts: 0,
    not_before_ms: now_ms,
    error: undefined,
  })
})
