import { spawnSync } from 'node:child_process'
import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../src/base/time/time.ts'
import { large_bytes } from '../../src/domain/file.ts'
import { max_failed_of_type, trial_ms, typeRefusal, typeTrial } from '../../src/domain/file-type.ts'
import { type Explanation, explain } from '../../src/inspect/explain/explain.ts'
import { nothing_seen } from '../ledger/fixture.ts'
import { assetOf, openRig, project_id, type Rig, stat, ticket } from '../ledger/views/view-rig.ts'
import { makeTree, type TreeEntry } from '../rig/tree.ts'
import { configFor } from './config-for.ts'

interface Setting {
  tree?: Record<string, TreeEntry>
  folder?: object
  uploads?: object
  limits?: NonNullable<Parameters<typeof openRig>[0]>['limits']
}

async function setUp({ tree = {}, folder, uploads, limits }: Setting = {}) {
  const root = makeTree(tree)
  const rig = await openRig({ root, ...(limits ? { limits } : {}) })
  const config = configFor({
    root,
    state_dir: rig.state_dir,
    ...(folder ? { folder } : {}),
    ...(uploads ? { uploads } : {}),
  })
  const ask = (path: string, daemon_runs = true): Explanation => {
    const place = { folder: 'notes', path }
    const given = { config, ledger: rig.view(), place, daemon_runs, now_ms: rig.clock.now_ms() }
    // Whatever the case is, a reader sees no command.
    for (const sentence of explain({ ...given, for_reader: true }).why)
      expect(sentence).not.toMatch(command)
    return explain(given)
  }
  return { root, rig, ask, config }
}

const command = /`|\bsluice [a-z]|setfacl|\bcd \/|give this user/

const error = { code: 'asset.create.type', message: 'files of this type are not read' }

async function fail(rig: Rig, path: string, not_before_ms: number): Promise<void> {
  const content = await rig.settle(path)
  await rig.record({
    type: 'deferred',
    content,
    not_before_ms,
    error: { code: 'network.reset', message: 'cut' },
  })
}

test('that questions of some users leave a file out is said only where the name is of another folder', async () => {
  const { rig, config } = await setUp()
  await rig.bringIn('a.txt')
  const page = { ...config.page, listen: '127.0.0.1:8470' }
  const whyWith = (...naming: (string | null)[]) => {
    const ledger = { ...rig.view(), naming: () => naming }
    const place = { folder: 'notes', path: 'a.txt' }
    const now_ms = rig.clock.now_ms()
    return explain({ config: { ...config, page }, ledger, place, daemon_runs: true, now_ms }).why
  }
  expect(whyWith('notes', 'notes').join()).not.toContain('leave this file out')
  expect(whyWith('notes', 'legal')).toContain(
    'the service has its bytes under a name of legal: questions of users who do not see that folder leave this file out',
  )
})

describe('ignored', () => {
  test('a .sluiceignore ignores it: shows the rule with file and line', async () => {
    const { ask, root } = await setUp({
      tree: { 'a/.sluiceignore': '# mine\n*.log\n', 'a/b/x.log': 'x' },
    })
    expect(ask('a/b/x.log')).toMatchObject({
      state: 'ignored',
      ignored_by: { rule: '*.log', source: `${root}/a/.sluiceignore:2` },
      why: [expect.stringContaining(`*.log (${root}/a/.sluiceignore:2)`)],
    })
  })

  test('a default, the configuration or a parent directory ignores it', async () => {
    const tree = { '~$x.docx': 'x', 'a.bak': 'x', 'node_modules/p/i.js': 'x' }
    const { ask } = await setUp({ tree, folder: { exclude: ['*.bak'] } })
    expect(ask('~$x.docx').ignored_by?.source).toBe('default')
    expect(ask('a.bak').ignored_by).toMatchObject({ rule: '*.bak', source: 'config exclude' })
    expect(ask('node_modules/p/i.js')).toMatchObject({
      state: 'ignored',
      ignored_by: { source: 'default' },
    })
  })

  test('a rule newer than the file ignores it', async () => {
    const { ask, rig } = await setUp({ tree: { 'a.bak': 'x' }, folder: { exclude: ['*.bak'] } })
    await rig.bringIn('a.bak')
    expect(ask('a.bak').why[1]).toContain('before that rule it was ready')
  })
})

test('explains a path that is no file', async () => {
  const { ask, root } = await setUp({ tree: { 'd/': '', link: { link: 'd' } } })
  expect(spawnSync('mkfifo', [join(root, 'pipe')]).status).toBe(0)
  expect(ask('')).toMatchObject({
    state: 'special',
    why: ['a directory; its files: sluice ls notes'],
  })
  expect(ask('d')).toMatchObject({
    state: 'special',
    why: ['a directory; its files: sluice ls notes/d'],
  })
  expect(ask('link').why[0]).toContain('a symbolic link, which Sluice does not follow')
  expect(ask('pipe').why[0]).toContain('a fifo')
  expect(ask('d/none')).toMatchObject({
    state: 'unknown',
    on_disk: { kind: 'missing', size: null },
  })
})

test('explains a file behind a link by the link, which no scan follows', async () => {
  const { ask } = await setUp({
    tree: { 'd/x.txt': 'x', link: { link: 'd' }, broken: { link: 'nowhere' } },
  })
  const why = 'it lies behind link, a symbolic link, which Sluice does not follow'
  // Nothing is said of the target, not even whether it is there.
  for (const path of ['link/x.txt', 'link/none.txt', 'link/x.txt/below'])
    expect(ask(path)).toMatchObject({
      state: 'special',
      why: [expect.stringContaining(why)],
      on_disk: { kind: 'symlink', size: null, modified: null },
    })
  expect(ask('broken')).toMatchObject({
    state: 'special',
    why: [expect.stringMatching(/^a symbolic link, /)],
  })
})

test('explains a name that is not UTF-8, as it is typed and as Sluice shows it', async () => {
  const { ask, root } = await setUp({ tree: { 'it/': '' } })
  const name = Buffer.concat([
    Buffer.from(join(root, "it/'caf")),
    Buffer.from([0xe9]),
    Buffer.from('.txt'),
  ])
  writeFileSync(name, 'x')
  for (const typed of ["it/'caf\ufffd.txt", "it/'caf\\xe9.txt"]) {
    const { state, why } = ask(typed)
    expect([typed, state, why[0]]).toEqual([
      typed,
      'special',
      expect.stringContaining("UTF-8 (it/'caf\\xe9.txt)"),
    ])
    const renaming = why[1]!.replace('rename it: ', '').replace('NEW-NAME', 'café.txt')
    expect(spawnSync('bash', ['-c', renaming])).toMatchObject({ status: 0 })
    expect(ask('it/café.txt').state).toBe('unknown')
    renameSync(join(root, 'it/café.txt'), name)
  }
  expect(ask("it/'caf\ufffd")).toMatchObject({ state: 'unknown' })
})

test('a directory that the last scan could not read: shows the code and the remedy, whoever asks', async () => {
  const { ask, rig, root } = await setUp({ tree: { 'shut/a.txt': 'x', 'b.txt': 'x' } })
  await rig.bringIn('shut/a.txt')
  const seen = {
    ...nothing_seen,
    unreadable: [{ path: 'shut', code: 'EACCES' }],
    unreadable_total: 1,
  }
  await rig.record({
    type: 'scan_finished',
    folder: 'notes',
    began_ms: rig.clock.now_ms(),
    summary: seen,
  })
  const shut = [
    `the directory ${root}/shut cannot be read (permission denied), so no scan sees what is in it`,
    expect.stringMatching(
      /setfacl -m u:USER:rx \S+\/shut; or leave it out: add the line \/shut to/,
    ),
  ]
  expect(ask('shut/new.txt')).toMatchObject({ state: 'unknown', why: shut })
  expect(ask('shut/a.txt')).toMatchObject({
    state: 'ready',
    why: [...shut, 'it is usable in the assistant', expect.any(String)],
  })
  expect(ask('b.txt').why).toEqual(['it was not scanned yet: the next scan finds it'])
})

test('without a ledger: not scanned yet, and how to begin', () => {
  const config = configFor({ root: makeTree({ 'a.txt': 'x', empty: '' }) })
  const ask = (path: string) =>
    explain({
      config,
      ledger: undefined,
      place: { folder: 'notes', path },
      daemon_runs: false,
      now_ms: 0,
    })
  expect(ask('a.txt')).toMatchObject({ state: 'unknown', times: null, history: [] })
  expect(ask('a.txt').why.join('\n')).toContain('`sluice run`')
  expect(ask('empty').why[0]).toContain('it is empty')
})

test('settling: shows the time of the next check', async () => {
  const { ask, rig } = await setUp()
  const not_before_ms = rig.clock.now_ms() + 2_000
  await rig.record({ type: 'file_seen', folder: 'notes', path: 'a', stat: stat(), not_before_ms })
  expect(ask('a')).toMatchObject({ state: 'settling', next_try: '2026-01-01T00:00:02.000Z' })
  expect(ask('a').why[0]).toContain('not change for 2 s')
  expect(ask('a').why[0]).toContain('again in 2 s')
  const large = {
    type: 'file_seen',
    folder: 'notes',
    path: 'large',
    stat: stat(large_bytes),
  } as const
  await rig.record({ ...large, not_before_ms })
  expect(ask('large').why[0]).toContain('not change for 2 s')
  await rig.record({ ...large, not_before_ms: rig.clock.now_ms() })
  expect(ask('large').why[0]).toMatch(/^its 17 MB are read for their md5/)
})

describe('skipped', () => {
  test.each([
    ['empty', 'as soon as it has bytes'],
    ['too_large', 'max_file_bytes'],
    ['before_start', 'sluice accept'],
  ] as const)('%s', async (reason, text) => {
    const { ask, rig } = await setUp()
    await rig.record({
      type: 'file_skipped',
      folder: 'notes',
      path: 'a',
      stat: stat(),
      reason,
      rule: 'the rule',
    })
    expect(ask('a').state).toBe('skipped')
    expect(ask('a').why.join('\n')).toContain('the rule')
    expect(ask('a').why.join('\n')).toContain(text)
  })
})

describe('blocked', () => {
  test('upload limit: shows the command to send it, ready to copy', async () => {
    const upload_limit = { files: 1, bytes: 1e9, per_ms: day_ms }
    const { ask, rig, root } = await setUp({
      limits: { upload_limit },
      uploads: { limit: { files: 1, bytes: '1GB' } },
    })
    await rig.settle('first')
    await rig.settle(`new disk/it's.txt`)
    const { why, state } = ask(`new disk/it's.txt`)
    expect(state).toBe('blocked')
    expect(why[0]).toContain('1 file or 1.0 GB in 24 h')
    expect(why[1]).toBe(`to upload it: sluice accept '${root}/new disk/it'\\''s.txt'`)
  })

  test('a refused type: shows why, and the commands that upload the file or all files of its type', async () => {
    const { ask, rig, root } = await setUp()
    const content = await rig.settle('data/a.GZ')
    await rig.record({ type: 'type_refused', content, error: typeRefusal('gz') })
    const { why, state, next_try, last_error, history } = ask('data/a.GZ')
    expect(state).toBe('blocked')
    expect(why[0]).toBe('the service could read none of the first 20 .gz files')
    expect(why[1]).toContain(
      `sluice accept ${root}/data/a.GZ; or all files of its type, from now on: sluice accept '*.gz'`,
    )
    expect([next_try, last_error?.code]).toEqual([null, 'type_refused:gz'])
    expect(history.at(-1)).toMatchObject({
      event: 'type_refused',
      detail: why[0],
    })
    expect(
      rig
        .view()
        .files({ folder: 'notes', prefix: '', stages: ['blocked'], after: undefined, limit: 9 }),
    ).toMatchObject([
      { path: 'data/a.GZ', stage: 'blocked', reason: 'type_refused:gz', detail: why[0] },
    ])
  })

  test('unreadable: shows the reason and the next try; outside: a user must act', async () => {
    const { ask, rig } = await setUp()
    const not_before_ms = rig.clock.now_ms() + 30_000
    const at = { type: 'file_blocked', folder: 'notes', stat: stat() } as const
    await rig.record({
      ...at,
      path: 'locked',
      reason: 'unreadable',
      detail: 'EBUSY',
      not_before_ms,
    })
    await rig.record({
      ...at,
      path: 'out',
      reason: 'outside',
      detail: 'a link',
      not_before_ms: undefined,
    })
    expect(ask('locked')).toMatchObject({ next_try: '2026-01-01T00:00:30.000Z' })
    expect(ask('locked').why).toEqual(['EBUSY', expect.stringContaining('again in 30 s')])
    expect(ask('out').why[1]).toMatch(/^to check it again: sluice retry/)
  })
})

describe('waiting', () => {
  test('shows its turn, the last error with the next try, and a missing daemon', async () => {
    const { ask, rig } = await setUp()
    await rig.settle('turn')
    expect(ask('turn').why).toEqual(['it is uploaded when its turn comes'])
    expect(ask('turn', false).why[0]).toContain('no daemon is running')
    await fail(rig, 'failed', rig.clock.now_ms() + minute_ms)
    expect(ask('failed')).toMatchObject({
      state: 'waiting',
      last_error: { code: 'network.reset', message: 'cut' },
      attempts: 1,
      next_try: '2026-01-01T00:01:00.000Z',
      why: ['the last try failed (attempt 1 of 12): cut', expect.stringContaining('in 1 min')],
    })
  })

  test('an unproven type: nothing failed, it waits for the result of others', async () => {
    const { ask, rig, root, config } = await setUp()
    for (let file = 0; file <= max_failed_of_type; file++)
      await rig.settle(`${file}.gz`, { size: file + 1 })
    await rig.ledger.claimToSend(100, { except_projects: [] })
    expect(ask('19.gz').why).toEqual(['it is uploaded when its turn comes'])
    expect(ask('20.gz')).toMatchObject({
      state: 'waiting',
      attempts: 0,
      last_error: { code: 'type_unproven:gz' },
    })
    expect(ask('20.gz').why).toEqual([
      'it waits for the result of the first 20 .gz files: the service has not read one yet',
      `it is tried by itself in ${trial_ms / minute_ms} min; now: sluice retry ${root}/20.gz`,
    ])
    const wait = { code: 'type_unproven:gz', contents: 1, message: typeTrial('gz').message }
    expect(rig.view().retrying()).toMatchObject([wait])
    // Nothing waits for a result while nothing goes up.
    const error = { code: 'x.y', message: 'the role is too small', hint: 'ask an owner' }
    await rig.record({ type: 'trouble_began', about: 'project:project_other', error })
    expect(rig.view().retrying()).toMatchObject([wait])
    await rig.record({
      type: 'trouble_began',
      about: `project:${config.folders[0]!.project_id}`,
      error,
    })
    const message = `nothing is uploaded now; afterwards ${wait.message}`
    expect(ask('20.gz').why.slice(0, 2)).toEqual(['the role is too small: ask an owner', message])
    expect(rig.view().retrying()).toMatchObject([{ ...wait, message }])
  })

  test('min_resend_s: names the earlier version and the time of this one', async () => {
    const { ask, rig } = await setUp({ limits: { min_resend_ms: 600_000 } })
    await rig.bringIn('a')
    await rig.clock.advance(minute_ms)
    await rig.settle('a', { size: 11, mtime_ns: 2n })
    expect(ask('a').why).toEqual([
      'an earlier version was uploaded 1 min ago: this one follows in 9 min, 10 min after that one (uploads.min_resend_s)',
    ])
    await rig.clock.advance(10 * minute_ms)
    expect(ask('a').why).toEqual(['it is uploaded when its turn comes'])
  })

  test('shows the daily limit', async () => {
    const { ask, rig } = await setUp({ uploads: { max_bytes_per_day: '100B' } })
    await rig.settle('alone', { size: 500 })
    expect(ask('alone').why).toEqual(['it is uploaded when its turn comes'])
    await rig.bringIn('first', { size: 90 })
    await rig.settle('second', { size: 20 })
    expect(ask('second').why[0]).toContain('uploads.max_bytes_per_day')
  })

  test('shows what holds up all files: folder, account, service and its own project only', async () => {
    const { ask, rig, config } = await setUp()
    await rig.settle('a')
    const began = (about: string, message: string) =>
      rig.record({ type: 'trouble_began', about, error: { code: 'x.y', message, hint: 'do this' } })
    await began('account', 'token refused')
    await began(`project:${config.folders[0]!.project_id}`, 'project refused')
    await began('project:project_other', 'not ours')
    await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'missing' })
    const why = ask('a').why.join('\n')
    expect(why).toContain('its folder is offline: missing')
    expect(why).toContain('token refused: do this')
    expect(why).toContain('project refused')
    expect(why).not.toContain('not ours')
  })
})

test('ingesting: shows since when; slow is not failed', async () => {
  const { ask, rig } = await setUp()
  const content = await rig.settle('a')
  const asked_again_ms = rig.clock.now_ms() + 16 * minute_ms
  await rig.record(
    { type: 'slot_intended', content },
    { type: 'slot_reserved', content, asset_id: assetOf(content), ticket },
  )
  expect(ask('a')).toMatchObject({ state: 'sending', asset_id: assetOf(content) })
  await rig.record(
    { type: 'bytes_accepted', content },
    { type: 'ingest_started', content, not_before_ms: asked_again_ms },
  )
  await rig.clock.advance(minute_ms)
  expect(ask('a').why).toEqual([
    'the service has its bytes and has been reading them for 1 min',
    'it is asked again in 15 min',
  ])
  await rig.clock.advance(15 * minute_ms)
  expect(ask('a').why[0]).toContain('longer than usual')
})

test('refused, removed on the service, gone: shows what a user can do', async () => {
  const { ask, rig, root } = await setUp()
  await rig.record({ type: 'content_refused', content: await rig.settle('no'), error })
  expect(ask('no')).toMatchObject({ state: 'refused', last_error: error })
  expect(ask('no').why.join('\n')).toContain(`sluice retry ${root}/no`)
  await rig.bringIn('gone')
  await rig.record({ type: 'file_gone', folder: 'notes', path: 'gone' })
  expect(ask('gone')).toMatchObject({
    state: 'gone',
    asset_id: null,
    times: { gone: expect.any(String) },
  })
})

test.each([
  ['refused', 'the service did not accept it, so the assistant does not use it'],
  ['removed_on_service', 'it is not in the service'],
  ['wanted', 'it is not in the service'],
  ['reserved', 'it is not in the service'],
  ['type_refused', 'it is not in the service'],
])(
  'a file that is gone, with a content that is %s: says that the service has none',
  async (state, why) => {
    const { ask, rig } = await setUp()
    const content = state === 'removed_on_service' ? await rig.bringIn('a') : await rig.settle('a')
    if (state === 'refused') await rig.record({ type: 'content_refused', content, error })
    if (state === 'type_refused') {
      await rig.record({ type: 'type_refused', content, error: typeRefusal('gz') })
    }
    if (state === 'reserved') {
      await rig.record(
        { type: 'slot_intended', content },
        { type: 'slot_reserved', content, asset_id: assetOf(content), ticket },
      )
    }
    if (state === 'removed_on_service') await rig.record({ type: 'asset_missing', content })
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'a' })
    expect(ask('a').why).toEqual(['it is not here any more', why])
  },
)

describe('older versions of a file that is there', () => {
  const ready = { made: '1'.repeat(32), second: '2'.repeat(32), third: '3'.repeat(32) }

  test('kept versions still answer', async () => {
    const { ask, rig } = await setUp({ tree: { a: 'x' } })
    await rig.bringIn('a', { md5: ready.made })
    expect(ask('a')).toMatchObject({
      older_versions: [],
      why: ['it is usable in the assistant', expect.anything()],
    })
    await rig.bringIn('a', { md5: ready.second })
    expect(ask('a').why).toContain(
      'an older version of it still answers, and stays there (on_change: keep)',
    )
    await rig.bringIn('a', { md5: ready.third })
    expect(ask('a').why).toContain(
      '2 older versions of it still answer, and stay there (on_change: keep)',
    )
    expect(ask('a').older_versions).toHaveLength(2)
    // Another file has the same bytes now, so the asset belongs to that file.
    await rig.bringIn('b', { md5: ready.made })
    expect(ask('a').older_versions).toEqual([
      { asset_id: expect.any(String), replaced: expect.any(String), kept: true },
    ])
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'a' })
    expect(ask('a').why.join()).not.toContain('older version')
  })
})

test('versions from another path of the folder are kept, with the reason', async () => {
  const removing = { on_delete: 'remove', on_change: 'remove_old' } as const
  const { ask, rig } = await setUp({ tree: { changed: 'x' }, folder: removing })
  const folder = {
    name: 'notes',
    project_id,
    labels: [],
    label_from: 'none',
    rules: '{}',
    ...removing,
  } as const
  for (const path of ['changed', 'gone']) await rig.bringIn(path)
  await rig.record(
    { type: 'folder_configured', folder: { ...folder, root: '/elsewhere' } },
    { type: 'folder_online', folder: 'notes', device: 5n },
    { type: 'file_gone', folder: 'notes', path: 'gone' },
  )
  await rig.bringIn('changed')
  const time = 'it is of a time when the folder had another path, project or rules'
  expect(ask('gone').why).toContainEqual(
    expect.stringContaining(`its content stays in the service: ${time}`),
  )
  expect(ask('changed').why).toContainEqual(
    expect.stringContaining(`still answers, and stays there: ${time}`),
  )
})

test('each label has the setting that gives it to this path', async () => {
  const labels = ['team', { path: '/reports/**', add: ['legal'] }]
  const { ask, rig } = await setUp({
    tree: { 'reports/a.txt': 'x' },
    folder: { labels, label_from: 'first_folder' },
  })
  const content = await rig.bringIn('reports/a.txt')
  for (const name of ['legal', 'reports', 'team', 'elsewhere']) {
    await rig.record({ type: 'label_attached', content, name, label_id: `label_${name}` })
  }
  expect(ask('reports/a.txt').label_settings).toEqual([
    { label: 'elsewhere', setting: null },
    { label: 'legal', setting: 'labels: /reports/**' },
    { label: 'reports', setting: 'label_from: first_folder' },
    { label: 'team', setting: 'labels' },
  ])
})

test('ready, the JSON form', async () => {
  const { ask, rig, root } = await setUp({ tree: { 'reports/a.txt': 'x'.repeat(10) } })
  const content = await rig.bringIn('reports/a.txt', { md5: 'a'.repeat(32) })
  await rig.settle('copy.txt', { md5: 'a'.repeat(32) })
  await rig.record({ type: 'label_attached', content, name: 'team', label_id: 'label_1' })
  utimesSync(join(root, 'reports/a.txt'), 1_000, 1_000)
  const text = JSON.stringify(ask('reports/a.txt'))
  expect(text).not.toContain('SECRET')
  expect(JSON.parse(text.replaceAll(root, 'ROOT'))).toMatchSnapshot()
  await rig.record({ type: 'file_gone', folder: 'notes', path: 'copy.txt' })
  expect(ask('reports/a.txt').same_bytes).toEqual([])
})
