import { expect, test } from 'vitest'
import { preparingOnce } from '../../src/base/files/sqlite.ts'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'

test('one SQL text is prepared once, and follows a table that changed its shape', () => {
  const database = preparingOnce(new (sqliteDriver())(':memory:'))
  try {
    database.exec('CREATE TABLE things (name TEXT); INSERT INTO things VALUES (1)')
    const all = () => database.prepare('SELECT * FROM things')
    expect(all()).toBe(all())
    expect(all().all()).toEqual([{ name: '1' }])
    database.exec('ALTER TABLE things ADD COLUMN size INTEGER')
    expect(all().all()).toEqual([{ name: '1', size: null }])
  } finally {
    database.close()
  }
})
