import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minute_ms, zonedText } from '../../src/base/time/time.ts'
import { AlertJudge, alertText, reportedAfter } from '../../src/status/health/alerts.ts'
import type { Problem } from '../../src/status/health/problems.ts'

const times = { group_ms: minute_ms, resolve_after_ms: 10 * minute_ms }
const reason = (about: string): Problem => ({
  kind: 'folder',
  about,
  message: `${about} is offline`,
  hint: 'mount it',
  since_ms: 0,
})
const [a, b] = [reason('a'), reason('b')]

/** The messages that follow from these problems, minute by minute. */
function markReported(judge: AlertJudge, minutes: readonly (readonly Problem[])[], first = 0) {
  return minutes.flatMap((problems, minute) => {
    const due = judge.judge(problems, (first + minute) * minute_ms, times)
    if (!due) return []
    judge.markReported(due)
    const names = (list: readonly { about: string }[]) => list.map(({ about }) => about).join('')
    return [`${first + minute}: +${names(due.began)} -${names(due.over)} =${names(due.lasting)}`]
  })
}
const still = (minutes: number, ...problems: Problem[]) =>
  Array.from({ length: minutes }, () => problems)

test('one message for all problems within the window, one when all are resolved', () => {
  expect(
    markReported(new AlertJudge([]), [[], [a], [a, b], ...still(20, a, b), ...still(20)]),
  ).toEqual(['2: +ab - =', '33: + -ab ='])
})

test('a problem that is resolved before the window ends is not reported', () => {
  expect(markReported(new AlertJudge([]), [[a], [], [b], [], ...still(20)])).toEqual([])
})

test('a problem that comes and goes is reported once, and resolved once', () => {
  const flapping = Array.from({ length: 60 }, (_, minute) => (minute % 3 === 0 ? [] : [a]))
  expect(markReported(new AlertJudge([]), [...flapping, ...still(20)])).toEqual([
    '2: +a - =',
    '70: + -a =',
  ])
})

test('a message reports a resolved part, and one a new problem', () => {
  expect(
    markReported(new AlertJudge([]), [
      ...still(3, a, b),
      ...still(15, b),
      ...still(5, b, reason('c')),
    ]),
  ).toEqual(['1: +ab - =', '13: + -a =b', '19: +c - =b'])
})

test('an alert for a resolved problem does not delay the alert for a new one', () => {
  expect(markReported(new AlertJudge([]), [...still(2, a), ...still(10), ...still(3, b)])).toEqual([
    '1: +a - =',
    '12: + -a =',
    '13: +b - =',
  ])
})

test('the next start knows the reported problems: it neither repeats nor forgets them', () => {
  const first = new AlertJudge([])
  const due = first.judge([a, b], 0, { ...times, group_ms: 0 })!
  const reported = reportedAfter(due)
  expect(markReported(new AlertJudge(reported), [...still(5, a, b), ...still(11, b)])).toEqual([
    '15: + -a =b',
  ])
})

test('property: no problem is reported twice, and none is resolved that was not reported', () => {
  const minute = fc.subarray([a, b, reason('c')])
  fc.assert(
    fc.property(fc.array(minute, { maxLength: 60 }), (minutes) => {
      const judge = new AlertJudge([])
      const standing = new Set<string>()
      for (const [at, problems] of [...minutes, ...still(20)].entries()) {
        const due = judge.judge(problems, at * minute_ms, times)
        if (!due) continue
        for (const { about } of due.began) {
          expect(standing).not.toContain(about)
          expect(problems.map((one) => one.about)).toContain(about)
          standing.add(about)
        }
        for (const { about } of due.over) expect(standing.delete(about)).toBe(true)
        expect(new Set(reportedAfter(due).map(({ about }) => about))).toEqual(standing)
        judge.markReported(due)
      }
      expect([...standing]).toEqual([])
    }),
  )
})

test('the message says what is wrong, where, and what to do', () => {
  const place = { host: 'nas', state_dir: '/var/lib/sluice' }
  const named = { ...a, message: 'a_*b is offline' }
  const { subject, text } = alertText({ began: [named, b], over: [], lasting: [] }, place, 0)
  expect(subject).toBe('Sluice on nas: a_*b is offline (and 1 more)')
  expect(text).toContain('- **folder**: a\\_\\*b is offline\n  What to do: mount it\n')
  // Its readers may live in another zone.
  expect(text).toContain(`Sluice on nas, /var/lib/sluice, ${zonedText(0)};`)
  const over = alertText({ began: [], over: [a], lasting: [] }, place, minute_ms)
  expect(over.subject).toBe('Sluice on nas: all problems are resolved')
  // The message shows when the problem began; the report comes later by the window and the limits
  // of health.
  expect(over.text).toContain('- **folder**: a is offline (began 1 min ago)\n')
  expect(alertText({ began: [], over: [a], lasting: [b] }, place, 0).subject).toBe(
    'Sluice on nas: folder a: resolved, 1 problem left',
  )
})

test('a long subject keeps its end', () => {
  const long = { ...a, about: 'a'.repeat(300), message: 'm'.repeat(300) }
  const subjectOf = (due: Parameters<typeof alertText>[0]) =>
    alertText(due, { host: 'nas', state_dir: '/var/lib/sluice' }, 0).subject
  const prefix = 'Sluice on nas: '
  const began = subjectOf({ began: [long, b], over: [], lasting: [] })
  expect(began).toMatch(/m… \(and 1 more\)$/)
  expect(began).toHaveLength(prefix.length + 160)
  expect(subjectOf({ began: [], over: [long], lasting: [b] })).toMatch(
    /a…: resolved, 1 problem left$/,
  )
})
