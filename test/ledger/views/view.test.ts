import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { describe, expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { day_ms, hour_ms } from '../../../src/base/time/time.ts'
import { slowAfter_ms } from '../../../src/domain/content.ts'
import type { ScanSummary } from '../../../src/domain/fact.ts'
import { unreadType } from '../../../src/domain/file-type.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { stageOf, stages, statesOf } from '../../../src/ledger/views/view-files.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'
import { assetOf, md5Of, openRig, project_id, stat, ticket } from './view-rig.ts'

const Database = sqliteDriver()

const error = { code: 'asset.create.type', message: 'this type is not read' }
const note = (path: string) => ({ folder: 'notes', path })

describe('a ledger that cannot be opened', () => {
  test('without a ledger the error says so, and what to do', () => {
    const state_dir = tmp.dirSync({ unsafeCleanup: true }).name
    for (const missing of [state_dir, join(state_dir, 'not/there')]) {
      expect(() => openLedgerView(missing)).toThrow(
        expect.objectContaining({
          code: 'ledger.none',
          hint: expect.stringContaining('sluice run'),
        }),
      )
    }
  })

  test('a ledger that is just being made counts as missing', () => {
    const state_dir = tmp.dirSync({ unsafeCleanup: true }).name
    new Database(join(state_dir, 'ledger.db')).close()
    writeFileSync(join(state_dir, 'ledger.db'), '')
    expect(() => openLedgerView(state_dir)).toThrow(
      expect.objectContaining({ code: 'ledger.none' }),
    )
  })

  test('a newer ledger and a file that is no ledger are errors', () => {
    const newer = tmp.dirSync({ unsafeCleanup: true }).name
    const database = new Database(join(newer, 'ledger.db'))
    database.pragma('user_version = 99')
    database.close()
    expect(() => openLedgerView(newer)).toThrow(expect.objectContaining({ code: 'database.newer' }))
    const damaged = tmp.dirSync({ unsafeCleanup: true }).name
    writeFileSync(join(damaged, 'ledger.db'), 'x'.repeat(4_096))
    expect(() => openLedgerView(damaged)).toThrow(
      expect.objectContaining({ code: 'database.damaged' }),
    )
  })
})

test('a view reads beside a ledger at work, and after it was closed', async () => {
  const rig = await openRig()
  const view = rig.view()
  await rig.bringIn('a.txt', { size: 100 })
  expect(view.folders()[0]?.stages.ready).toEqual({ files: 1, bytes: 100 })
  await rig.bringIn('b.txt', { size: 50 })
  expect(view.folders()[0]?.stages.ready).toEqual({ files: 2, bytes: 150 })
  await rig.closeLedger()
  expect(rig.view().folders()[0]?.stages.ready).toEqual({ files: 2, bytes: 150 })
})

test('several reads together see one moment', async () => {
  const rig = await openRig()
  const view = rig.view()
  await rig.settle('a.txt')
  const writer = new Database(join(rig.state_dir, 'ledger.db'))
  view.together(() => {
    expect(view.files({ ...every, limit: 9 })).toHaveLength(1)
    writer.exec('DELETE FROM files')
    expect(view.files({ ...every, limit: 9 })).toHaveLength(1)
  })
  writer.close()
  expect(view.files({ ...every, limit: 9 })).toHaveLength(0)
})

const every = { folder: 'notes', prefix: '', stages: [], after: undefined, limit: 100 }

describe('stages', () => {
  test('each state has one stage, and each stage at least one state', () => {
    for (const stage of stages)
      for (const state of statesOf([stage])) expect(stageOf(state)).toBe(stage)
    for (const stage of stages) expect(statesOf([stage])).not.toHaveLength(0)
    expect(statesOf(stages)).toHaveLength(15)
  })

  test('counts and rows agree for every stage', async () => {
    const rig = await openRig()
    await rig.record({ type: 'file_seen', ...note('seen'), stat: stat(1), not_before_ms: 0 })
    await rig.record({
      type: 'file_skipped',
      ...note('skip'),
      stat: stat(0),
      reason: 'empty',
      rule: 'r',
    })
    const blocked = {
      type: 'file_blocked',
      reason: 'unreadable',
      detail: 'EACCES',
      not_before_ms: 5,
    } as const
    await rig.record({ ...blocked, ...note('blocked'), stat: stat(3) })
    await rig.settle('waiting', { size: 4 })
    const sending = await rig.settle('sending', { size: 5 })
    const ingesting = await rig.settle('ingesting', { size: 6 })
    const refused = await rig.settle('refused', { size: 7 })
    const removed = await rig.settle('removed', { size: 8 })
    await rig.bringIn('ready', { size: 9 })
    await rig.bringIn('gone', { size: 10 })
    const now = rig.clock.now_ms()
    await rig.record(
      { type: 'file_gone', ...note('gone') },
      { type: 'content_refused', content: refused, error },
      { type: 'slot_intended', content: sending },
      { type: 'slot_reserved', content: sending, asset_id: assetOf(sending), ticket },
      { type: 'slot_intended', content: ingesting },
      { type: 'asset_found', content: ingesting, asset_id: assetOf(ingesting) },
    )
    for (let round = 0; round < 2; round += 1) {
      await rig.record(
        { type: 'slot_intended', content: removed },
        { type: 'asset_found', content: removed, asset_id: assetOf(removed) },
        { type: 'asset_vanished', content: removed },
      )
    }
    const view = rig.view()
    const sizes = Object.fromEntries(
      stages.map((stage) => [stage, view.folders()[0]!.stages[stage].bytes]),
    )
    expect(sizes).toEqual({
      settling: 1,
      skipped: 0,
      blocked: 3,
      waiting: 4,
      sending: 5,
      ingesting: 6,
      refused: 7,
      removed_on_service: 8,
      ready: 9,
      gone: 10,
    })
    for (const stage of stages) {
      const rows = view.files({ ...every, stages: [stage] })
      expect(rows.map((row) => [row.stage, row.size])).toEqual([[stage, sizes[stage]]])
    }
    expect(view.files(every).map(({ path }) => path)).not.toContain('gone')
    expect(view.problems().map(({ stage, files, bytes }) => [stage, files, bytes])).toEqual([
      ['refused', 1, 7],
      ['removed_on_service', 1, 8],
      ['blocked', 1, 3],
    ])
    expect(view.slow(now + slowAfter_ms(0) - 1)).toBe(0)
    expect(view.slow(now + slowAfter_ms(0) + 1_000)).toBe(1)
  })
})

describe('files', () => {
  test('are listed in byte order of their paths, in pages, below a directory or as a single one', async () => {
    const rig = await openRig()
    const paths = ['a', 'a!b', 'a/b', 'a/b/c', 'a/ü', 'a0', 'b', '\uffee', '😀']
    for (const path of paths.toReversed()) await rig.settle(path)
    const view = rig.view()
    const list = (query: object) => view.files({ ...every, ...query }).map(({ path }) => path)
    expect(list({})).toEqual(paths)
    expect(list({ prefix: 'a' })).toEqual(['a', 'a/b', 'a/b/c', 'a/ü'])
    expect(list({ prefix: 'a/b' })).toEqual(['a/b', 'a/b/c'])
    expect(list({ prefix: 'a/' })).toEqual([])
    expect(list({ folder: 'nowhere' })).toEqual([])
    const paged: string[] = []
    for (let after: string | undefined; ; after = paged.at(-1)) {
      const page = list({ after, limit: 2 })
      if (page.length === 0) break
      paged.push(...page)
    }
    expect(paged).toEqual(paths)
    expect(list({ prefix: 'a', after: 'a', limit: 2 })).toEqual(['a/b', 'a/b/c'])
    expect([...view.comparison().files('notes')].map(({ path }) => path)).toEqual(paths)
    await rig.record({
      type: 'file_seen',
      folder: 'notes',
      path: 'z',
      stat: stat(),
      not_before_ms: 5,
    })
    const seen = rig.view().comparison().file('notes', 'z')
    expect(seen).toMatchObject({
      stage: 'settling',
      content: undefined,
      md5: undefined,
      asset_id: undefined,
    })
  })
})

describe('problems', () => {
  test('are grouped by reason, counted by file, with a few names', async () => {
    const rig = await openRig()
    for (let n = 0; n < 5; n += 1) {
      const content = await rig.settle(`d/${n}.bin`, { size: 10 })
      await rig.settle(`copies/${n}.bin`, {
        size: 10,
        md5: rig.view().story('notes', `d/${n}.bin`)!.content!.md5,
      })
      await rig.record({ type: 'content_refused', content, error })
    }
    const locked = {
      type: 'file_blocked',
      reason: 'unreadable',
      detail: 'it cannot be read (EBUSY)',
    } as const
    await rig.record({ ...locked, ...note('locked.docx'), stat: stat(3), not_before_ms: 5 })
    const [refused, blocked] = rig.view().problems()
    expect(refused).toMatchObject({ stage: 'refused', ...error, files: 10, bytes: 100 })
    expect(refused!.examples).toHaveLength(3)
    expect(blocked).toEqual({
      stage: 'blocked',
      code: 'unreadable',
      message: locked.detail,
      reasons: 1,
      unread_types: [],
      files: 1,
      bytes: 3,
      examples: [{ ...note('locked.docx'), message: locked.detail }],
    })
  })

  test('each reason of a code has its own group, with its own files, up to a number; the rest is one', async () => {
    const rig = await openRig()
    const refuse = async (path: string, message: string, code = 'ingest_failed') =>
      rig.record({
        type: 'content_refused',
        content: await rig.settle(path, { size: 10 }),
        error: { code, message },
      })
    for (const path of ['a1', 'b1', 'a2', 'c1', 'c2', 'a3', 'b2', 'a4', 'c3'])
      await refuse(path, path[0]!)
    for (const path of ['x', 'y', 'z']) await refuse(path, `cannot read ${path}`)
    await refuse('o', 'a', 'too_large')
    const shown = rig.view().problems()
    expect(shown.map(({ code, message, files, bytes }) => [code, message, files, bytes])).toEqual([
      ['ingest_failed', 'a', 4, 40],
      ['ingest_failed', 'c', 3, 30],
      ['ingest_failed', '3 other reasons, such as: cannot read x', 3, 30],
      ['ingest_failed', 'b', 2, 20],
      ['too_large', 'a', 1, 10],
    ])
    expect(shown.map(({ examples }) => examples.map(({ path }) => path).sort())).toEqual([
      ['a1', 'a2', 'a3'],
      ['c1', 'c2', 'c3'],
      ['x'],
      ['b1', 'b2'],
      ['o'],
    ])
  })

  test('a group leads to its own files: those of its words, or of all words that no other group has', async () => {
    const rig = await openRig()
    for (const path of ['a1', 'b1', 'a2', 'c1', 'c2', 'a3', 'b2', 'a4', 'c3', 'x', 'y', 'z']) {
      const error = { code: 'ingest_failed', message: path[0]! }
      await rig.record({ type: 'content_refused', content: await rig.settle(path), error })
    }
    const blocked = {
      type: 'file_blocked',
      reason: 'unreadable',
      detail: 'a',
      ...note('k'),
    } as const
    await rig.record({ ...blocked, stat: stat(3), not_before_ms: 5 })
    const view = rig.view()
    const filesOf = (stage: string, code: string, message: string, limit = 100) =>
      view.problemFiles({ stage, code, message }, ['notes'], limit).map(({ path }) => path)
    for (const { stage, code, message, files, reasons } of view.problems(['notes']))
      expect(filesOf(stage, code, reasons > 1 ? '' : message), message).toHaveLength(files)
    expect(filesOf('refused', 'ingest_failed', 'a')).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(filesOf('refused', 'ingest_failed', 'a', 2)).toEqual(['a1', 'a2'])
    expect(filesOf('refused', 'ingest_failed', '')).toEqual(['x', 'y', 'z'])
    expect(filesOf('blocked', 'unreadable', 'a')).toEqual(['k'])
    expect(filesOf('ready', 'ready', '')).toEqual([])
    expect(
      view.problemFiles({ stage: 'refused', code: 'ingest_failed', message: 'a' }, [], 9),
    ).toEqual([])
  })

  test('a type is unread if none is ready, and the service says so of it or has failed with 20', async () => {
    const rig = await openRig()
    const fail = async (path: string, message: string) => {
      const error = { code: 'ingest_failed', message }
      await rig.record({ type: 'content_refused', content: await rig.settle(path), error })
    }
    const unread = () => {
      const groups = rig.view().problems()
      return Object.fromEntries(groups.map((group) => [group.message, group.unread_types]))
    }
    await rig.bringIn('good.pdf')
    for (let n = 0; n < 19; n++) await fail(`${n}.docx`, 'damaged')
    for (let n = 0; n < 20; n++) await fail(`${n}.pdf`, 'broken')
    await fail('a.gz', unreadType('gz'))
    expect(unread()).toEqual({ damaged: [], broken: [], [unreadType('gz')]: ['gz'] })
    await fail('19.docx', 'damaged')
    expect(unread()).toMatchObject({ damaged: ['docx'] })
    for (const path of ['good.docx', 'good.gz']) await rig.bringIn(path)
    expect(unread()).toEqual({ damaged: [], broken: [], [unreadType('gz')]: [] })
  })

  test('what blocks files is grouped by its words, too', async () => {
    const rig = await openRig()
    const block = (path: string, detail: string) =>
      rig.record({
        type: 'file_blocked',
        reason: 'unreadable',
        detail,
        ...note(path),
        stat: stat(3),
        not_before_ms: 5,
      })
    for (const path of ['a', 'b']) await block(path, 'it cannot be read (EBUSY)')
    await block('c', 'it cannot be read (EACCES)')
    expect(rig.view().problems()).toMatchObject([
      { message: 'it cannot be read (EBUSY)', files: 2, examples: [{ path: 'a' }, { path: 'b' }] },
      { message: 'it cannot be read (EACCES)', files: 1, examples: [{ path: 'c' }] },
    ])
  })

  test('of many codes the rarest are one group, so that every file is counted', async () => {
    const rig = await openRig()
    for (let n = 0; n < 25; n++) {
      for (let file = n < 19 ? 0 : 1; file < 2; file++) {
        const content = await rig.settle(`${n}-${file}`, { size: 10 })
        const error = { code: `code_${n}`, message: `words ${n % 20}` }
        await rig.record({ type: 'content_refused', content, error })
      }
    }
    const shown = rig.view().problems()
    expect(shown).toHaveLength(20)
    expect(shown.reduce((sum, { files }) => sum + files, 0)).toBe(19 * 2 + 6)
    expect(shown[0]).toMatchObject({ code: 'other', files: 6, examples: [expect.anything()] })
    expect(shown[0]!.message).toMatch(/^6 other reasons, such as: words \d+$/)
    expect(shown.slice(1).every(({ code, files }) => code !== 'other' && files === 2)).toBe(true)
  })

  test('failed contents that are tried again are listed with the next attempt', async () => {
    const rig = await openRig()
    const fault = { code: 'network.refused', message: 'connection refused' }
    for (const path of ['a', 'b']) {
      const content = await rig.settle(path)
      await rig.record({
        type: 'deferred',
        content,
        not_before_ms: rig.clock.now_ms() + 5_000,
        error: fault,
      })
    }
    const other = { ...fault, message: 'no route' }
    const content = await rig.settle('c')
    await rig.record({
      type: 'deferred',
      content,
      not_before_ms: rig.clock.now_ms() + 1_000,
      error: other,
    })
    await rig.settle('fine')
    const groups = rig.view().retrying()
    expect(groups).toEqual([
      {
        ...fault,
        contents: 2,
        next_try_ms: rig.clock.now_ms() + 5_000,
        examples: [expect.anything(), expect.anything()],
      },
      {
        ...other,
        contents: 1,
        next_try_ms: rig.clock.now_ms() + 1_000,
        examples: [{ ...note('c'), message: 'no route' }],
      },
    ])
    expect(groups[0]!.examples.map(({ path }) => path)).toEqual(['a', 'b'])
    await rig.record({ type: 'folders_removed_except', names: [] })
    expect(rig.view().retrying()).toEqual([])
  })

  test('a retried content is listed as long as one of its own files is there', async () => {
    const rig = await openRig()
    await rig.settle('another')
    const content = await rig.settle('waits')
    const error = { code: 'network.refused', message: 'connection refused' }
    await rig.record({
      type: 'deferred',
      content,
      not_before_ms: rig.clock.now_ms() + 5_000,
      error,
    })
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'another' })
    expect(rig.view().retrying()).toMatchObject([{ ...error, contents: 1 }])
    await rig.settle('one more')
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'waits' })
    expect(rig.view().retrying()).toEqual([])
  })

  test('files over the upload limit are listed by the deepest directory of those that arrived together', async () => {
    const rig = await openRig({
      limits: { upload_limit: { files: 1, bytes: 1e9, per_ms: day_ms } },
    })
    await rig.settle('first')
    for (const path of ['usb/photos/1/a', 'usb/photos/1/b', 'usb/photos/2/a', 'loose', 'old/x'])
      await rig.settle(path)
    const place = { folder: 'notes', root: '/srv/notes' }
    expect(rig.view().over_limit()).toEqual({
      files: 5,
      bytes: 50,
      places: expect.arrayContaining([
        { ...place, directory: 'usb/photos', files: 3, bytes: 30 },
        { ...place, directory: '', files: 1, bytes: 10 },
        { ...place, directory: 'old', files: 1, bytes: 10 },
      ]),
    })
    expect(rig.view().over_limit().places[0]?.directory).toBe('usb/photos')
    expect(rig.view().problems()).toEqual([])
    expect(rig.view().used('wanted', hour_ms, rig.clock.now_ms())).toEqual({ files: 1, bytes: 10 })
    expect(rig.view().used('sent', hour_ms, rig.clock.now_ms())).toEqual({ files: 0, bytes: 0 })
  })

  test('troubles begin and end', async () => {
    const rig = await openRig()
    const trouble = {
      code: 'account.refused',
      message: 'the token was refused',
      hint: 'make a new one',
    }
    await rig.record({ type: 'trouble_began', about: 'account', error: trouble })
    expect(rig.view().troubles()).toMatchObject([
      { about: 'account', ...trouble, since_ms: rig.clock.now_ms() },
    ])
    await rig.record({ type: 'trouble_ended', about: 'account' })
    expect(rig.view().troubles()).toEqual([])
  })
})

test('a folder is online, or offline with a reason, with its last scan; one that left the config is not shown', async () => {
  const rig = await openRig()
  const summary: ScanSummary = {
    files: 3,
    directories: 1,
    bytes: 30,
    ignored: [{ rule: '*.tmp', source: 'default', reason: 'temporary', count: 2 }],
    odd_names: ['x\\xff'],
    odd_names_total: 1,
    special: [{ kind: 'fifo', count: 1 }],
    unreadable: [],
    unreadable_total: 0,
    other_mounts: [],
    narrower: [],
    narrower_total: 0,
  }
  await rig.clock.advance(1_000)
  await rig.record({
    type: 'scan_finished',
    folder: 'notes',
    began_ms: rig.clock.now_ms() - 10,
    summary,
  })
  const now_ms = rig.clock.now_ms()
  expect(rig.view().folders()[0]).toMatchObject({
    name: 'notes',
    root: '/srv/notes',
    project_id,
    online: true,
    state_since_ms: now_ms - 1_000,
    first_scan_ms: now_ms,
    scan_began_ms: now_ms - 10,
    scan: summary,
  })
  await rig.clock.advance(500)
  await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'missing' })
  const folder = rig.view().folders()[0]
  expect(folder).toMatchObject({
    online: false,
    offline_reason: 'missing',
    state_since_ms: now_ms + 500,
  })
  await rig.record({ type: 'folders_removed_except', names: [] })
  expect(rig.view().folders()).toEqual([])
  expect(rig.view().files(every)).toEqual([])
})

test('the story of a file names at most 10 others, and never the file itself', async () => {
  const rig = await openRig()
  for (let number = 0; number < 14; number += 1)
    await rig.settle(`${number}.txt`, { md5: md5Of(0xdef) })
  const view = rig.view()
  const othersOf = (path: string) => view.story('notes', path)!.others.map((other) => other.path)
  for (const path of ['0.txt', '13.txt']) {
    expect(othersOf(path)).toHaveLength(10)
    expect(othersOf(path)).not.toContain(path)
  }
  await rig.record({ type: 'file_gone', folder: 'notes', path: '0.txt' })
  expect(othersOf('0.txt'), 'of a file that is gone').toHaveLength(10)
})

test('the story of a file has its row, content, labels, history, and other files with the same bytes', async () => {
  const rig = await openRig()
  const content = await rig.bringIn('reports/a.txt', { size: 12, md5: md5Of(0xabc) })
  await rig.settle('copy.txt', { size: 12, md5: md5Of(0xabc) })
  await rig.record({ type: 'label_attached', content, name: 'team', label_id: 'label_1' })
  const view = rig.view()
  expect(view.story('notes', 'reports/a.txt')).toMatchObject({
    stage: 'ready',
    row: { path: 'reports/a.txt', ready_ms: rig.clock.now_ms() },
    content: { state: 'ready', asset_id: assetOf(content), md5: md5Of(0xabc) },
    labels: [{ name: 'team', label_id: 'label_1' }],
    others: [{ folder: 'notes', path: 'copy.txt' }],
    history: [
      { event: 'slot_reserved' },
      { event: 'bytes_accepted' },
      { event: 'ingest_started' },
      { event: 'asset_ready' },
    ],
  })
  expect(view.story('notes', 'nothing')).toBeUndefined()
  expect(view.story('nowhere', 'copy.txt')).toBeUndefined()
  expect(view.contentState(project_id, md5Of(0xabc), 12)).toBe('ready')
  expect(view.contentState('project_other', md5Of(0xabc), 12)).toBeUndefined()
})

test('a user without the right to read the ledger gets advice', async () => {
  const rig = await openRig()
  chmodSync(join(rig.state_dir, '..'), 0o755)
  const script = `import { openLedgerView } from ${JSON.stringify(builtModule('ledger/views/view'))}
    try { openLedgerView(process.argv[2] + '/state') } catch ({ code, hint }) { console.log(JSON.stringify({ code, hint })) }`
  chmodSync(rig.state_dir, 0)
  expect(runUnprivileged(script, join(rig.state_dir, '..'))).toMatchObject({
    code: 'account.no_right',
    hint: expect.stringContaining('as the user that the daemon runs as'),
  })
  chmodSync(rig.state_dir, 0o700)
})

test('the ledger keeps the origin of uploads, and nothing else of the signed address', async () => {
  const rig = await openRig()
  expect(rig.view().blobOrigin()).toBe(undefined)
  await rig.bringIn('a.txt')
  expect(rig.view().blobOrigin()).toBe('https://blob.example.com')
  await rig.closeLedger()
  for (const name of readdirSync(rig.state_dir)) {
    expect(readFileSync(join(rig.state_dir, name), 'latin1'), name).not.toContain('SECRET')
  }
})
