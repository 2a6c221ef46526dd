import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/base/files/sqlite.ts'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'

describe('the driver of this Node', () => {
  test('has the version that this Node allows', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const is_new = major > 22 || (major === 22 && minor >= 14)
    // Only version 13 has this method.
    expect('explain' in sqliteDriver().prototype).toBe(is_new)
  })

  test('returns numbers, big numbers, bytes, counts and errors as the ledger takes them', () => {
    const database = openSqlite({ file: ':memory:', migrations: [], synchronous: 'NORMAL' })
    database.exec(
      'CREATE TABLE t (id INTEGER PRIMARY KEY, big INTEGER UNIQUE, bytes BLOB, text TEXT NOT NULL)',
    )
    const insert = database.prepare('INSERT INTO t (big, bytes, text) VALUES (?, ?, ?)')
    const nanoseconds = 1_790_000_000_123_456_789n
    expect(insert.run(nanoseconds, Buffer.from([0, 255]), 'ä\u0000b')).toEqual({
      changes: 1,
      lastInsertRowid: 1,
    })
    const select = database.prepare('SELECT * FROM t')
    expect(select.safeIntegers().get()).toEqual({
      id: 1n,
      big: nanoseconds,
      bytes: Buffer.from([0, 255]),
      text: 'ä\u0000b',
    })
    expect(select.safeIntegers().raw().all()).toEqual([
      [1n, nanoseconds, Buffer.from([0, 255]), 'ä\u0000b'],
    ])
    expect(database.prepare('SELECT count(*) FROM t WHERE id > :min').pluck().get({ min: 0 })).toBe(
      1,
    )
    expect(() => insert.run(nanoseconds, null, 'x')).toThrow(
      expect.objectContaining({ name: 'SqliteError', code: 'SQLITE_CONSTRAINT_UNIQUE' }),
    )
    expect(() => insert.run(2n, null, null)).toThrow(
      expect.objectContaining({
        code: 'SQLITE_CONSTRAINT_NOTNULL',
        message: 'NOT NULL constraint failed: t.text',
      }),
    )
    expect(() => insert.run(2n ** 63n, null, 'x')).toThrow(RangeError)
    const all = database.prepare('SELECT id FROM t').iterate()
    all.next()
    expect(() => insert.run(3n, null, 'x')).toThrow(TypeError)
    all.return?.()
    database.close()
    expect(() => select.get()).toThrow(TypeError)
  })

  // Version 12 aborts Node 24.19 and newer as soon as this happens.
  test('frees statements that are no longer referenced', async () => {
    const database = openSqlite({ file: ':memory:', migrations: [], synchronous: 'NORMAL' })
    for (let round = 0; round < 20; round++) {
      for (let number = 0; number < 1_000; number++) database.prepare(`SELECT ${number}`).get()
      await new Promise((done) => setImmediate(done))
    }
    database.close()
  })
})
