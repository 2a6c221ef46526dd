import { expect, test } from 'vitest'
import { minute_ms } from '../../src/base/time/time.ts'
import { removalReasons } from '../../src/inspect/explain/removal-reasons.ts'

const now_ms = Date.UTC(2026, 5, 1)

/** A deleted file, whose asset is to be removed after this time. */
function sayOf(why: 'grace' | 'service', in_ms: number): string[] {
  const parting = { due_ms: now_ms + in_ms, why, is_ours: true, outdated_ms: 1 }
  const folder = { name: 'docs', on_delete: 'remove', delete_grace_ms: 1 }
  return removalReasons({
    now_ms,
    folder,
    story: { content: { state: 'ready' } },
    parting,
  } as never)
}

test.each([
  ['grace', 10 * minute_ms, ' in 10 min, unless it comes back (delete_grace_ms)'],
  ['grace', 0, ' next, unless it comes back (delete_grace_ms)'],
  ['grace', -10 * minute_ms, ' next, unless it comes back (delete_grace_ms)'],
  ['service', 10 * minute_ms, '; the service refused, and is asked again in 10 min'],
  ['service', -10 * minute_ms, '; the service refused, and is asked again next'],
] as const)('%s, due in %i ms:%s', (why, in_ms, text) => {
  expect(sayOf(why, in_ms)).toEqual([`it is to be removed on the service${text}`])
})
