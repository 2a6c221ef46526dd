import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Arrival, UnreadyFile } from '../../../src/ledger/prompt-work.ts'
import { createLedgerStore, type LedgerStore } from '../../../src/ledger/store.ts'
import { makeTree } from '../../rig/tree.ts'
import { md5Of, no_limits, project_id, statOf } from '../fixture.ts'

function openStore(): LedgerStore {
  const place = makeTree()
  const store = createLedgerStore(
    { ledger: join(place, 'ledger.db'), tickets: join(place, 'tickets.db') },
    no_limits,
  )
  onTestFinished(() => {
    store.tickets.transaction.commit()
    store.close()
  })
  const plain = { root: '/docs', project_id, labels: [], label_from: 'none', rules: '' } as const
  store.record(
    ['docs', 'second'].map((name) => ({ type: 'folder_configured', folder: { ...plain, name } })),
    1,
  )
  store.record(
    [
      {
        type: 'prompts_configured',
        prompts: [{ name: 'digest', project_id, schedule: '', first_run: 'all', folders: [] }],
      },
    ],
    1,
  )
  return store
}

function settled(folder: string, path: string): Fact {
  return { type: 'file_settled', folder, path, stat: statOf(3), md5: md5Of(path) }
}

function makeReady(store: LedgerStore, content: number): void {
  const asset_id = `asset_${content}`
  store.record(
    [
      { type: 'slot_intended', content },
      { type: 'asset_found', content, asset_id },
      { type: 'asset_ready', content },
    ],
    2,
  )
}

function allUnready(store: LedgerStore, limit: number): { files: UnreadyFile[]; pages: number } {
  const files: UnreadyFile[] = []
  for (let after: { folder: string; path: string } | undefined, pages = 1; ; pages++) {
    const page = store.unready({
      prompt: 'digest',
      folders: ['docs', 'second'],
      only_come: false,
      after,
      limit,
    })
    files.push(...page.files)
    if (!page.next) return { files, pages }
    after = page.next
  }
}

test('with more unready files than one sort takes, the folder is walked, with the same result', () => {
  const store = openStore()
  const names = Array.from(
    { length: 5_000 },
    (_, number) => `${String(number).padStart(4, '0')}.txt`,
  )
  store.database.transaction(() => {
    store.record(
      names.map((name) => settled('docs', name)),
      2,
    )
    store.record([settled('second', 'last')], 2)
    // Every tenth file is gone, and the range of about two thousand is ready.
    for (const [index, name] of names.entries()) {
      if (index >= 2_500 && index < 4_700) makeReady(store, index + 1)
      else if (index % 10 === 0)
        store.record([{ type: 'file_gone', folder: 'docs', path: name }], 2)
    }
    store.record(
      [{ type: 'file_seen', folder: 'docs', path: '3000.txt', stat: statOf(4), not_before_ms: 3 }],
      3,
    )
  })()
  const expected = names.filter(
    (_, index) => index === 3_000 || ((index < 2_500 || index >= 4_700) && index % 10 !== 0),
  )
  for (const limit of [700, 10_000]) {
    const { files } = allUnready(store, limit)
    expect(files.map(({ folder, path }) => `${folder}/${path}`)).toEqual([
      ...expected.map((name) => `docs/${name}`),
      'second/last',
    ])
    expect(files.find(({ path }) => path === '3000.txt')).toMatchObject({
      stage: 'moving',
      size: 4,
    })
  }
})

test('a page reads a bounded number of arrivals, and the next page continues behind them', () => {
  const store = openStore()
  store.record([settled('docs', 'first'), settled('docs', 'last')], 2)
  makeReady(store, 1)
  store.database.exec(
    `INSERT INTO arrivals (folder, content, at_ms) WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
     SELECT 1, i, 2 FROM n`,
  )
  makeReady(store, 2)
  const found: Arrival[] = []
  let pages = 0
  for (let after: { seq: number; path: string } | undefined; ; ) {
    const page = store.arrivals({
      prompt: 'digest',
      folders: ['docs'],
      only_fresh: true,
      only_come: true,
      after,
      limit: 10,
    })
    pages++
    found.push(...page.arrivals)
    if (!page.next) break
    after = page.next
  }
  expect(found.map(({ path }) => path)).toEqual(['first', 'last'])
  expect(pages).toBe(3)
})

test('open runs, due deliveries and old runs are found by partial indexes, however many have ended', () => {
  const { database } = openStore()
  const plan = (sql: string) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n')
  const open = `state IN ('due', 'planned', 'asking', 'asked', 'answered')`
  expect(plan(`SELECT id FROM runs WHERE prompt = 1 AND ${open} ORDER BY +id LIMIT 1`)).toMatch(
    /INDEX runs_open/,
  )
  expect(plan(`SELECT run FROM deliveries WHERE state = 'wanted' AND not_before_ms <= 5`)).toMatch(
    /INDEX deliveries_due/,
  )
  expect(
    plan(`SELECT id FROM runs WHERE ended_ms IS NOT NULL AND ended_ms < 5 ORDER BY ended_ms`),
  ).toMatch(/INDEX runs_ended/)
})
