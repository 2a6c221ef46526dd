import { expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import { createPageCache } from '../../../src/ledger/file/ledger-file.ts'

test('the page cache is large from the first found files until the scan has ended', () => {
  const database = new (sqliteDriver())(':memory:')
  try {
    const cache = createPageCache(database)
    const kib = () => -(database.pragma('cache_size', { simple: true }) as number)
    const usual_kib = kib()
    const sizesAt = (...types: Fact['type'][]) => {
      return types.map((type) => {
        cache.fit({ type } as Fact)
        return `${type} ${kib() > usual_kib ? 'large' : 'usual'}`
      })
    }
    expect(sizesAt('file_settled', 'files_found', 'file_settled')).toEqual([
      'file_settled usual',
      'files_found large',
      'file_settled large',
    ])
    expect(sizesAt('files_found', 'scan_finished')).toEqual([
      'files_found large',
      'scan_finished usual',
    ])
    // A rescan keeps little of what it reads, so that all its memory stays below 160 MB.
    expect(usual_kib).toBeLessThanOrEqual(8_192)
  } finally {
    database.close()
  }
})
