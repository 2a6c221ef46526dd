import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { usual_limits } from '../../../src/inspect/doctor/check.ts'
import { checkFolders, checkWatching } from '../../../src/inspect/doctor/check-folders.ts'
import { checkLedger } from '../../../src/inspect/doctor/check-ledger.ts'
import { checkSpace, checkStateDir, checkUser } from '../../../src/inspect/doctor/check-state.ts'
import { inspectFolders } from '../../../src/inspect/doctor/inspect-folders.ts'
import { openRig } from '../../ledger/views/view-rig.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'
import { levels, toolsFor } from './doctor-rig.ts'

async function inspect(path: string, folder: object = {}, change = {}) {
  const inspected = await inspectFolders(toolsFor({ folder: { path, ...folder } }, change))
  return { inspected, checks: checkFolders(inspected, usual_limits) }
}

describe('a folder', () => {
  test('online, readable, watched', async () => {
    const { checks } = await inspect(makeTree({ 'a.txt': 'text', 'b/c.txt': 'text' }))
    expect(levels(checks)).toEqual(['ok folder', 'ok filesystem', 'ok rights', 'ok widening'])
    expect(checks[0]?.message).toContain('there, 2 files in 2 folders')
  })

  test('missing, empty, unresponsive', async () => {
    expect(levels((await inspect('/nowhere/at/all')).checks)).toEqual(['warning folder'])
    expect((await inspect(makeTree())).checks[0]).toMatchObject({
      level: 'warning',
      hint: expect.stringContaining('mounted'),
    })
    const { checks } = await inspect(makeTree({ a: 'text' }), {}, { isUnresponsive: () => true })
    expect(checks).toMatchObject([
      { level: 'fault', message: expect.stringContaining('no answer in 10 s') },
    ])
  })

  test('too large to scan in time, and never scanned by the daemon: names the checks that are left out', async () => {
    const clock = { ...system_clock, sleep: async () => {} }
    const { checks } = await inspect(makeTree({ 'a.txt': 'text' }), {}, { clock })
    expect(levels(checks)).toEqual(['warning folder', 'ok filesystem'])
    expect(checks[0]).toMatchObject({
      message: expect.stringMatching(
        /no scan .* within 10 s: rights, widening and watching are not checked$/,
      ),
      hint: expect.stringContaining('sluice doctor'),
    })
  })

  test('narrower subfolders: warn gives a warning, skip leaves them out', async () => {
    const root = makeTree({ 'hr/pay.txt': 'text', 'a.txt': 'text' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'hr'), 0o700)
    const widening = async (folder: object) =>
      (await inspect(root, folder)).checks.find(({ id }) => id === 'widening')
    expect(await widening({})).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('hr (it is closed to others)'),
    })
    expect(await widening({ widening: 'skip' })).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('left out'),
    })
  })

  test('closed to this user: its content, itself, or a parent directory', () => {
    const root = makeTree({
      'docs/in/a.txt': 'text',
      'docs/b.txt': 'text',
      'gate/docs/a.txt': 'text',
    })
    chmodSync(join(root, 'docs'), 0o755)
    chmodSync(join(root, 'docs/in'), 0o000)
    chmodSync(join(root, 'gate'), 0o600)
    const script = `import { checkFolders } from ${JSON.stringify(builtModule('inspect/doctor/check-folders'))}
      import { inspectFolders } from ${JSON.stringify(builtModule('inspect/doctor/inspect-folders'))}
      import { system_clock as clock } from ${JSON.stringify(builtModule('base/time/time'))}
      const folder = { name: 'x', include: [], exclude: [], dot_files: false, widening: 'warn', watch: 'auto', rescan_interval_ms: 1 }
      const folders = ['docs', 'docs/in', 'gate/docs'].map((path) => ({ ...folder, name: path, path: process.argv[2] + '/' + path }))
      const limits = { answer_ms: 5000, walk_ms: 5000, ledger_ms: 5000 }
      const inspected = await inspectFolders({ config: { folders }, clock, limits, isUnresponsive: () => false })
      console.log(JSON.stringify(checkFolders(inspected, limits)))`
    const checks = runUnprivileged(script, root) as {
      about: string
      id: string
      level: string
      message: string
    }[]
    const of = (about: string, id: string) =>
      checks.find((check) => check.about === about && check.id === id)
    expect(of('docs', 'rights')).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('in (permission denied)'),
    })
    expect(of('docs/in', 'folder')).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('may not read it'),
    })
    expect(of('gate/docs', 'folder')).toMatchObject({
      level: 'fault',
      message: expect.stringContaining(`may not pass through ${root}/gate`),
    })
    chmodSync(join(root, 'docs/in'), 0o700)
    chmodSync(join(root, 'gate'), 0o700)
  })

  const share = {
    kind: 'online',
    device: 1n,
    inode: 2n,
    born_ns: 1n,
    identity: '2@1',
    filesystem_id: undefined,
    filesystem: 'nfs',
    remote: true,
    empty: false,
  } as const
  const shares = { chokidar_entries: 10_000, inotify_percent: 75, memory_percent: 25 }
  const means = {
    watches: { name: 'fs.inotify.max_user_watches', value: 1_000 },
    instances: { name: 'fs.inotify.max_user_instances', value: 128 },
    free_memory_bytes: 1e9,
  }

  test('a share is scanned; watching it gives a warning that it has no events', async () => {
    const { inspected } = await inspect(makeTree({ a: 'text' }))
    const on_share = inspected.map((one) => ({ ...one, root: share }))
    expect(checkFolders(on_share, usual_limits)[1]).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('scans find them'),
    })
    expect(checkWatching(on_share, means, shares)[0]).toMatchObject({
      level: 'ok',
      message:
        'not watching, scans find what changes: nfs: what other machines change there gives no event here',
    })
    const watched = on_share.map((one) => ({
      ...one,
      folder: { ...one.folder, watch: 'native' as const },
    }))
    expect(checkFolders(watched, usual_limits)[1]).toMatchObject({
      level: 'warning',
      hint: expect.stringContaining('watch: auto'),
    })
  })

  test('the watcher of each folder depends on the others; the command to copy is exact', async () => {
    const { inspected } = await inspect(makeTree({ 'a.txt': 'text', 'b/c.txt': 'text' }))
    const watching = (value: number, change: object = {}, some = inspected) =>
      checkWatching(some, { ...means, watches: { ...means.watches, value }, ...change }, shares)
    expect(levels(watching(1_000))).toEqual(['ok watching', 'ok inotify'])
    expect(watching(1_000)[0]?.message).toBe('watching 2 files')
    const two = [...inspected, ...inspected].map((one, index) => ({
      ...one,
      folder: { ...one.folder, name: `folder-${index}` },
    }))
    expect(watching(8, {}, two).map(({ message }) => message)).toEqual([
      'watching 2 files',
      'watching 2 files (a watch for each file would take 4 inotify watches of 8 (other folders take 4), by fs.inotify.max_user_watches)',
      'the folders take 6 watches, fs.inotify.max_user_watches is 8',
    ])
    expect(watching(1)[0]).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('not watching, scans find what changes: 2 files'),
    })
    const wanted = inspected.map((one) => ({
      ...one,
      folder: { ...one.folder, watch: 'chokidar' as const },
    }))
    expect(watching(3, {}, wanted)[1]).toMatchObject({
      level: 'fault',
      message:
        'the folders take 4 watches, fs.inotify.max_user_watches is 3: what is not watched is found by scans only',
      hint: 'echo fs.inotify.max_user_watches=8 | sudo tee -a /etc/sysctl.d/60-sluice.conf && sudo sysctl -w fs.inotify.max_user_watches=8',
    })
    const few = { instances: { ...means.instances, value: 2 } }
    expect(levels(watching(9, few, []))).toEqual(['ok inotify', 'warning inotify'])
  })
})

describe('an unresponsive mount', () => {
  test.skipIf(isNotRoot('an unresponsive mount'))(
    'a FUSE mount whose program never answers: doctor checks the rest and ends',
    () => {
      const root = makeTree({ 'alive/a.txt': 'text', 'dead/': '' })
      const script = `
import ctypes, os, subprocess, sys
root, node = sys.argv[1:]
fd = os.open('/dev/fuse', os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = ('fd=%d,rootmode=40000,user_id=0,group_id=0' % fd).encode()
if libc.mount(b'dead', (root + '/dead').encode(), b'fuse', 0, options) != 0: sys.exit('mount: %d' % ctypes.get_errno())
words = [node, root + '/doctor.mjs', root + '/sluice.yaml']
done = subprocess.run(words, capture_output=True, text=True, timeout=40)
os.close(fd)
print(done.stdout + done.stderr)
`
      const file = join(makeTree({ 'dead.py': script }), 'dead.py')
      const folders = ['alive', 'dead'].map((name) => ({ name, path: join(root, name) }))
      const service = { base_url: 'http://127.0.0.1:9', project_id: 'project_0123456789abcdefghij' }
      writeFileSync(
        join(root, 'sluice.yaml'),
        JSON.stringify({ service, folders, state_dir: join(root, 'state') }),
      )
      const doctor = `import { runDoctor } from ${JSON.stringify(builtModule('inspect/doctor/run-doctor'))}
      import { system_clock as clock } from ${JSON.stringify(builtModule('base/time/time'))}
      const { checks } = await runDoctor({ file: process.argv[2], clock, env: {} })
      console.log(JSON.stringify(checks.map(({ id, level, about }) => [id, level, about].join(' '))))`
      writeFileSync(join(root, 'doctor.mjs'), doctor)
      const words = ['-m', 'python3', file, root, process.execPath]
      const child = spawnSync('unshare', words, { encoding: 'utf8', timeout: 50_000 })
      if (/mount: |FileNotFoundError|PermissionError|unshare/.test(child.stderr)) {
        console.log(`skipped: no FUSE here (${child.stderr.trim().split('\n').at(-1)})`)
        return
      }
      const checks = JSON.parse(child.stdout) as string[]
      expect(checks).toEqual(
        expect.arrayContaining(['folder ok alive', 'rights ok alive', 'folder fault dead']),
      )
      expect(checks.filter((line) => line.startsWith('config'))).toEqual([
        expect.stringContaining('config warning'),
      ])
    },
  )
})

describe('the state directory', () => {
  test('missing, closed, open to others, with files of another user', () => {
    const state = (state_dir: string) => checkStateDir(toolsFor({ state_dir }))
    expect(levels(state('/nowhere/state'))).toEqual(['ok state_dir'])
    const dir = makeTree({ 'ledger.db': '', 'tickets.db': '' })
    chmodSync(dir, 0o700)
    for (const name of ['ledger.db', 'tickets.db']) chmodSync(join(dir, name), 0o600)
    expect(levels(state(dir))).toEqual(['ok state_dir'])
    chmodSync(dir, 0o755)
    expect(state(dir)).toMatchObject([{ level: 'warning', hint: `chmod 700 ${dir}` }])
    chmodSync(join(dir, 'tickets.db'), 0o644)
    expect(levels(state(dir))).toEqual(['warning state_dir', 'fault state_dir'])
    if (isNotRoot('files of another user')) return
    chmodSync(dir, 0o700)
    chmodSync(join(dir, 'tickets.db'), 0o600)
    chownSync(join(dir, 'tickets.db'), 65_534, 65_534)
    expect(state(dir)).toMatchObject([
      { level: 'fault', message: expect.stringContaining('another user') },
    ])
  })

  test('unresponsive state directory', () => {
    expect(levels(checkStateDir(toolsFor({}, { isUnresponsive: () => true })))).toEqual([
      'fault state_dir',
    ])
  })

  test('doctor runs as another user than the daemon', () => {
    const state_dir = makeStore()
    const uid = process.getuid?.() ?? 0
    expect(levels(checkUser(toolsFor({ state_dir })))).toEqual(['ok user'])
    expect(checkUser(toolsFor({ state_dir }, { uid: uid + 1 }))).toMatchObject([
      { level: 'fault', hint: `sudo -u '#${uid}' sluice doctor` },
    ])
  })

  test('space: enough, little, almost none', () => {
    const free = (disk_free_bytes: number) =>
      levels(checkSpace(toolsFor({ state_dir: makeStore(), health: { disk_free_bytes } })))
    expect(free(1)).toEqual(['ok space'])
    expect(free(9e15)).toEqual(['fault space'])
  })
})

describe('the ledger', () => {
  test('missing, valid beside a running daemon, damaged, no database', async () => {
    const check = async (state_dir: string) => checkLedger(toolsFor({ state_dir }))
    expect(levels(await check(makeStore()))).toEqual(['ok ledger'])
    const rig = await openRig()
    for (let file = 0; file < 20; file++) await rig.bringIn(`${file}.txt`)
    expect(await check(rig.state_dir)).toMatchObject([
      { level: 'ok', message: expect.stringContaining('it is in order') },
    ])
    await rig.closeLedger()

    const file = join(rig.state_dir, 'ledger.db')
    const bytes = readFileSync(file)
    // Pages after the first: the header says that all is well.
    bytes.fill(0xaa, 4_096 * 2)
    writeFileSync(file, bytes)
    expect(await check(rig.state_dir)).toMatchObject([
      { level: 'fault', hint: expect.stringContaining('`sluice restore FILE`') },
    ])
    writeFileSync(
      file,
      'this is no database, but long enough to look like a file that somebody might have',
    )
    expect(levels(await check(rig.state_dir))).toEqual(['fault ledger'])
  })
})
