import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms, second_ms } from '../../src/base/time/time.ts'
import type { HealthView, PromptHealth } from '../../src/ledger/views/view-health.ts'
import { healthOf } from '../../src/status/health/health.ts'
import {
  type HealthFacts,
  type HealthLimits,
  type Problem,
  problem_kinds,
  problemsOf,
  promptHealth,
} from '../../src/status/health/problems.ts'
import { anyFacts, now_ms } from './any-facts.ts'

const limits: HealthLimits = {
  scan_late_ms: hour_ms,
  queue_age_ms: 6 * hour_ms,
  offline_ms: 15 * minute_ms,
  unreachable_ms: 15 * minute_ms,
  audit_late_ms: day_ms,
  prompt_late_ms: 15 * minute_ms,
  disk_free_bytes: 500_000_000,
}
const ago = (ms: number) => now_ms - ms
const folder: HealthFacts['folders'][number] = {
  name: 'docs',
  online: true,
  offline_reason: undefined,
  state_since_ms: ago(30 * day_ms),
  kept_ms: ago(30 * day_ms),
  scanned_ms: ago(minute_ms),
  rescan_interval_ms: hour_ms,
}
const prompt = { name: 'digest', patience_ms: hour_ms, unmet_ms: undefined, failed: undefined }
const audit = {
  project_id: 'project_1',
  since_ms: ago(day_ms),
  round_ms: day_ms,
  running_ms: undefined,
  emptied: undefined,
}
const good: HealthFacts = {
  now_ms,
  paused: undefined,
  absences: [],
  folders: [folder],
  waiting: { since_ms: ago(minute_ms), name: 'docs/a', held: false },
  unchecked: { since_ms: ago(second_ms), name: 'docs/b' },
  failing: [],
  troubles: [],
  audits: [audit],
  prompts: [prompt],
  given_up: [],
  disk: { path: '/var/lib/sluice', free_bytes: 10_000_000_000 },
  stuck: [],
  ledger_fault: undefined,
}
const failing = {
  given_up: false,
  contents: 1,
  since_ms: ago(minute_ms),
  name: 'docs/a',
  message: 'it says no',
}
const waiting = (ms: number) => ({ since_ms: ago(ms), name: 'docs/a', held: false })
const offline = { ...folder, online: false, offline_reason: 'not mounted' }
const away = (from_ms: number, to_ms: number) =>
  ({ why: 'away', from_ms: ago(from_ms), to_ms: ago(to_ms) }) as const
const pause = (from_ms: number, to_ms: number) =>
  ({ ...away(from_ms, to_ms), why: 'paused' }) as const
const byBegin = (one: { from_ms: number }, other: { from_ms: number }) =>
  one.from_ms - other.from_ms
const trouble = (about: string, since_ms: number) => ({
  about,
  message: 'it says no',
  hint: undefined,
  since_ms,
})

/** Facts that just cause a problem, and facts that just do not. */
const table: [
  (typeof problem_kinds)[number],
  string,
  Partial<HealthFacts>,
  Partial<HealthFacts>,
][] = [
  [
    'scan',
    'a folder that was not scanned for longer than its interval and the limit',
    { folders: [{ ...folder, scanned_ms: ago(2 * hour_ms + 1) }] },
    { folders: [{ ...folder, scanned_ms: ago(2 * hour_ms) }] },
  ],
  [
    'scan',
    'a folder that was never scanned',
    { folders: [{ ...folder, scanned_ms: undefined, kept_ms: ago(3 * hour_ms) }] },
    { folders: [{ ...folder, scanned_ms: undefined, kept_ms: ago(hour_ms) }] },
  ],
  [
    'scan',
    'a folder that came back gets the time that a scan may take',
    { folders: [{ ...folder, scanned_ms: ago(day_ms), state_since_ms: ago(hour_ms + 1) }] },
    { folders: [{ ...folder, scanned_ms: ago(day_ms), state_since_ms: ago(hour_ms) }] },
  ],
  [
    'scan',
    'a folder that is back in the configuration counts from then on',
    { folders: [{ ...folder, scanned_ms: ago(20 * day_ms), kept_ms: ago(2 * hour_ms + 1) }] },
    { folders: [{ ...folder, scanned_ms: ago(20 * day_ms), kept_ms: ago(2 * hour_ms) }] },
  ],
  [
    'scan',
    'days without the daemon do not count, and the first scan after them gets the time that a scan may take',
    {
      folders: [{ ...folder, scanned_ms: ago(5 * day_ms) }],
      absences: [away(5 * day_ms - hour_ms, hour_ms + 1)],
    },
    {
      folders: [{ ...folder, scanned_ms: ago(5 * day_ms) }],
      absences: [away(5 * day_ms - hour_ms, hour_ms)],
    },
  ],
  [
    'queue',
    'days without the daemon make no waiting file late',
    { waiting: waiting(5 * day_ms), absences: [away(5 * day_ms - 2 * hour_ms, 4 * hour_ms + 1)] },
    { waiting: waiting(5 * day_ms), absences: [away(5 * day_ms - 2 * hour_ms, 4 * hour_ms)] },
  ],
  [
    'queue',
    'a pause makes no upload late; checks continue',
    {
      unchecked: { since_ms: ago(7 * hour_ms), name: 'docs/a' },
      absences: [pause(7 * hour_ms, hour_ms)],
    },
    { waiting: waiting(7 * hour_ms), absences: [pause(7 * hour_ms, hour_ms)] },
  ],
  [
    'queue',
    'with several absences, a file is late when its time at work is over',
    {
      waiting: waiting(50 * hour_ms),
      absences: [away(48 * hour_ms, 26 * hour_ms), away(24 * hour_ms, 2 * hour_ms + 1)],
    },
    {
      waiting: waiting(50 * hour_ms),
      absences: [away(48 * hour_ms, 26 * hour_ms), away(24 * hour_ms, 2 * hour_ms)],
    },
  ],
  [
    'queue',
    'the oldest waiting file is too old',
    { waiting: { since_ms: ago(6 * hour_ms + 1), name: 'docs/a', held: false } },
    { waiting: { since_ms: ago(6 * hour_ms), name: 'docs/a', held: false } },
  ],
  [
    'queue',
    'a file may wait for the daily limit',
    { waiting: { since_ms: ago(day_ms), name: 'docs/a', held: false } },
    { waiting: { since_ms: ago(day_ms), name: 'docs/a', held: true } },
  ],
  [
    'queue',
    'every upload may wait while a user has paused',
    { waiting: { since_ms: ago(day_ms), name: 'docs/a', held: false } },
    {
      waiting: { since_ms: ago(day_ms), name: 'docs/a', held: false },
      paused: { since_ms: ago(day_ms) },
    },
  ],
  [
    'queue',
    'a file is not checked',
    { unchecked: { since_ms: ago(6 * hour_ms + 1), name: 'docs/a' } },
    { unchecked: { since_ms: ago(6 * hour_ms), name: 'docs/a' } },
  ],
  [
    'queue',
    'a file fails for more than five minutes',
    { failing: [{ ...failing, since_ms: ago(5 * minute_ms + 1) }] },
    { failing: [{ ...failing, since_ms: ago(5 * minute_ms) }] },
  ],
  [
    'queue',
    'a pause of a user is no failure',
    { failing: [{ ...failing, since_ms: ago(hour_ms) }] },
    { failing: [{ ...failing, since_ms: ago(hour_ms) }], paused: { since_ms: ago(minute_ms) } },
  ],
  [
    'queue',
    'a file was given up',
    { failing: [{ ...failing, given_up: true }] },
    { failing: [failing] },
  ],
  [
    'folder',
    'offline for too long',
    {
      folders: [
        {
          ...folder,
          online: false,
          offline_reason: 'gone',
          state_since_ms: ago(15 * minute_ms + 1),
        },
      ],
    },
    {
      folders: [
        { ...folder, online: false, offline_reason: 'gone', state_since_ms: ago(15 * minute_ms) },
      ],
    },
  ],
  [
    'folder',
    'offline since before the machine was shut down, and mounted shortly after the daemon starts',
    {
      folders: [{ ...offline, state_since_ms: ago(3 * day_ms) }],
      absences: [away(3 * day_ms, 15 * minute_ms + 1)],
    },
    {
      folders: [{ ...offline, state_since_ms: ago(3 * day_ms) }],
      absences: [away(3 * day_ms, 15 * minute_ms)],
    },
  ],
  ['account', 'a refused token, at once', { troubles: [trouble('account', now_ms)] }, {}],
  [
    'project',
    'a refused project, at once',
    { troubles: [trouble('project:project_1', now_ms)] },
    {},
  ],
  [
    'service',
    'no answer for too long',
    { troubles: [trouble('api', ago(15 * minute_ms + 1))] },
    { troubles: [trouble('api', ago(15 * minute_ms))] },
  ],
  [
    'service',
    'the machine slept meanwhile',
    { troubles: [trouble('api', ago(day_ms))], absences: [away(day_ms, 15 * minute_ms + 1)] },
    { troubles: [trouble('api', ago(day_ms))], absences: [away(day_ms, 15 * minute_ms)] },
  ],
  [
    'service',
    'an offline blob store',
    { troubles: [trouble('blob', ago(day_ms))] },
    { troubles: [trouble('blob', ago(second_ms))] },
  ],
  [
    'audit',
    'the last full audit is too old',
    { audits: [{ ...audit, since_ms: ago(2 * day_ms + 1) }] },
    { audits: [{ ...audit, since_ms: ago(2 * day_ms) }] },
  ],
  [
    'audit',
    'a round that began in time and does not end',
    { audits: [{ ...audit, since_ms: ago(2 * day_ms + 1), running_ms: ago(day_ms) }] },
    { audits: [{ ...audit, since_ms: ago(2 * day_ms), running_ms: ago(day_ms) }] },
  ],
  [
    'audit',
    'a late round, after a week without a daemon or as the first of a project, gets its full time, and no more',
    { audits: [{ ...audit, since_ms: ago(9 * day_ms), running_ms: ago(2 * day_ms + 1) }] },
    { audits: [{ ...audit, since_ms: ago(9 * day_ms), running_ms: ago(2 * day_ms) }] },
  ],
  [
    'audit',
    'days without the daemon do not count for a round',
    { audits: [{ ...audit, since_ms: ago(9 * day_ms) }], absences: [away(8 * day_ms, day_ms + 1)] },
    { audits: [{ ...audit, since_ms: ago(9 * day_ms) }], absences: [away(8 * day_ms, day_ms)] },
  ],
  [
    'assets',
    'a project was emptied',
    { audits: [{ ...audit, emptied: { since_ms: ago(hour_ms), removed: 500, expected: 501 } }] },
    { audits: [audit] },
  ],
  [
    'prompt',
    'it became due while no daemon ran, or while a user had paused',
    {
      prompts: [{ ...prompt, unmet_ms: ago(2 * day_ms) }],
      absences: [away(3 * day_ms, day_ms), pause(day_ms, 75 * minute_ms + 1)].sort(byBegin),
    },
    {
      prompts: [{ ...prompt, unmet_ms: ago(2 * day_ms) }],
      absences: [away(3 * day_ms, day_ms), pause(day_ms, 75 * minute_ms)].sort(byBegin),
    },
  ],
  [
    'prompt',
    'a due time went by',
    { prompts: [{ ...prompt, unmet_ms: ago(75 * minute_ms + 1) }] },
    { prompts: [{ ...prompt, unmet_ms: ago(75 * minute_ms) }] },
  ],
  [
    'prompt',
    'the last run failed',
    { prompts: [{ ...prompt, failed: { run: 7, since_ms: ago(1), why: 'no answer' } }] },
    {},
  ],
  [
    'delivery',
    'given up',
    {
      given_up: [
        {
          prompt: 'digest',
          run: 7,
          target: 'mail',
          receiver: 'mail',
          since_ms: ago(1),
          message: 'no',
        },
      ],
    },
    {},
  ],
  [
    'disk',
    'hardly any room',
    { disk: { path: '/x', free_bytes: 499_999_999 } },
    { disk: { path: '/x', free_bytes: 500_000_000 } },
  ],
  [
    'progress',
    'something hangs',
    { stuck: [{ name: 'the ledger', silent_ms: 6 * minute_ms }] },
    {},
  ],
  [
    'page',
    'its port is taken',
    { troubles: [{ about: 'page', message: 'taken', hint: 'choose another', since_ms: ago(1) }] },
    {},
  ],
  [
    'record',
    'a fact was refused',
    { troubles: [{ ...trouble('fact:docs/a', ago(1)), hint: 'report it' }] },
    {},
  ],
  [
    'ledger',
    'nothing can be recorded',
    { ledger_fault: { message: 'full', hint: undefined, since_ms: ago(1) } },
    {},
  ],
]

describe('each problem', () => {
  test.each(table)('%s: %s', (kind, _what, broken, kept) => {
    const health = healthOf({ ...good, ...broken }, limits)
    expect(health).toMatchObject({ healthy: false, problems: [{ kind }] })
    expect(health.problems).toHaveLength(1)
    expect(health.problems[0]!.message).not.toBe('')
    expect(health.problems[0]!.hint).not.toBe('')
    expect(health.problems[0]!.since_ms).toBeLessThanOrEqual(now_ms)
    expect(healthOf({ ...good, ...kept }, limits)).toEqual({ healthy: true, problems: [] })
  })

  test('the table covers every problem', () => {
    expect([...new Set(table.map(([kind]) => kind))].sort()).toEqual([...problem_kinds].sort())
  })

  test('several problems are reported in their order', () => {
    const broken = Object.assign({}, ...table.map(([, , facts]) => facts)) as Partial<HealthFacts>
    const away = { ...folder, online: false, offline_reason: 'gone', state_since_ms: ago(day_ms) }
    const late = { ...folder, scanned_ms: ago(9 * hour_ms) }
    const troubles = ['account', 'project:project_1', 'api', 'page', 'fact:docs/a'].map((about) =>
      trouble(about, ago(day_ms)),
    )
    const audits = [
      {
        ...audit,
        since_ms: ago(9 * day_ms),
        emptied: { since_ms: now_ms, removed: 5, expected: 5 },
      },
    ]
    const { problems } = healthOf(
      {
        ...good,
        ...broken,
        absences: [],
        waiting: waiting(day_ms),
        audits,
        folders: [late, { ...away, name: 'b' }],
        troubles,
      },
      limits,
    )
    expect([...new Set(problems.map(({ kind }) => kind))]).toEqual(problem_kinds)
  })
})

test('the identity of a problem does not change while it lasts', () => {
  const facts = {
    ...good,
    folders: [{ ...folder, scanned_ms: ago(9 * hour_ms) }],
    troubles: [trouble('api', ago(day_ms))],
  }
  const later = { ...facts, now_ms: now_ms + day_ms }
  const names = (health: ReturnType<typeof healthOf>) =>
    health.problems.map(({ kind, about }) => `${kind} ${about}`)
  for (const name of names(healthOf(facts, limits)))
    expect(names(healthOf(later, limits))).toContain(name)
})

/** Each of them repairs one fact. */
const cures: ((facts: HealthFacts) => HealthFacts)[] = [
  (facts) => ({
    ...facts,
    folders: facts.folders.map((each) => ({
      ...each,
      online: true,
      offline_reason: undefined,
      scanned_ms: now_ms,
    })),
  }),
  (facts) => ({ ...facts, waiting: undefined }),
  (facts) => ({ ...facts, unchecked: undefined }),
  (facts) => ({ ...facts, failing: [] }),
  (facts) => ({ ...facts, troubles: [] }),
  (facts) => ({ ...facts, audits: facts.audits.map((each) => ({ ...each, since_ms: now_ms })) }),
  (facts) => ({ ...facts, audits: facts.audits.map((each) => ({ ...each, emptied: undefined })) }),
  (facts) => ({ ...facts, stuck: [] }),
  (facts) => ({
    ...facts,
    prompts: facts.prompts.map((each) => ({ ...each, unmet_ms: undefined })),
  }),
  (facts) => ({ ...facts, prompts: facts.prompts.map((each) => ({ ...each, failed: undefined })) }),
  (facts) => ({ ...facts, given_up: [] }),
  (facts) => ({ ...facts, disk: undefined }),
  (facts) => ({ ...facts, ledger_fault: undefined }),
]

test('property: a repair never adds a problem, and all repairs together leave none, in any order', () => {
  const any_order = fc.shuffledSubarray(cures, { minLength: cures.length })
  fc.assert(
    fc.property(anyFacts, any_order, (facts, order) => {
      let before = healthOf(facts, limits)
      let cured = facts
      for (const cure of order) {
        cured = cure(cured)
        const after = healthOf(cured, limits)
        const known = new Set(before.problems.map(({ kind, about }) => `${kind} ${about}`))
        for (const { kind, about } of after.problems) expect(known).toContain(`${kind} ${about}`)
        expect(after.healthy).toBe(after.problems.length === 0)
        before = after
      }
      expect(before).toEqual({ healthy: true, problems: [] })
    }),
  )
})

test.each<[string, Partial<Problem>, { folder: boolean; prompt: boolean }]>([
  ['its project', { kind: 'project', about: 'project_1' }, { folder: true, prompt: true }],
  ['another project', { kind: 'project', about: 'project_2' }, { folder: false, prompt: false }],
  [
    'its oldest file',
    { kind: 'queue', about: 'uploads', message: 'docs/a has waited' },
    { folder: true, prompt: false },
  ],
  [
    'a file of docs2',
    { kind: 'queue', about: 'uploads', message: 'docs2/a has waited' },
    { folder: false, prompt: false },
  ],
  ['its scan', { kind: 'scan', about: 'docs' }, { folder: true, prompt: false }],
  ['its run', { kind: 'prompt', about: 'docs' }, { folder: false, prompt: true }],
  ['its delivery', { kind: 'delivery', about: 'docs/team' }, { folder: false, prompt: true }],
  ['an alert', { kind: 'delivery', about: 'alerts/team' }, { folder: false, prompt: false }],
  ['the account', { kind: 'account', about: 'account' }, { folder: false, prompt: false }],
  ['its refused fact', { kind: 'record', about: 'docs' }, { folder: true, prompt: false }],
  [
    'a refused fact of its file',
    { kind: 'record', about: 'docs/a', message: 'docs/a: cannot record' },
    { folder: true, prompt: false },
  ],
])('of a folder and a prompt: %s', (_, part, expected) => {
  const problem: Problem = { kind: 'scan', about: '', message: '', hint: '', since_ms: 0, ...part }
  const docs = [{ name: 'docs', project_id: 'project_1' }]
  const isOf = (what: 'folder' | 'prompt') =>
    problemsOf([problem], { folders: docs, prompts: docs }, what, 'docs').length > 0
  expect({ folder: isOf('folder'), prompt: isOf('prompt') }).toEqual(expected)
})

test('a time from 1972, when the clock was wrong, is no number of days', () => {
  const since_ms = Date.UTC(1972, 0, 2)
  const facts: HealthFacts = {
    ...good,
    folders: [
      { ...folder, kept_ms: since_ms, state_since_ms: since_ms, scanned_ms: since_ms },
      { ...offline, name: 'more', kept_ms: since_ms, state_since_ms: since_ms },
    ],
    waiting: { since_ms, name: 'docs/a', held: false },
    unchecked: { since_ms, name: 'docs/b' },
    failing: [{ ...failing, since_ms }],
    troubles: [trouble('api', since_ms)],
    audits: [{ ...audit, since_ms }],
    prompts: [{ ...prompt, unmet_ms: since_ms }],
    stuck: [{ name: 'the daemon', silent_ms: now_ms - since_ms }],
  }
  const messages = healthOf(facts, limits).problems.map(({ message }) => message)
  expect(messages).toContain(
    'digest was due an unknown time (a clock was wrong) ago, and there is no report and no recorded skip',
  )
  expect(messages.length).toBeGreaterThanOrEqual(9)
  for (const message of messages) {
    expect(message).toContain('an unknown time (a clock was wrong)')
    expect(message).not.toMatch(/\d{4,} d/)
  }
})

test('three empty runs in a row name the prompt, the files and the reason', () => {
  const empty = { run: 9, ended_ms: 5, why: 'no answer', names: ['docs/a', 'docs/b'], total: 3 }
  const known = { name: 'digest', checked_ms: 0, last_written_due_ms: 0, open_runs: [] }
  const settings = {
    prompts: [
      {
        name: 'digest',
        schedule: { cron: '0 0 1 1 *', timezone: 'UTC' },
        wait_for_files_ms: 0,
        intelligence: 'fast',
      },
    ],
    asking: { deadline_ms: {} },
  }
  const problemOf = (ended: Pick<PromptHealth, 'last_ended' | 'empty'>) => {
    const view = { prompts: () => [{ ...known, ...ended }] } as unknown as HealthView
    return healthOf({ ...good, prompts: promptHealth(view, settings, 6) }, limits).problems[0]
      ?.message
  }
  expect(problemOf({ last_ended: undefined, empty })).toBe(
    'the last three runs of digest were empty, without a report about docs/a, docs/b and 1 more: no answer',
  )
  const failed = { run: 10, state: 'failed', ended_ms: 6, why: 'no network' } as const
  expect(problemOf({ last_ended: failed, empty })).toBe('the last run of digest failed: no network')
  expect(problemOf({ last_ended: undefined, empty: undefined })).toBeUndefined()
})
