import fc from 'fast-check'
import { day_ms } from '../../src/base/time/time.ts'
import type { HealthFacts } from '../../src/status/health/problems.ts'

export const now_ms = Date.UTC(2026, 5, 1, 12)

const time = fc.integer({ min: now_ms - 40 * day_ms, max: now_ms })
const text = fc.constantFrom('a', 'b', 'c')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const many = <T>(value: fc.Arbitrary<T>, nameOf: (one: T) => string) =>
  fc.uniqueArray(value, { selector: nameOf, maxLength: 3 })

/** Arbitrary facts of health, all at once. */
export const anyFacts: fc.Arbitrary<HealthFacts> = fc.record({
  now_ms: fc.constant(now_ms),
  absences: fc
    .array(
      fc.record({
        why: fc.constantFrom('away', 'paused'),
        from_ms: time,
        length_ms: fc.nat(20 * day_ms),
      }),
      {
        maxLength: 3,
      },
    )
    .map((some) =>
      some
        .map(
          ({ why, from_ms, length_ms }) => ({ why, from_ms, to_ms: from_ms + length_ms }) as const,
        )
        .sort((one, other) => one.from_ms - other.from_ms),
    ),
  paused: maybe(fc.record({ since_ms: time })),
  folders: many(
    fc.record({
      name: text,
      online: fc.boolean(),
      offline_reason: maybe(text),
      state_since_ms: time,
      kept_ms: time,
      scanned_ms: maybe(time),
      rescan_interval_ms: fc.integer({ min: 10_000, max: 7 * day_ms }),
    }),
    ({ name }) => name,
  ),
  waiting: maybe(fc.record({ since_ms: time, name: text, held: fc.boolean() })),
  unchecked: maybe(fc.record({ since_ms: time, name: text })),
  failing: many(
    fc.record({
      given_up: fc.boolean(),
      contents: fc.integer({ min: 1, max: 9 }),
      since_ms: time,
      name: text,
      message: text,
    }),
    ({ given_up }) => String(given_up),
  ),
  troubles: many(
    fc.record({
      about: fc.constantFrom('account', 'api', 'blob', 'uploads', 'project:p'),
      message: text,
      hint: maybe(text),
      since_ms: time,
    }),
    ({ about }) => about,
  ),
  audits: many(
    fc.record({
      project_id: text,
      since_ms: time,
      round_ms: fc.constant(day_ms),
      running_ms: maybe(time),
      emptied: maybe(fc.record({ since_ms: time, removed: fc.nat(200), expected: fc.nat(200) })),
    }),
    ({ project_id }) => project_id,
  ),
  prompts: many(
    fc.record({
      name: text,
      patience_ms: fc.nat(day_ms),
      unmet_ms: maybe(time),
      failed: maybe(fc.record({ run: fc.nat(9), since_ms: time, why: text })),
    }),
    ({ name }) => name,
  ),
  given_up: many(
    fc.record({
      prompt: text,
      run: maybe(fc.nat(9)),
      target: text,
      receiver: text,
      since_ms: time,
      message: text,
    }),
    ({ prompt, target }) => `${prompt}/${target}`,
  ),
  disk: maybe(fc.record({ path: text, free_bytes: fc.nat(1_000_000_000) })),
  stuck: many(fc.record({ name: text, silent_ms: fc.nat(day_ms) }), ({ name }) => name),
  ledger_fault: maybe(fc.record({ message: text, hint: maybe(text), since_ms: time })),
})
