import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ContentProgress,
  type ContentState,
  contentAfter,
  isUnderway,
  max_vanished,
  newContent,
} from '../../src/domain/content.ts'
import type { ContentFact } from '../../src/domain/fact.ts'

const states: readonly ContentState[] = [
  'wanted',
  'reserving',
  'reserved',
  'sent',
  'ingesting',
  'ready',
  'refused',
  'type_refused',
  'removed_on_service',
  'abandoned',
  'removing',
]
const now_ms = 1_000_000
const later_ms = 1_060_000
const error = { code: 'http.500', message: 'a bad moment' }
const ticket = {
  upload_url: 'https://b/',
  upload_method: 'PUT',
  upload_headers: {},
  expires_at_ms: 9,
} as const

const refusal = { answer: 'too.large', extension: 'txt' }

const facts: { [Type in ContentFact['type']]: Extract<ContentFact, { type: Type }> } = {
  slot_intended: { type: 'slot_intended', content: 1 },
  slot_reserved: { type: 'slot_reserved', content: 1, asset_id: 'asset_new', ticket },
  asset_found: { type: 'asset_found', content: 1, asset_id: 'asset_found' },
  bytes_accepted: { type: 'bytes_accepted', content: 1 },
  bytes_missing: { type: 'bytes_missing', content: 1, not_before_ms: later_ms, error },
  ingest_started: { type: 'ingest_started', content: 1, not_before_ms: later_ms },
  ingest_continues: { type: 'ingest_continues', content: 1, not_before_ms: later_ms },
  asset_ready: { type: 'asset_ready', content: 1 },
  content_refused: { type: 'content_refused', content: 1, error },
  type_refused: { type: 'type_refused', content: 1, error },
  type_rests: { type: 'type_rests', content: 1, refusal, said: 'too large' },
  types_freed: { type: 'types_freed', content: 1, refusal },
  deferred: { type: 'deferred', content: 1, not_before_ms: later_ms, error },
  slot_lost: { type: 'slot_lost', content: 1, not_before_ms: later_ms, error },
  hit_dead: { type: 'hit_dead', content: 1 },
  asset_vanished: { type: 'asset_vanished', content: 1 },
  asset_missing: { type: 'asset_missing', content: 1 },
  asset_unready: { type: 'asset_unready', content: 1 },
  asset_failed: { type: 'asset_failed', content: 1, error },
  asset_returned: { type: 'asset_returned', content: 1 },
  content_orphaned: { type: 'content_orphaned', content: 1 },
  content_wanted_again: { type: 'content_wanted_again', content: 1, not_before_ms: later_ms },
  removal_intended: { type: 'removal_intended', content: 1 },
  asset_removed: { type: 'asset_removed', content: 1 },
  asset_kept: { type: 'asset_kept', content: 1, not_before_ms: later_ms },
  removal_deferred: { type: 'removal_deferred', content: 1, not_before_ms: later_ms, error },
}

/**
 * The state after each fact in each state, in the order of `states`; a dot means that the fact
 * changes nothing. The last two columns are `abandoned` and `removing`.
 */
const table: Record<ContentFact['type'], string> = {
  //                    wanted    reserving reserved  sent      ingesting ready refused type_ref removed
  slot_intended:
    '      reserving reserving .         .         .         .     .       .        .       .       .',
  slot_reserved:
    '      .         reserved  .         .         .         .     .       .        .       .       .',
  asset_found:
    '        .         ingesting .         .         .         .     .       .        .       .       .',
  bytes_accepted:
    '     .         .         sent      .         .         .     .       .        .       .       .',
  bytes_missing:
    '      .         .         .         reserved  .         .     .       .        .       .       .',
  ingest_started:
    '     .         .         .         ingesting .         .     .       .        .       .       .',
  ingest_continues:
    '   .         .         .         .         ingesting .     .       .        .       .       .',
  asset_ready:
    '        .         .         .         .         ready     .     .       .        .       .       .',
  content_refused:
    '    refused   refused   refused   refused   refused   .     .       .        .       .       .',
  type_refused:
    '       type_refused .         .         .         .         .     .       .        .       .       .',
  type_rests:
    '         .         type_refused .         .         .         .     type_refused .       .       .       .',
  types_freed:
    '         wanted    reserving reserved  sent      ingesting .     refused type_refused .       .       .',
  deferred:
    '           wanted    reserving reserved  sent      ingesting .     .       .        .       .       .',
  slot_lost:
    '          .         .         wanted    wanted    .         .     .       .        .       .       .',
  hit_dead:
    '           .         .         .         .         wanted    .     .       .        .       .       .',
  asset_vanished:
    '     .         .         .         .         wanted    .     .       .        .       .       .',
  asset_missing:
    '      .         .         .         .         .         removed_on_service .       .        .       .       .',
  asset_unready:
    '      .         .         .         .         .         ingesting .       .        .       .       .',
  asset_failed:
    '       .         .         .         .         .         refused .       .        .       .       .',
  asset_returned:
    '     .         .         .         .         .         .     .       .        ready   .       .',
  content_orphaned:
    '   abandoned abandoned abandoned .         .         .     .       .        .       .       .',
  content_wanted_again:
    '.         .         .         .         .         .     wanted  wanted   wanted  wanted  .',
  removal_intended:
    '   .         .         .         .         .         removing .       .        .       .       .',
  asset_removed:
    '      .         .         .         .         .         .     .       .        .       .       abandoned',
  asset_kept:
    '         .         .         .         .         .         .     .       .        .       .       ready',
  removal_deferred:
    '   .         .         .         .         .         .     .       .        .       .       removing',
}

/**
 * A content with a value in every field, so that the test sees which fields are kept or cleared.
 */
function contentIn(state: ContentState): ContentProgress {
  return {
    state,
    asset_id: 'asset_old',
    made_here: false,
    without_md5: true,
    any_type: false,
    not_before_ms: 5,
    attempts: 3,
    failing_since_ms: 7,
    slot_failures: 2,
    vanished: 0,
    error_code: 'old.code',
    error_message: 'old message',
    intended_ms: 1,
    sent_ms: 2,
    following_since_ms: 3,
    ready_ms: 4,
  }
}

const after = (
  state: ContentState,
  type: ContentFact['type'],
  change: Partial<ContentProgress> = {},
) => contentAfter({ ...contentIn(state), ...change }, facts[type], now_ms)

describe('every fact in every state', () => {
  for (const [type, row] of Object.entries(table) as [ContentFact['type'], string][]) {
    test(type, () => {
      const expected = row.trim().split(/\s+/)
      expect(expected).toHaveLength(states.length)
      expect(states.map((state) => after(state, type)?.state ?? '.')).toEqual(expected)
    })
  }

  test.each(['asset_missing', 'asset_unready', 'asset_failed'] as const)(
    '%s counts only for the asset that the content has',
    (type) => {
      const said = (asset_id: string) =>
        contentAfter(contentIn('ready'), { ...facts[type], asset_id } as ContentFact, now_ms)
      expect(said('asset_old')).toEqual(contentAfter(contentIn('ready'), facts[type], now_ms))
      expect(said('asset_before')).toBeUndefined()
    },
  )
})

/** Only the named fields differ from before. */
function expectChange(
  state: ContentState,
  type: ContentFact['type'],
  change: Partial<ContentProgress>,
  before: Partial<ContentProgress> = {},
): void {
  expect(after(state, type, before), type).toEqual({ ...contentIn(state), ...before, ...change })
}

const no_error = { error_code: undefined, error_message: undefined }
const no_failures = { attempts: 0, failing_since_ms: undefined, slot_failures: 0 }
const the_error = { error_code: error.code, error_message: error.message }

test('each fact changes its fields and keeps all others', () => {
  expectChange('wanted', 'slot_intended', { state: 'reserving', intended_ms: now_ms })
  expectChange('reserving', 'slot_reserved', {
    state: 'reserved',
    asset_id: 'asset_new',
    made_here: true,
    not_before_ms: now_ms,
    slot_failures: 0,
    ...no_error,
  })
  expectChange(
    'reserving',
    'asset_found',
    {
      state: 'ingesting',
      asset_id: 'asset_found',
      made_here: false,
      ...no_failures,
      following_since_ms: now_ms,
      ...no_error,
    },
    { made_here: true },
  )
  expectChange('reserved', 'bytes_accepted', {
    state: 'sent',
    sent_ms: now_ms,
    slot_failures: 0,
    ...no_error,
  })
  expectChange('sent', 'bytes_missing', {
    state: 'reserved',
    attempts: 4,
    slot_failures: 0,
    not_before_ms: later_ms,
    ...the_error,
  })
  expectChange('sent', 'ingest_started', {
    state: 'ingesting',
    ...no_failures,
    following_since_ms: now_ms,
    not_before_ms: later_ms,
    ...no_error,
  })
  expectChange('ingesting', 'ingest_continues', {
    attempts: 4,
    not_before_ms: later_ms,
    ...no_error,
  })
  expectChange('ingesting', 'asset_ready', {
    state: 'ready',
    ready_ms: now_ms,
    ...no_failures,
    without_md5: false,
    ...no_error,
  })
  expectChange('reserved', 'content_refused', { state: 'refused', ...the_error })
  expectChange('sent', 'deferred', {
    attempts: 4,
    slot_failures: 3,
    not_before_ms: later_ms,
    ...the_error,
  })
  expectChange('reserved', 'slot_lost', {
    state: 'wanted',
    asset_id: undefined,
    attempts: 4,
    slot_failures: 0,
    not_before_ms: later_ms,
    ...the_error,
  })
  expectChange('ingesting', 'hit_dead', {
    state: 'wanted',
    asset_id: undefined,
    without_md5: true,
    ...no_failures,
    ...no_error,
  })
  expectChange('reserved', 'content_orphaned', {
    state: 'abandoned',
    asset_id: undefined,
    ...no_failures,
    ...no_error,
  })
  const wanted_again = { ...newContent(later_ms), without_md5: true }
  expect(after('abandoned', 'content_wanted_again')).toEqual(wanted_again)
  // A user asked for it, or its type is tried: it is not refused by its type again.
  for (const state of ['refused', 'type_refused'] as const) {
    expect(after(state, 'content_wanted_again')).toEqual({ ...wanted_again, any_type: true })
  }
  // A deferred step is due now; a step that was due, as above, stays due since then.
  expectChange(
    'reserved',
    'bytes_accepted',
    { state: 'sent', sent_ms: now_ms, slot_failures: 0, not_before_ms: now_ms, ...no_error },
    { not_before_ms: later_ms },
  )
})

test('an error of the content costs an attempt, and the first one sets the time since when it fails', () => {
  expectChange(
    'wanted',
    'deferred',
    { attempts: 1, failing_since_ms: now_ms, not_before_ms: later_ms, ...the_error },
    // Without a slot no failure counts as a failure of the slot.
    { attempts: 0, failing_since_ms: undefined, slot_failures: 0, asset_id: undefined },
  )
  const waiting = { content: 1, not_before_ms: later_ms }
  const old = contentIn('sent')
  expect(contentAfter(old, { type: 'deferred', ...waiting }, now_ms)).toEqual({
    ...old,
    not_before_ms: later_ms,
    slot_failures: 3,
  })
  expect(contentAfter(old, { type: 'slot_lost', ...waiting }, now_ms)).toEqual({
    ...old,
    state: 'wanted',
    asset_id: undefined,
    not_before_ms: later_ms,
    slot_failures: 0,
  })
})

test('an asset that vanishes while it is read is sent once more, then removed on the service', () => {
  const first = after('ingesting', 'asset_vanished')
  expect(first).toEqual({ ...newContent(now_ms), vanished: 1 })
  const last = after('ingesting', 'asset_vanished', { vanished: max_vanished })
  expect(last).toMatchObject({
    state: 'removed_on_service',
    error_code: 'removed_on_service',
    asset_id: 'asset_old',
  })
  expect(after('ingesting', 'asset_ready', { vanished: 1 })?.vanished).toBe(0)
})

test('a note is kept while the ingest continues', () => {
  const fact = { ...facts.ingest_continues, note: error }
  expect(contentAfter(contentIn('ingesting'), fact, now_ms)).toMatchObject(the_error)
})

/** The fact after which a content is ready, and the states before it. */
const ready_after: Partial<Record<ContentFact['type'], readonly ContentState[]>> = {
  asset_ready: ['ingesting'],
  // The removal of a ready asset ended without an effect.
  asset_kept: ['removing'],
  asset_returned: ['refused', 'removed_on_service'],
}

test('after any facts: ready comes only from the service, nothing is sent without a slot, inputs stay unchanged', () => {
  const fact = fc.constantFrom(...Object.values(facts))
  const property = fc.property(fc.array(fact, { maxLength: 60 }), (sequence) => {
    let content = newContent(0)
    for (const next of sequence) {
      const before = structuredClone(content)
      const result = contentAfter(content, next, now_ms)
      expect(content).toEqual(before)
      if (!result) continue
      if (result.state === 'ready') expect(ready_after[next.type]).toContain(before.state)
      if (result.state === 'sent' && before.state !== 'sent') expect(before.state).toBe('reserved')
      const has_asset = ['reserved', 'sent', 'ingesting', 'ready'].includes(result.state)
      if (has_asset) expect(result.asset_id).toBeDefined()
      if (['wanted', 'reserving', 'abandoned'].includes(result.state))
        expect(result.asset_id).toBeUndefined()
      if (result.state === 'refused') expect(result.error_code).toBeDefined()
      if (isUnderway(result.state))
        expect(result.ready_ms === undefined || before.ready_ms !== undefined).toBe(true)
      content = result
    }
  })
  fc.assert(property, { numRuns: 500 })
})
