import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'
import { hour_ms, system_clock } from '../../src/base/time/time.ts'
import { factsOfDoubt } from '../../src/control/control-verbs.ts'
import type { VerifySummary } from '../../src/inspect/verify/verify.ts'
import { type Difference, isWhole } from '../../src/inspect/verify/verify-answer.ts'
import { audited, setFileStatusThere } from '../journeys/audit/audited.ts'
import { verified as compared, type VerifyWish } from '../journeys/audit/verified.ts'
import { md5Of } from '../journeys/rig/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../journeys/rig/harness.ts'
import type { ConfigChange } from '../journeys/rig/quick-config.ts'
import { recount } from '../ledger/broken-rules.ts'

const Database = sqliteDriver()

interface Verified {
  summary: VerifySummary
  found: Difference[]
  /** Differences as `kind name`, in order. */
  named: string[]
}

async function verified(
  journey: Journey,
  options: Partial<VerifyWish> = {},
  change: ConfigChange = {},
): Promise<Verified> {
  const { summary, differences: found } = await compared(journey, {
    full: false,
    ...options,
    change,
  })
  const named = found.map(
    ({ kind, folder, path, asset_id }) => `${kind} ${folder ? `${folder}/${path}` : asset_id}`,
  )
  return { summary, found, named: named.sort() }
}

const tree = {
  'docs/a.txt': 'a',
  'docs/b.txt': 'b',
  'docs/deep/c.txt': 'c',
  'docs/empty.txt': '',
  'docs/~$lock.docx': 'x',
}

const not_sent = ['docs/empty.txt', 'docs/~$lock.docx', 'docs/also empty.txt', 'docs/~$x.docx']

/** An hour later every changed file has settled. */
const later = { ...system_clock, now_ms: () => system_clock.now_ms() + hour_ms }

/**
 * All files are uploaded and labelled. The daemon is stopped, so that it does not undo the changes
 * of a test.
 */
async function stopped(
  options: Partial<Parameters<typeof begin>[0]> & {
    profile: Parameters<typeof begin>[0]['profile']
  },
) {
  const journey = await begin({ tree, ...options })
  journey.ends({ left_out: [...not_sent] })
  await journey.allReady()
  await journey.idle()
  await journey.stop()
  return journey
}

/** Writes to the ledger without its workers. */
function inLedger(journey: Journey, sql: string, ...values: unknown[]): void {
  const database = new Database(join(journey.home, 'state', 'ledger.db'))
  try {
    database.prepare(sql).run(...values)
    recount(database)
  } finally {
    database.close()
  }
}

/**
 * Changes the bytes and keeps size and mtime. No program can set a ctime, so the ledger gets the
 * new one.
 */
function changeInSecret(journey: Journey, name: string, text: string): void {
  const file = journey.at(name)
  const before = lstatSync(file, { bigint: true })
  writeFileSync(file, text)
  utimesSync(file, before.atime, before.mtime)
  const now = lstatSync(file, { bigint: true })
  expect([now.size, now.ino]).toEqual([before.size, before.ino])
  // utimes(2) of Node counts in milliseconds.
  const set = 'UPDATE files SET ctime_ns = ?, mtime_ns = ? WHERE path = ?'
  inLedger(journey, set, now.ctimeNs, now.mtimeNs, name.slice(name.indexOf('/') + 1))
}

localJourneys('verify', (profile) => {
  test('reports nothing if ledger, disk and service agree', async () => {
    const journey = await stopped({ profile })
    const { summary, named } = await verified(journey, { full: true })
    expect(named).toEqual([])
    expect(isWhole(summary)).toBe(true)
    expect(summary.projects).toMatchObject([
      { expected: 3, usable: 3, unanswered: 0, unknown: 0, fault: null },
    ])
    expect(summary.folders).toMatchObject([
      { name: 'docs', offline: null, complete: true, files: 4, read: 3 },
    ])
    expect([summary.on_the_way, summary.standing.refused]).toEqual([0, 0])
  })

  test('on disk: reports new, gone, written, touched and replaced files, not settling, skipped or ignored ones', async () => {
    const journey = await stopped({
      profile,
      tree: { ...tree, 'docs/d.txt': 'd', 'docs/e.txt': 'e' },
    })
    journey.write({
      'docs/new.txt': 'n',
      'docs/deep/newer.txt': 'n',
      'docs/also empty.txt': '',
      'docs/~$x.docx': 'x',
    })
    journey.remove('docs/a.txt')
    journey.write({ 'docs/b.txt': 'more' })
    chmodSync(journey.at('docs/deep/c.txt'), 0o600)
    journey.write({ 'docs/replacement': 'd' })
    renameSync(journey.at('docs/replacement'), journey.at('docs/d.txt'))
    const settling = await verified(journey, {}, { folders: { docs: { settle_ms: 60_000 } } })
    expect(settling.named).toEqual(['gone_from_disk docs/a.txt'])
    expect(settling.summary.on_the_way).toBe(5)
    const { named, summary, found } = await verified(journey, { clock: later })
    expect(named).toEqual([
      'changed_on_disk docs/b.txt',
      'changed_on_disk docs/d.txt',
      'changed_on_disk docs/deep/c.txt',
      'gone_from_disk docs/a.txt',
      'unknown_on_disk docs/deep/newer.txt',
      'unknown_on_disk docs/new.txt',
    ])
    expect(found.find(({ path }) => path === 'b.txt')).toMatchObject({
      message: '4 bytes, known with 1',
    })
    expect(summary.differences).toMatchObject({
      unknown_on_disk: 2,
      gone_from_disk: 1,
      changed_on_disk: 3,
    })
    expect(summary.projects[0]).toMatchObject({ expected: 5, usable: 5 })
    expect(isWhole(summary)).toBe(false)
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect((await verified(journey)).named).toEqual([])
    journey.ends({ also_there: [md5Of('a'), md5Of('b')] })
  })

  test('a settling file that the ledger counts as on the way or as blocked is counted once', async () => {
    const journey = await stopped({ profile })
    const ofFile = (values: string) => `UPDATE files SET ${values} WHERE path = ?`
    const asset_id = journey.file('docs/a.txt')!.asset_id!
    inLedger(
      journey,
      "UPDATE contents SET state = 'ingesting', following_since_ms = 1 WHERE asset_id = ?",
      asset_id,
    )
    inLedger(journey, ofFile("state = 'blocked', reason = 'changing', not_before_ms = 1"), 'b.txt')
    for (const path of ['a.txt', 'b.txt']) chmodSync(journey.at(`docs/${path}`), 0o600)
    const settling = await verified(journey, {}, { folders: { docs: { settle_ms: 60_000 } } })
    expect(settling.summary).toMatchObject({ on_the_way: 1, standing: { blocked: 1 } })

    // The daemon finds the change of one file between the two checks of that file.
    journey.write({ 'docs/deep/c.txt': 'more' })
    const onProgress = () =>
      inLedger(journey, ofFile("state = 'seen', not_before_ms = 1"), 'deep/c.txt')
    const meanwhile = await verified(journey, { clock: later, onProgress })
    expect(meanwhile.summary).toMatchObject({ on_the_way: 2, standing: { blocked: 1 } })
    await journey.start()
    await journey.allReady()
    await journey.idle()
    journey.ends({ also_there: [md5Of('c')] })
  })

  test('on the service: reports removed, failed and reread assets, missing labels, and assets of other users', async () => {
    const journey = await stopped({
      profile,
      tree: { ...tree, 'docs/d.txt': 'd' },
      folders: { docs: { labels: ['team', 'notes'] } },
    })
    const id = (name: string) => journey.file(name)!.asset_id!
    await journey.service.removeAsset(id('docs/a.txt'))
    setFileStatusThere(journey, 'docs/b.txt', 'failed')
    setFileStatusThere(journey, 'docs/deep/c.txt', 'ingesting')
    const labels = (await journey.call('GET', '/v1/labels')).body.data as {
      label_id: string
      name: string
    }[]
    const team = labels.find(({ name }) => name === 'team')!
    expect(
      (await journey.call('DELETE', `/v1/assets/${id('docs/d.txt')}/labels/${team.label_id}`))
        .status,
    ).toBe(204)
    const { named, found, summary } = await verified(journey)
    expect(named).toEqual([
      'failed_on_service docs/b.txt',
      'label_missing docs/d.txt',
      'missing_on_service docs/a.txt',
      'not_ready_on_service docs/deep/c.txt',
    ])
    expect(found.find(({ kind }) => kind === 'label_missing')).toMatchObject({
      label: 'team',
      asset_id: id('docs/d.txt'),
    })
    expect(summary.projects[0]).toMatchObject({ expected: 4, usable: 1, unanswered: 0 })
    journey.ends({ left_out: [...not_sent, 'docs/a.txt'] })
    await journey.start()
    const { content, label } = found.find(({ kind }) => kind === 'label_missing')!
    await journey.record(...factsOfDoubt({ about: 'label', content: content!, label: label! }, 0))
    expect(await audited(journey)).toMatchObject({ usable: 1, missing: 1, failed: 1, unready: 1 })
    const labelsThere = () =>
      journey.assets().find(({ asset_id }) => asset_id === id('docs/d.txt'))!.labels
    await journey.until('it is labelled again', () => labelsThere().includes('team'))
    expect((await verified(journey)).named, 'the audit has taken up the rest').toEqual([])
    setFileStatusThere(journey, 'docs/b.txt', 'ready')
    setFileStatusThere(journey, 'docs/deep/c.txt', 'ready')
    await journey.stage('docs/deep/c.txt', 'ready')
    expect((await verified(journey)).named).toEqual(['returned_on_service docs/b.txt'])
    expect(await audited(journey)).toMatchObject({ usable: 3 })
    expect((await verified(journey)).named).toEqual([])
  })

  test('reports assets of other users by id, but not as a difference; a returned asset is one', async () => {
    const journey = await stopped({ profile })
    const a_id = journey.file('docs/a.txt')!.asset_id!
    inLedger(journey, "UPDATE contents SET state = 'removed_on_service' WHERE asset_id = ?", a_id)
    const returned = await verified(journey)
    expect(returned.named).toEqual(['returned_on_service docs/a.txt'])
    inLedger(
      journey,
      "UPDATE contents SET state = 'abandoned', asset_id = NULL WHERE asset_id = ?",
      a_id,
    )
    const { named, summary } = await verified(journey)
    expect(named).toEqual([`unknown_on_service ${a_id}`])
    expect(summary.projects[0]).toMatchObject({ expected: 2, usable: 2, unknown: 1 })
    expect(isWhole(summary)).toBe(true)
    inLedger(
      journey,
      "UPDATE contents SET state = 'ready', asset_id = ? WHERE state = 'abandoned'",
      a_id,
    )
  })

  test('only --full finds changed bytes with the same size and times', async () => {
    const journey = await stopped({ profile })
    changeInSecret(journey, 'docs/a.txt', 'A')
    expect((await verified(journey)).named).toEqual([])
    const { named, found, summary } = await verified(journey, { full: true })
    expect(named).toEqual(['content_differs docs/a.txt'])
    expect(found[0]!.message).toContain(`md5 ${md5Of('A')}, known ${md5Of('a')}`)
    expect(summary.folders[0]).toMatchObject({ read: 3 })
    await journey.start()
    await journey.record(...factsOfDoubt({ about: 'bytes', folder: 'docs', path: 'a.txt' }, 0))
    await journey.allReady()
    journey.ends({ also_there: [md5Of('a')] })
  })

  test('another directory in place of a folder with one file: reports it, and no file counts as gone', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a', 'other/': '' } })
    await journey.allReady()
    await journey.stop()
    journey.move('docs', 'elsewhere')
    journey.move('other', 'docs')
    const { summary, named } = await verified(journey)
    expect(named).toEqual([])
    expect(summary.folders[0]!.offline).toBe(
      'another disk is mounted here, or none: 1 of 1 files are missing; nothing in it counts as gone',
    )
    journey.move('docs', 'other')
    journey.move('elsewhere', 'docs')
  })

  test('a folder with another path in the configuration: reports it, and no file counts as gone', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a', 'other/': '' } })
    await journey.allReady()
    await journey.stop()
    const { summary, named } = await verified(
      journey,
      {},
      { folders: { docs: { path: journey.at('other') } } },
    )
    expect(named).toEqual([])
    expect(summary.folders[0]!.offline).toBe(
      'it had another path at the last scan: 1 of 1 files are missing; nothing in it counts as gone',
    )
  })

  test('an offline or newly empty folder: reports it, and no file counts as gone', async () => {
    const names = Array.from({ length: 15 }, (_, index) => `docs/${index}.txt`)
    const journey = await stopped({
      profile,
      tree: Object.fromEntries(names.map((name) => [name, name])),
    })
    renameSync(journey.at('docs'), journey.at('away'))
    const gone = await verified(journey)
    expect(gone.named).toEqual([])
    expect(gone.summary.folders[0]!.offline).toContain('does not exist (not mounted?)')
    expect(gone.summary.projects).toMatchObject([{ expected: 15, usable: 15 }])
    expect(isWhole(gone.summary)).toBe(false)
    mkdirSync(journey.at('docs'))
    const empty = await verified(journey)
    expect(empty.named).toEqual([])
    expect(empty.summary.folders[0]!.offline).toContain('held 15 files')
    rmdirSync(journey.at('docs'))
    renameSync(journey.at('away'), journey.at('docs'))
    expect((await verified(journey, { clock: later })).named).toEqual([])
  })

  test('the service refuses the token or the project: nothing is missing, and the disk is still compared', async () => {
    const journey = await stopped({ profile })
    journey.remove('docs/a.txt')
    for (const [failure, code] of [
      [{ status: 401, code: 'publicapi.auth.invalid_api_key' }, 'account.refused'],
      [{ status: 404, code: 'publicapi.tenancy.project.not_found' }, 'project.refused'],
    ] as const) {
      journey.service.injectFaults({ failures: [{ route: 'assets.list', ...failure }] })
      const { named, summary } = await verified(journey)
      expect(named).toEqual(['gone_from_disk docs/a.txt'])
      expect(summary.projects).toMatchObject([{ fault: { code } }])
      expect(summary.complete).toBe(false)
    }
    journey.service.injectFaults({ failures: [] })
    journey.ends({ also_there: [md5Of('a')] })
  })

  test('with one folder named, reports nothing about the others', async () => {
    const folders = { docs: {}, more: {} }
    const journey = await stopped({
      profile,
      folders,
      tree: { 'docs/a.txt': 'a', 'more/b.txt': 'b', 'more/c.txt': 'c' },
    })
    journey.remove('docs/a.txt')
    journey.remove('more/b.txt')
    await journey.service.removeAsset(journey.file('docs/a.txt')!.asset_id!)
    const { named, summary } = await verified(journey, { folders: ['more'] })
    expect(named).toEqual(['gone_from_disk more/b.txt'])
    expect(summary.projects).toMatchObject([{ expected: 2, usable: 2 }])
    expect((await verified(journey)).named).toEqual([
      'gone_from_disk docs/a.txt',
      'gone_from_disk more/b.txt',
      'missing_on_service docs/a.txt',
    ])
    journey.ends({ also_there: [md5Of('b')] })
  })

  test.skipIf(process.getuid?.() === 0)(
    'reports unreadable paths; no file below counts as gone',
    async () => {
      const journey = await stopped({ profile })
      chmodSync(journey.at('docs/deep'), 0)
      chmodSync(journey.at('docs/a.txt'), 0)
      try {
        const { named } = await verified(journey, { full: true, clock: later })
        expect(named).toEqual(['changed_on_disk docs/a.txt', 'unreadable docs/deep'])
      } finally {
        chmodSync(journey.at('docs/deep'), 0o700)
        chmodSync(journey.at('docs/a.txt'), 0o600)
      }
    },
  )
})
