import { expect, test } from 'vitest'
import { best_copy_first, is_there, oldestThere } from '../../../src/ledger/rows/file-rows.ts'
import { createLedgerStore } from '../../../src/ledger/store.ts'
import { makeStore } from '../../rig/tree.ts'
import { no_limits } from '../fixture.ts'

test('queries about copies that come or go use the index, and read no other copy', () => {
  const place = makeStore()
  const store = createLedgerStore(
    { ledger: `${place}/ledger.db`, tickets: `${place}/tickets.db` },
    no_limits,
  )
  const searches = (sql: string) =>
    (store.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((detail) => detail.startsWith('SEARCH files'))

  // One search for each state, to the first there_ms that is not NULL.
  expect(searches(`SELECT ${oldestThere('1', '2')}`)).toEqual(
    Array(5).fill(
      'SEARCH files USING COVERING INDEX files_by_content (content=? AND state=? AND folder=? AND there_ms>?)',
    ),
  )
  expect(searches(`SELECT 1 FROM files WHERE content = 1 AND ${is_there} LIMIT 1`)).toEqual([
    'SEARCH files USING COVERING INDEX files_by_content (content=? AND state=?)',
  ])
  store.close()
})

test('a content is named after a present copy, else one that is there, else a gone one', () => {
  const place = makeStore()
  const store = createLedgerStore(
    { ledger: `${place}/ledger.db`, tickets: `${place}/tickets.db` },
    no_limits,
  )
  const files = `(SELECT 'gone' AS state UNION ALL SELECT 'blocked' UNION ALL SELECT 'present') AS files`
  const best = store.database
    .prepare(`SELECT state FROM ${files} ORDER BY ${best_copy_first}`)
    .pluck()
  expect(best.all()).toEqual(['present', 'blocked', 'gone'])
  store.close()
})
