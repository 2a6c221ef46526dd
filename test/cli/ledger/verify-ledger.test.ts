import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { Home } from '../sluice.ts'

async function synced(): Promise<Home> {
  const home = await Home.make({ 'a.txt': 'one', 'b/c.txt': 'two' })
  expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
  return home
}

/** Writes zeros over the last pages of a database that is one file. */
function damage(file: string, pages: number): void {
  ;new (sqliteDriver())(file).close()
  const descriptor = openSync(file, 'r+')
  const bytes = pages * 4_096
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, statSync(file).size - bytes)
  closeSync(descriptor)
}

test('rows that contradict each other: exit code 3, each rule with its count and an example', async () => {
  const home = await synced()
  const database = new (sqliteDriver())(join(home.path, 'state/ledger.db'))
  database.exec(`DELETE FROM arrivals; UPDATE counts SET files = files + 1 WHERE stage = 'ready'`)
  database.close()
  const { code, out } = await home.inProcess('verify')
  expect([code, out]).toEqual([
    3,
    [
      '2 × the ledger contradicts itself',
      '  a ready file never arrived in its folder, so no prompt sees it (2 times, one of them: docs/a.txt)',
      '  a count that status shows differs from the files (docs: ready)',
      '  stop the daemon, then `sluice restore FILE` where there is a backup from before, else move ledger.db away and `sluice rebuild`, which uploads nothing again',
      '3 files ready, 2 of 2 assets usable; 2 differences',
      '',
    ].join('\n'),
  ])
  const found = JSON.parse((await home.inProcess('verify', '--json')).out).found
  expect(found.map(({ kind }: { kind: string }) => kind)).toEqual([
    'ledger_inconsistent',
    'ledger_inconsistent',
  ])
  // The suggested repair works.
  rmSync(join(home.path, 'state/ledger.db'))
  expect(await home.inProcess('rebuild')).toMatchObject({ code: 0 })
  expect(await home.inProcess('verify')).toMatchObject({
    code: 0,
    out: '2 files ready, 2 of 2 assets usable; no differences\n',
  })
})

test('a ledger that SQLite cannot read completely: exit code 3, and nothing is compared with it', async () => {
  const home = await synced()
  const file = join(home.path, 'state/ledger.db')
  damage(file, 1)
  const { code, out, err } = await home.inProcess('verify')
  expect([code, err]).toEqual([3, ''])
  expect(out).toMatch(/^1 × the ledger is damaged, so it was not compared\n/)
  expect(out).toContain(`${file}: `)
  expect(out).toContain('`sluice rebuild`, which uploads nothing again')
  expect(out).toMatch(/\nservice not compared; 1 difference in what could be compared\n$/)
  expect(JSON.parse((await home.inProcess('verify', '--json')).out)).toMatchObject({
    complete: false,
    folders: [],
    projects: [],
    differences: { ledger_damaged: 1, gone_from_disk: 0, missing_on_service: 0 },
  })
})

test('unreadable tickets are one difference, and the rest is compared; a restore leaves no tickets', async () => {
  const home = await synced()
  const file = join(home.path, 'state/tickets.db')
  damage(file, 1)
  const { code, out } = await home.inProcess('verify')
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(/^1 × the records of open uploads are damaged\n/),
  ])
  expect(out).toContain('\n2 files ready, 2 of 2 assets usable; 1 difference\n')
  rmSync(file)
  expect(await home.inProcess('verify')).toMatchObject({
    code: 0,
    out: '2 files ready, 2 of 2 assets usable; no differences\n',
  })
})
