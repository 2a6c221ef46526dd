import { expect, test } from 'vitest'
import { differenceOf } from '../../../src/cli/commands/prompts-diff.ts'
import { scheduleText } from '../../../src/cli/text/prompt-runs.ts'

test.each([
  ['0 8 * * 1', 'Mondays 08:00 UTC'],
  ['30 17 * * 7', 'Sundays 17:30 UTC'],
  ['5 6 * * *', 'daily 06:05 UTC'],
  ['0 7 * * 1-5', 'Mondays to Fridays 07:00 UTC'],
  ['5 *  * * *', 'hourly at :05 UTC'],
  ['0 8 1 * *', '0 8 1 * * UTC'],
  ['*/5 * * * *', '*/5 * * * * UTC'],
  ['0 * * * 1', '0 * * * 1 UTC'],
])('describes %s in words', (cron, text) => expect(scheduleText({ cron, timezone: 'UTC' })).toBe(text))

const assets = (...names: string[]) => names.map((name) => ({ asset_id: `asset_${name}`, name }))

test('two runs: a unified diff of the answers, and the assets that were added and removed', () => {
  const before = { name: 'digest@1', answer: 'one\ntwo\nthree', assets: assets('a', 'b') }
  const after = { name: 'digest@2', answer: 'one\n2\nthree\n', assets: assets('b', 'c') }
  expect(differenceOf(before, after)).toEqual({
    patch: '--- digest@1\n+++ digest@2\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    added: ['c'],
    removed: ['a'],
  })
  expect(differenceOf(before, { ...before, name: 'digest@3' })).toEqual({ patch: '', added: [], removed: [] })
})
