import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { backUpLedger, restoreLedger } from '../../../src/ledger/backup.ts'
import { ledger_migrations, openLedgerFile } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import { createNamingReader } from '../../../src/ledger/rows/name-rows.ts'
import { openArrivalsView } from '../../../src/ledger/views/view-arrivals.ts'
import { makeStore } from '../../rig/tree.ts'
import { assetOf, md5Of, openRig, project_id, ticket } from './view-rig.ts'

/** A ledger with the folders `notes` and `secret`, and what names the assets of a file. */
async function openNames() {
  const rig = await openRig()
  const labels = { labels: [], label_from: 'none', rules: '' } as const
  const folder = { name: 'secret', root: '/srv/secret', project_id, ...labels }
  await rig.record(
    { type: 'folder_configured', folder },
    { type: 'folder_online', folder: 'secret', device: 2n },
  )
  const view = openArrivalsView(rig.state_dir)
  onTestFinished(() => view.close())
  const naming = (content: number, path: string) =>
    view.naming({ asset_id: assetOf(content), folder: 'notes', path, arrived_ms: 0 })

  async function bringIn(path: string, made: 'made' | 'found', name?: string, md5 = md5Of(9e9)) {
    const content = await rig.settle(path, { md5 })
    const asset_id = assetOf(content)
    await rig.record({ type: 'slot_intended', content })
    if (made === 'found') await rig.record({ type: 'asset_found', content, asset_id })
    else
      await rig.record(
        { type: 'slot_reserved', content, asset_id, ticket },
        { type: 'bytes_accepted', content },
        { type: 'ingest_started', content, not_before_ms: 0 },
      )
    await rig.record({ type: 'asset_ready', content, shown_name: name })
    return content
  }

  async function listed(content: number, name: string) {
    await rig.record({ type: 'audit_round_began', project_id })
    const { round } = (await rig.ledger.audits())[0]!
    const items = [{ asset_id: assetOf(content), status: 'ready' as const, name }]
    await rig.record({ type: 'assets_listed', project_id, round, cursor: undefined, items })
  }
  return { ...rig, naming, bringIn, listed }
}

test('the name of an asset that was there already comes from its record', async () => {
  const { naming, bringIn, settle } = await openNames()
  await settle('layoffs.txt', { folder: 'secret', md5: md5Of(9e9) })
  const content = await bringIn('a.txt', 'found', 'secret/layoffs.txt')
  expect(naming(content, 'a.txt')).toEqual(['secret'])
})

test('a name that no file gives is of unknown origin, and so is none', async () => {
  const { naming, bringIn } = await openNames()
  const named = await bringIn('a.txt', 'found', 'quarter.txt')
  expect(naming(named, 'a.txt')).toEqual([null])
  expect(naming(named, 'sub/quarter.txt'), 'its own name').toEqual([])
  const unnamed = await bringIn('b.txt', 'made', undefined, md5Of(8e9))
  expect(naming(unnamed, 'b.txt')).toEqual([null])
})

test('the list of an audit shows names that are not known, and others that may be shown', async () => {
  const { naming, bringIn, listed, settle } = await openNames()
  await settle('layoffs.txt', { folder: 'secret', md5: md5Of(9e9) })
  const content = await bringIn('a.txt', 'made')
  expect(naming(content, 'a.txt')).toEqual([null])
  await listed(content, 'notes/a.txt')
  expect(naming(content, 'a.txt')).toEqual([])
  // A list may be outdated, so both count.
  await listed(content, 'secret/layoffs.txt')
  expect(naming(content, 'a.txt')).toEqual(['secret'])
  await listed(content, 'notes/a.txt')
  expect(naming(content, 'a.txt')).toEqual(['secret'])
})

test('another asset of the same bytes begins with its own name', async () => {
  const { naming, bringIn, record } = await openNames()
  const content = await bringIn('a.txt', 'found', 'quarter.txt')
  await record(
    { type: 'asset_missing', content },
    { type: 'content_wanted_again', content, not_before_ms: 0 },
  )
  expect(naming(content, 'a.txt')).toEqual([null])
  const name = { text: 'notes/a.txt', folder: 'notes' }
  await record(
    { type: 'slot_intended', content },
    { type: 'slot_reserved', content, asset_id: assetOf(content), ticket, given_name: name },
  )
  expect(naming(content, 'other.txt')).toEqual(['notes'])
})

test('after a restore no name is known: Sluice may have given others since the backup', async () => {
  const { bringIn, state_dir, closeLedger, clock } = await openNames()
  const content = await bringIn('a.txt', 'made', 'notes/a.txt')
  const backup = join(makeStore(), 'backup.db')
  backUpLedger(state_dir, backup, { force: false })
  await closeLedger()
  restoreLedger(state_dir, backup, clock.now_ms())
  const view = openArrivalsView(state_dir)
  onTestFinished(() => view.close())
  const file = { folder: 'notes', path: 'a.txt', arrived_ms: 0 }
  expect(view.naming({ asset_id: assetOf(content), ...file })).toEqual([null])
})

test('a ledger of an earlier version has its assets listed at once', () => {
  const file = ledgerFile(makeStore())
  const earlier = ledger_migrations.filter(({ version }) => version < 15)
  const old = openSqlite({ file, migrations: earlier, synchronous: 'FULL' })
  old.exec(`INSERT INTO projects (project_id) VALUES ('${project_id}');
    INSERT INTO contents (project, md5, size, state, asset_id, not_before_ms, wanted_ms)
      VALUES (1, x'00', 1, 'ready', 'asset_1', 0, 0)`)
  old.close()
  const database = openLedgerFile(file)
  onTestFinished(() => void database.close())
  expect(database.prepare('SELECT wanted FROM audits').pluck().all()).toEqual([1])
  expect(createNamingReader(database)('asset_1', 'notes/a.txt')).toEqual([null])
})
