import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import { newTurn } from '../../../src/domain/run-progress.ts'
import { differenceOf } from '../../../src/prompts/show/compare-runs.ts'

const content = { content: 1, md5: 'a', size: 1, seq: 1, arrived_ms: 0, turn: 0, times_unread: 0 }

function runOf(day: number, answer: string, ...names: string[]) {
  const turns = [{ ...newTurn(''), answer }]
  const planned_assets = names.map((name) => ({ ...content, asset_id: `asset_${name}`, name }))
  return { prompt: 'digest', due_ms: day * day_ms, turns, planned_assets }
}

test('two runs: a unified diff of the answers, and the assets that were added and removed', () => {
  const before = runOf(0, 'one\ntwo\nthree', 'a', 'b')
  const after = runOf(1, 'one\n2\nthree\n', 'b', 'c')
  const config = { prompts: [] }
  const names = '--- digest@1970-01-01T00:00+00:00\n+++ digest@1970-01-02T00:00+00:00\n'
  expect(differenceOf(before, after, config)).toEqual({
    patch: `${names}@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n`,
    added: ['c'],
    removed: ['a'],
  })
  expect(differenceOf(before, { ...before, due_ms: 1 }, config)).toEqual({
    patch: '',
    added: [],
    removed: [],
  })
})
