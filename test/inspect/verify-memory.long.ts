import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'
import { hour_ms, system_clock } from '../../src/base/time/time.ts'
import { verified } from '../journeys/audit/verified.ts'
import { begin, type Journey, localJourneys } from '../journeys/rig/harness.ts'
import { recount } from '../ledger/broken-rules.ts'

const Database = sqliteDriver()

localJourneys('verify', (profile) => {
  test('compares 10,000 files on each side in order and in bounded memory', async () => {
    const journey = await begin({ tree: { 'docs/a.txt': 'a' }, profile })
    await journey.allReady()
    await journey.idle()
    await journey.stop()
    // An hour later every changed file has settled.
    const later = { ...system_clock, now_ms: () => system_clock.now_ms() + hour_ms }
    const names = Array.from({ length: 10_000 }, (_, index) => `${index % 100}/${index}.txt`)
    journey.write(Object.fromEntries(names.map((name) => [`docs/${name}`, name])))
    rememberAll(
      journey,
      names.map((name, index) => (index % 10 === 0 ? `${name}.old` : name)),
    )
    const before_bytes = process.memoryUsage().rss
    let max_bytes = 0
    const onProgress = () => {
      max_bytes = Math.max(max_bytes, process.memoryUsage().rss - before_bytes)
    }
    const { summary } = await verified(journey, { full: false, clock: later, onProgress })
    expect(summary.differences).toMatchObject({
      unknown_on_disk: 1_000,
      gone_from_disk: 1_000,
      changed_on_disk: 0,
    })
    expect(summary.folders).toMatchObject([{ files: 10_001, complete: true }])
    expect(max_bytes).toBeLessThan(150 * 1_048_576)
    for (let index = 0; index < 100; index++) journey.remove(`docs/${index}`)
  })
})
/**
 * Records files in the ledger as they lie on the disk, with contents that need no upload. A missing
 * file gets invented times.
 */
function rememberAll(journey: Journey, paths: readonly string[]): void {
  const database = new Database(join(journey.home, 'state', 'ledger.db'))
  const insert = database.prepare(
    `INSERT INTO files (folder, path, state, size, mtime_ns, ctime_ns, inode, content, seen_ms)
     VALUES (1, ?, 'present', ?, ?, ?, ?, ?, 0)`,
  )
  const insert_content = database.prepare(
    `INSERT INTO contents (project, md5, size, state, not_before_ms, wanted_ms) VALUES (1, randomblob(16), ?, 'abandoned', 0, 0)`,
  )
  try {
    database.transaction(() => {
      for (const path of paths) {
        const stat = lstatSync(journey.at(`docs/${path}`), { bigint: true, throwIfNoEntry: false })
        const { size, mtimeNs, ctimeNs, ino } = stat ?? {
          size: 1n,
          mtimeNs: 1n,
          ctimeNs: 1n,
          ino: 1n,
        }
        const content = insert_content.run(size).lastInsertRowid
        insert.run(path, size, mtimeNs, ctimeNs, BigInt.asIntN(64, ino), content)
      }
      recount(database)
    })()
  } finally {
    database.close()
  }
}
