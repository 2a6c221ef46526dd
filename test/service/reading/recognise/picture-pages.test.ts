import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../../src/base/files/sqlite.ts'
import { openPictureStore } from '../../../../src/service/store/picture-pages.ts'
import { service_migrations } from '../../../../src/service/store/schema.ts'

/** A store of pages with the assets 1 to 3. */
function open() {
  const migrations = service_migrations
  const database = openSqlite({ file: ':memory:', migrations, synchronous: 'NORMAL' })
  onTestFinished(() => void database.close())
  database.exec(
    `INSERT INTO projects (project_id, name, created_at_ms, workspace) VALUES ('p', 'p', 0, 1)`,
  )
  for (const id of ['a', 'b', 'c'])
    database.exec(`INSERT INTO assets (asset_id, project, filename, mime_type, status, created_at_ms, expires_at_ms)
      VALUES ('${id}', 1, '', '', 'ready', 0, 0)`)
  return { database, pictures: openPictureStore(database) }
}

const found = (page: number) => ({ page, words: `words ${page}`, fault: null })

test('each file has its turn, and only pages of programs that are here', () => {
  const { pictures } = open()
  pictures.queue(1, [
    { kind: 'pdf', page: 2 },
    { kind: 'pdf', page: 3 },
  ])
  pictures.queue(2, [{ kind: 'picture', page: 1 }])
  pictures.queue(3, [{ kind: 'xls', page: 1 }])
  const order: unknown[] = []
  for (;;) {
    const next = pictures.next(['pdf', 'picture'])
    if (!next) break
    order.push([next.asset, next.page])
    pictures.note(next.asset, found(next.page))
  }
  expect(order).toEqual([
    [1, 2],
    [2, 1],
    [1, 3],
  ])
  expect(pictures.next(['xls'])).toEqual({ asset: 3, page: 1, kind: 'xls' })
})

test('a page that is known is not queued again; what was converted is forgotten alone', () => {
  const { pictures } = open()
  pictures.queue(1, [{ kind: 'pdf', page: 1 }])
  pictures.queue(1, [{ kind: 'xls', page: 2 }])
  for (const page of [1, 2]) pictures.note(1, found(page))
  pictures.queue(1, [{ kind: 'pdf', page: 1 }])
  expect(pictures.countWaiting(1)).toBe(0)
  pictures.dropConverted(1)
  expect(pictures.done(1)).toEqual([found(1)])
})

test('an index that another reader wrote with fewer pages is not whole', () => {
  const { pictures } = open()
  pictures.queue(1, [
    { kind: 'pdf', page: 1 },
    { kind: 'pdf', page: 2 },
  ])
  pictures.note(1, found(1))
  // The second page waits: the file is put into the index with it.
  expect(pictures.notIndexed()).toBeUndefined()
  pictures.note(1, found(2))
  expect(pictures.notIndexed()).toBe(1)
  pictures.indexed(1, [1, 2])
  expect(pictures.notIndexed()).toBeUndefined()
  pictures.indexed(1, [1])
  expect(pictures.notIndexed()).toBe(1)
})

test('pages go with their asset, and none are queued for one that is gone', () => {
  const { database, pictures } = open()
  pictures.queue(1, [{ kind: 'pdf', page: 1 }])
  database.exec('DELETE FROM assets WHERE seq = 1')
  pictures.queue(1, [{ kind: 'pdf', page: 1 }])
  pictures.note(1, found(1))
  expect([pictures.next(['pdf']), pictures.done(1)]).toEqual([undefined, []])
})

test('the next page is found without a scan', () => {
  const { database } = open()
  const plan = database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT asset, page, kind FROM picture_pages WHERE state = 'waiting'
         AND kind IN (SELECT value FROM json_each('["pdf"]')) ORDER BY turn, asset LIMIT 1`,
    )
    .all() as { detail: string }[]
  expect(plan[0]?.detail).toContain('USING INDEX picture_pages_waiting')
})
