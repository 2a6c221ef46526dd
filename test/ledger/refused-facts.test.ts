import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../src/base/time/time.ts'
import type { Fact } from '../../src/domain/fact.ts'
import { faultOf } from '../../src/ledger/fact-fields.ts'
import { RefusedFacts } from '../../src/ledger/refused-facts.ts'
import { nothing_seen, statOf, ticketFor } from './fixture.ts'

const error = { code: 'http.500', message: 'no' }
const file = { folder: 'docs', path: 'a' }

/** A fact, the thing that it is about, and what is wrong with it. */
const cases: [fact: object, thing: string, fault: string | undefined][] = [
  [{ type: 'daemon_at_work', since_ms: 1 }, 'daemon_at_work', undefined],
  [
    { type: 'daemon_at_work', since_ms: 1.5 },
    'daemon_at_work',
    'since_ms is 1.5, not a whole number',
  ],
  [{ type: 'file_gone', ...file }, 'docs/a', undefined],
  [{ type: 'file_gone', folder: 'docs', path: 7 }, 'docs/7', 'path is 7, not a string'],
  [
    { type: 'file_seen', ...file, stat: statOf(0.5), not_before_ms: 0 },
    'docs/a',
    'stat.size is 0.5, not a whole number',
  ],
  [
    { type: 'file_seen', ...file, stat: statOf(1), not_before_ms: '3' },
    'docs/a',
    'not_before_ms is 3, not a number',
  ],
  [
    { type: 'file_seen', ...file, stat: { ...statOf(1), mtime_ns: 2.5 }, not_before_ms: 0 },
    'docs/a',
    'stat.mtime_ns is 2.5, not a whole number',
  ],
  [
    {
      type: 'file_blocked',
      ...file,
      stat: undefined,
      reason: 'outside',
      detail: '',
      not_before_ms: undefined,
    },
    'docs/a',
    undefined,
  ],
  [{ type: 'slot_intended', content: 7 }, 'content 7', undefined],
  [
    { type: 'slot_intended', content: undefined },
    'content undefined',
    'content is missing, not a number',
  ],
  [
    { type: 'deferred', content: 7, not_before_ms: Number.NaN, error },
    'content 7',
    'not_before_ms is NaN, not a whole number',
  ],
  [
    { type: 'deferred', content: 7, not_before_ms: 2 ** 60, error },
    'content 7',
    `not_before_ms is ${2 ** 60}, not a whole number`,
  ],
  [
    { type: 'slot_reserved', content: 7, asset_id: 'asset_1', ticket: ticketFor('a', 0.5) },
    'content 7',
    'ticket.expires_at_ms is 0.5, not a whole number',
  ],
  [
    { type: 'deferred', content: 7, not_before_ms: 1, error: 'bad' },
    'content 7',
    'error is bad, not an object',
  ],
  [{ type: 'folder_online', folder: 'docs', device: 5 }, 'docs', 'device is 5, not a bigint'],
  [
    { type: 'scan_finished', folder: 'docs', began_ms: 1, summary: nothing_seen },
    'docs',
    undefined,
  ],
  [
    {
      type: 'scan_finished',
      folder: 'docs',
      began_ms: 1,
      summary: { ...nothing_seen, bytes: 0.5 },
    },
    'docs',
    'summary.bytes is 0.5, not a whole number',
  ],
  [
    { type: 'folder_configured', folder: { name: 'docs', delete_grace_ms: 0.5 } },
    'docs',
    'folder.delete_grace_ms is 0.5, not a whole number',
  ],
  [
    { type: 'paused', by: 'anna', why: undefined, until_ms: 1.5 },
    'paused',
    'until_ms is 1.5, not a whole number',
  ],
  [{ type: 'trouble_ended', about: 'api' }, 'trouble_ended', undefined],
  [{ type: 'folder_configured', folder: null }, 'folder_configured', 'folder is null'],
  [
    { type: 'content_refused', content: 7, error: { code: null, message: 'no' } },
    'content 7',
    'error.code is null',
  ],
  [
    { type: 'run_due', prompt: 'digest', due_ms: 0.5, cause: 'user' },
    'prompt digest',
    'due_ms is 0.5, not a whole number',
  ],
  [{ type: 'run_skipped', run: 3, why: 'no' }, 'run 3', undefined],
  [
    { type: 'run_planned', run: 3, plan: { bodies: ['{}'], assets: [{ size: 1 }, { size: 1.5 }] } },
    'run 3',
    'plan.assets.1.size is 1.5, not a whole number',
  ],
  [{ type: 'delivered', run: 3, target: 'mail' }, 'run 3 mail', undefined],
  [{ type: 'delivered', alert: 4, target: 'mail' }, 'alert 4 mail', undefined],
  [
    {
      type: 'alert_raised',
      message_id: 'm',
      subject: 's',
      text: 't',
      targets: [],
      problems: [{ since_ms: 0.5 }],
    },
    'alert_raised',
    'problems.0.since_ms is 0.5, not a whole number',
  ],
  [
    {
      type: 'files_found',
      folder: 'docs',
      names: new Uint8Array(1),
      ends: new Uint32Array(1),
      stats: new BigInt64Array(4),
      md5s: 'x',
    },
    'docs',
    undefined,
  ],
  [
    { type: 'audit_round_ended', project_id: 'p', round: 1.5, unanswered: 0, resend: true },
    'p',
    'round is 1.5, not a whole number',
  ],
]

test.each(cases)('%o', (fact, thing, fault) => {
  expect(faultOf(fact as Fact)).toBe(fault)
  // A fact with an additional fault shows the thing, also where the fact of the table is sound.
  const { facts, error } = new RefusedFacts().sort([{ ...fact, note: 1.5 } as unknown as Fact], 0)
  expect(facts[0]).toMatchObject({ type: 'trouble_began', about: `fact:${thing}` })
  expect(error?.message).toContain(`${thing}: cannot record`)
})

const refusedContents = (count: number) =>
  Array.from({ length: count }, (_, content): Fact => {
    return { type: 'content_wanted_again', content, not_before_ms: 0.5 }
  })

const began = (thing: string) => ({ type: 'trouble_began', about: `fact:${thing}` })
const ended = (thing: string) => ({ type: 'trouble_ended', about: `fact:${thing}` })
const others = (count: string) => ({
  ...began('others'),
  error: { message: `cannot record facts of ${count} more files, uploads or runs` },
})

test('all refused things rest; fifty are named, and the others are counted', () => {
  const refused = new RefusedFacts()
  const { facts, error } = refused.sort(refusedContents(1_060), 0)
  refused.stored(facts)
  expect(facts).toHaveLength(51)
  expect(facts.at(-1)).toMatchObject(others('1,010'))
  expect(error?.message).toMatch(/^content 0: /)
  expect([refused.rests('content 49', 1), refused.rests('content 50', 1)]).toEqual([true, true])
  expect(refused.sort(refusedContents(1_060).slice(0, 2), 1).facts.at(-1)).toMatchObject(
    others('1,010'),
  )
  const sound: Fact[] = [{ type: 'slot_intended', content: 2_000 }]
  expect(refused.sort(sound, 1).facts).toEqual(sound)
})

test('the number goes down, and another thing is named in place of one that is resolved', () => {
  const refused = new RefusedFacts()
  refused.stored(refused.sort(refusedContents(52), 0).facts)
  const recorded = (content: number) => {
    const { facts } = refused.sort([{ type: 'slot_intended', content }], 1)
    refused.stored(facts)
    return facts.slice(1)
  }
  const first = recorded(7)
  expect(first).toContainEqual(ended('content 7'))
  expect(first.at(-2)).toMatchObject(began('content 50'))
  expect(first.at(-1)).toMatchObject(others('1'))
  const second = recorded(51)
  expect(second.slice(-2)).toEqual([ended('content 51'), ended('others')])
  expect(refused.rests('content 51', 2)).toBe(false)
})

test('a thing that is not tried for a day is no problem any more', () => {
  const refused = new RefusedFacts()
  refused.stored(refused.sort(refusedContents(1), 0).facts)
  const life: Fact = { type: 'daemon_at_work', since_ms: 0 }
  const rested_ms = 30 * minute_ms
  const late_ms = rested_ms + day_ms + 1
  expect(refused.sort([life], late_ms - 1).facts).toEqual([life])
  expect(refused.sort([life], late_ms).facts).toEqual([life, ended('content 0'), ended('others')])
  // Refused once more, it is still named, and rests.
  const { facts } = refused.sort(refusedContents(1), late_ms)
  refused.stored(facts)
  expect(facts).toMatchObject([began('content 0'), ended('others')])
  expect(refused.rests('content 0', late_ms + 1)).toBe(true)
})

test('sound facts are passed on as they are', () => {
  const facts: Fact[] = [{ type: 'slot_intended', content: 1 }]
  expect(new RefusedFacts().sort(facts, 0).facts).toBe(facts)
})
