import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, type Sqlite } from '../../../src/base/files/sqlite.ts'
import { groupCommits } from '../../../src/service/store/commit-group.ts'
import { temporaryFolder } from '../fixture.ts'

const migrations = [{ version: 1, sql: 'CREATE TABLE things (name TEXT PRIMARY KEY) STRICT' }]

async function withDatabase(
  work: (database: Sqlite, file: string) => Promise<void>,
): Promise<void> {
  const file = join(temporaryFolder(), 'things.db')
  const database = openSqlite({ file, migrations, synchronous: 'NORMAL' })
  try {
    await work(database, file)
  } finally {
    database.close()
  }
}

const insert = (database: Sqlite, name: string) => () =>
  database.prepare('INSERT INTO things VALUES (?)').run(name)
const names = (database: Sqlite) =>
  database.prepare('SELECT name FROM things ORDER BY rowid').pluck().all()
/** A number that changes when another connection has committed. */
const commitsSeen = (reader: Sqlite) => reader.pragma('data_version', { simple: true }) as number

test('writes of one turn are one commit, in their order', () =>
  withDatabase(async (database, file) => {
    const commits = groupCommits(database, file)
    const reader = openSqlite({ file, migrations, synchronous: 'NORMAL' })
    const before = commitsSeen(reader)
    await Promise.all(['a', 'b', 'c'].map((name) => commits.write(insert(database, name))))
    expect(commitsSeen(reader)).toBe(before + 1)
    expect(names(reader)).toEqual(['a', 'b', 'c'])
    await commits.close()
    reader.close()
  }))

test('a failing write undoes only its own changes', () =>
  withDatabase(async (database, file) => {
    const commits = groupCommits(database, file)
    const broken = commits.write(() => {
      insert(database, 'half')()
      throw new Error('planted')
    })
    const [failed, doubled, kept] = await Promise.allSettled([
      broken,
      commits.write(insert(database, 'kept')).then(() => commits.write(insert(database, 'kept'))),
      commits.writeUnflushed(() => 'an answer'),
    ])
    expect([failed, kept]).toMatchObject([
      { reason: { message: 'planted' } },
      { value: 'an answer' },
    ])
    expect(doubled).toMatchObject({ reason: { code: 'database.failed' } })
    expect(names(database)).toEqual(['kept'])
    await commits.close()
  }))

test('a write that cannot be flushed fails; one that waits for no flush succeeds', () =>
  withDatabase(async (database, file) => {
    // The log path is wrong, so no flush can succeed.
    const commits = groupCommits(database, `${file}.elsewhere`)
    await commits.writeUnflushed(insert(database, 'committed'))
    await expect(commits.write(insert(database, 'unsure'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
    await commits.close()
  }))

test('after the database is closed every write is an error', () =>
  withDatabase(async (database, file) => {
    const commits = groupCommits(database, file)
    await commits.write(insert(database, 'last'))
    await commits.close()
    database.close()
    await expect(commits.write(() => 1)).rejects.toThrow()
  }))
