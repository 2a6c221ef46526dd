import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createIgnoreRules, type IgnoreSpec } from '../../../src/disk/scan/ignore.ts'
import { type FolderWatcher, type Hint, watchFolder } from '../../../src/disk/watch/watch.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { makeRawDirectory, writeRawFile } from '../odd-entries.ts'
import { countInotifyWatches } from './inotify-watches.ts'

const plain = { include: [], exclude: [], dot_files: false }
const open: FolderWatcher[] = []

afterEach(async () => {
  for (const watcher of open.splice(0)) await watcher.close()
})

async function watchTree(root: string, burst_events = 1_000, spec: IgnoreSpec = plain) {
  const hints: Hint[] = []
  const rules = createIgnoreRules(root, spec)
  const watcher = await watchFolder({
    root,
    rules,
    watcher: 'native',
    burst_events,
    on_hint: (hint) => hints.push(hint),
  })
  open.push(watcher)
  const received = (hint: Partial<Hint>) =>
    vi.waitFor(() => expect(hints).toContainEqual(expect.objectContaining(hint)), {
      timeout: 30_000,
      interval: 10,
    })
  return { watcher, hints, received, rules }
}

/**
 * Makes the root again, with the same inode number where the filesystem reuses it at once, as ext4
 * does, but never within the same tick of the clock.
 */
function remake(root: string): void {
  const before = statSync(root, { bigint: true })
  for (let round = 0; round < 1_000; round += 1) {
    rmSync(root, { recursive: true })
    addToTree(root, { 'a/x': '' })
    const { ino, birthtimeNs } = statSync(root, { bigint: true })
    if (ino === before.ino && birthtimeNs !== before.birthtimeNs) return
  }
}

const until = (fact: () => boolean) =>
  vi.waitFor(() => expect(fact()).toBe(true), { timeout: 30_000, interval: 10 })

describe('hints', () => {
  test('a changed file gives its path, and a deleted one may have been a directory', async () => {
    const root = makeTree({ 'a/old.txt': 'x' })
    const { received, hints, watcher } = await watchTree(root)
    expect(hints).toEqual([])
    appendFileSync(join(root, 'a/old.txt'), 'y')
    await received({ kind: 'path', path: 'a/old.txt' })
    writeFileSync(join(root, 'a/new "file".txt'), '1')
    await received({ kind: 'path', path: 'a/new "file".txt' })
    rmSync(join(root, 'a/old.txt'))
    await received({ kind: 'directory', path: 'a/old.txt' })
    expect(watcher.isStale()).toBe(false)
  })

  test('a new directory gives a directory hint, and is watched from then on', async () => {
    const root = makeTree()
    const { received, watcher } = await watchTree(root)
    mkdirSync(join(root, 'new'))
    await received({ kind: 'directory', path: 'new' })
    await until(() => countInotifyWatches() >= 2)
    writeFileSync(join(root, 'new/later.txt'), '1')
    await received({ kind: 'path', path: 'new/later.txt' })
    expect(watcher.isStale()).toBe(false)
  })

  test('a name that is not UTF-8 gives a hint for its directory', async () => {
    const root = makeTree({ 'a/x': '' })
    const { received } = await watchTree(root)
    writeRawFile(join(root, 'a'), 'caf\xe9.txt', 'x')
    await received({ kind: 'directory', path: 'a' })
  })

  test('a name with a real U+FFFD, which is UTF-8, is handled like any other', async () => {
    const root = makeTree({ 'a/b\uFFFDd/x.txt': '', 'a/c': '' })
    const { received, watcher } = await watchTree(root)
    expect(watcher.watched()).toBe(3)
    writeFileSync(join(root, 'a/b\uFFFDd/y\uFFFD.txt'), '')
    await received({ kind: 'path', path: 'a/b\uFFFDd/y\uFFFD.txt' })
    mkdirSync(join(root, 'a/\uFFFD'))
    await received({ kind: 'directory', path: 'a/\uFFFD' })
    await until(() => watcher.watched() === 4)
    writeFileSync(join(root, 'a/\uFFFD/later.txt'), '')
    await received({ kind: 'path', path: 'a/\uFFFD/later.txt' })
  })

  test('a directory whose name is not UTF-8 is skipped, and its neighbours are watched', async () => {
    const root = makeTree({ 'a/x': '', 'z/x': '' })
    makeRawDirectory(root, 'caf\xe9')
    const { received, watcher } = await watchTree(root)
    expect(watcher.watched()).toBe(3)
    expect(watcher.trouble()).toBeUndefined()
    writeFileSync(join(root, 'z/new.txt'), '')
    await received({ kind: 'path', path: 'z/new.txt' })
  })

  test('many events at once give a doubtful hint', async () => {
    const root = makeTree({ 'a/x': '' })
    const { received } = await watchTree(root, 20)
    for (let index = 0; index < 100; index += 1) writeFileSync(join(root, `a/f${index}`), 'x')
    await received({ kind: 'doubtful' })
  })

  test('an ignored path gives no hint and takes no watch', async () => {
    const root = makeTree({ 'node_modules/p/q/index.js': '', 'a/doc.txt': '' })
    const before = countInotifyWatches()
    const { hints, received } = await watchTree(root)
    expect(countInotifyWatches() - before).toBe(2)
    writeFileSync(join(root, 'node_modules/p/new.js'), '')
    writeFileSync(join(root, 'a/x.tmp'), '')
    writeFileSync(join(root, 'a/end.txt'), '')
    await received({ kind: 'path', path: 'a/end.txt' })
    expect(hints).toEqual([{ kind: 'path', path: 'a/end.txt' }])
  })
})

describe('directories that come and go', () => {
  test('a moved directory gives hints at both places, and then under its new name', async () => {
    const root = makeTree({ 'a/b/x.txt': '' })
    const { received, hints, watcher } = await watchTree(root)
    const watches = countInotifyWatches()
    renameSync(join(root, 'a'), join(root, 'z'))
    await received({ kind: 'directory', path: 'a' })
    await received({ kind: 'directory', path: 'z' })
    hints.length = 0
    writeFileSync(join(root, 'z/b/y.txt'), '')
    await received({ kind: 'path', path: 'z/b/y.txt' })
    expect(hints).not.toContainEqual({ kind: 'path', path: 'a/b/y.txt' })
    expect(watcher.isStale()).toBe(false)
    expect(countInotifyWatches()).toBe(watches)
  })

  test('directories made inside a new one at once are watched', async () => {
    const root = makeTree()
    const { received, watcher } = await watchTree(root)
    addToTree(root, { 'new/deep/er/file.txt': '1' })
    await received({ kind: 'directory', path: 'new' })
    await until(() => countInotifyWatches() >= 4)
    writeFileSync(join(root, 'new/deep/er/later.txt'), '1')
    await received({ kind: 'path', path: 'new/deep/er/later.txt' })
    expect(watcher.isStale()).toBe(false)
  })

  test('a directory that is removed and made again is watched, even with the same inode', async () => {
    const root = makeTree({ 'a/b/x.txt': '' })
    const { received, hints } = await watchTree(root)
    const watches = countInotifyWatches()
    for (let round = 0; round < 20; round += 1) {
      rmSync(join(root, 'a'), { recursive: true })
      mkdirSync(join(root, 'a/b'), { recursive: true })
      await received({ kind: 'directory', path: 'a' })
      await until(() => countInotifyWatches() === watches)
      hints.length = 0
      writeFileSync(join(root, `a/b/${round}.txt`), '1')
      await received({ path: `a/b/${round}.txt` })
      hints.length = 0
    }
  })

  test('a burst that hides a changed ignore file ends the old rules', async () => {
    const root = makeTree({ 'secret.txt': 'x' })
    const { received, rules } = await watchTree(root, 20)
    expect(rules.verdict('secret.txt', 'file').ignored).toBe(false)
    for (let index = 0; index < 100; index++) writeFileSync(join(root, `${index}.txt`), 'x')
    writeFileSync(join(root, '.sluiceignore'), 'secret.txt')
    await received({ kind: 'doubtful' })
    expect(rules.verdict('secret.txt', 'file').ignored).toBe(true)
  })

  test('a directory that fewer may read now is reported, and so are its rules', async () => {
    const root = makeTree({ 'hr/pay.txt': 'x' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'hr'), 0o755)
    const { received, rules } = await watchTree(root, 1_000, { ...plain, widening: 'skip' })
    expect(rules.verdict('hr/pay.txt', 'file').ignored).toBe(false)
    chmodSync(join(root, 'hr'), 0o700)
    await received({ kind: 'directory', path: 'hr' })
    expect(rules.verdict('hr/pay.txt', 'file').ignored).toBe(true)
  })

  test('directories made by a burst are watched after it', async () => {
    const root = makeTree()
    const { received } = await watchTree(root, 20)
    for (let index = 0; index < 100; index += 1)
      mkdirSync(join(root, `d${index}/e`), { recursive: true })
    await received({ kind: 'doubtful' })
    await until(() => countInotifyWatches() >= 201)
    writeFileSync(join(root, 'd77/e/later.txt'), '1')
    await received({ kind: 'path', path: 'd77/e/later.txt' })
  })

  test('under changed rules newly included directories are watched, and ignored ones are not', async () => {
    const root = makeTree({ '.sluiceignore': 'a/\n', 'a/b/x': '', 'c/x': '' })
    const { received } = await watchTree(root)
    const watches = countInotifyWatches()
    writeFileSync(join(root, '.sluiceignore'), 'c/\n')
    await received({ kind: 'folder' })
    expect(countInotifyWatches()).toBe(watches + 1)
    writeFileSync(join(root, 'a/b/y.txt'), '')
    await received({ kind: 'path', path: 'a/b/y.txt' })
  })

  test('a removed root gives a doubtful hint', async () => {
    const root = makeTree({ 'a/x': '' })
    const { received, watcher } = await watchTree(root)
    rmSync(root, { recursive: true })
    await received({ kind: 'doubtful' })
    expect(watcher.trouble()).toContain('removed or replaced')
    expect(watcher.isStale()).toBe(true)
  })

  test('a root that is made again gives a doubtful hint, even with the same inode', async () => {
    const root = makeTree({ 'a/x': '' })
    const { received, watcher } = await watchTree(root)
    remake(root)
    await received({ kind: 'doubtful' })
    expect(watcher.isStale()).toBe(true)
  })

  test("an entry with the root's name, and a root that goes and returns, do not stop events", async () => {
    const root = makeTree({ 'a/x': '' })
    const { received, hints, watcher } = await watchTree(root)
    const namesake = basename(root)
    writeFileSync(join(root, namesake), '')
    await received({ kind: 'path', path: namesake })
    renameSync(root, `${root}-away`)
    renameSync(`${root}-away`, root)
    hints.length = 0
    rmSync(join(root, namesake))
    await received({ kind: 'directory', path: namesake })
    writeFileSync(join(root, 'a/y'), '')
    await received({ kind: 'path', path: 'a/y' })
    expect(watcher.isStale()).toBe(false)
  })
})

test('a closed watcher leaves neither watches nor threads, even when directories vanished', async () => {
  const threads = () => readdirSync('/proc/self/task').length
  const root = makeTree({ 'a/b/c/x': '', 'd/e': '' })
  const cycle = async () => {
    addToTree(root, { 'a/b/c/x': '', 'f/g': '' })
    const { watcher } = await watchTree(root)
    rmSync(join(root, 'f'), { recursive: true })
    renameSync(join(root, 'a'), join(root, 'z'))
    rmSync(join(root, 'z'), { recursive: true })
    await watcher.close()
  }
  await cycle()
  const before = { threads: threads(), watches: countInotifyWatches() }
  for (let round = 0; round < 20; round += 1) await cycle()
  await vi.waitFor(() => expect(threads()).toBeLessThanOrEqual(before.threads), { timeout: 10_000 })
  expect(countInotifyWatches()).toBe(before.watches)
})

const limited =
  spawnSync('unshare', ['-Ur', 'sh', '-c', 'echo 60 > /proc/sys/user/max_inotify_watches'])
    .status === 0
if (!limited)
  console.log('skipped: the limit of inotify watches, because user namespaces are not allowed here')

test.skipIf(!limited)(
  'at the limit a start with too many directories fails, and later ones give trouble',
  () => {
    const directories = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}/f`, '']))
    const root = makeTree({
      ...Object.fromEntries(Object.entries(directories(100)).map(([path]) => [`many/${path}`, ''])),
    })
    addToTree(
      root,
      Object.fromEntries(Object.keys(directories(40)).map((path) => [`few/${path}`, ''])),
    )
    const script = `
    import { mkdirSync } from 'node:fs'
    import { createIgnoreRules } from '${builtModule('disk/scan/ignore')}'
    import { watchFolder } from '${builtModule('disk/watch/watch')}'
    const hints = []
    const watch = (root) => {
      const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
      return watchFolder({ root, rules, watcher: 'native', burst_events: 1000, on_hint: (hint) => hints.push(hint) })
    }
    const error = await watch(process.argv[2] + '/many').catch((error) => error)
    const few = await watch(process.argv[2] + '/few')
    for (let index = 0; index < 40; index += 1) mkdirSync(process.argv[2] + '/few/new' + index)
    while (few.trouble() === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    const trouble = few.trouble()
    await few.close()
    console.log(JSON.stringify({ message: error.message, hint: error.hint, trouble, doubtful: hints.some(({ kind }) => kind === 'doubtful') }))`
    const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
    const limit = 'echo 60 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"'
    const child = spawnSync('unshare', ['-Ur', 'sh', '-c', limit, process.execPath, file, root], {
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect(child.stderr).toBe('')
    const answer = JSON.parse(child.stdout) as {
      message: string
      hint: string
      trouble: string
      doubtful: boolean
    }
    expect(answer.message).toContain('user.max_inotify_watches is 60')
    expect(answer.hint).toContain('sluice doctor')
    expect(answer.trouble).toContain('user.max_inotify_watches is 60')
    expect(answer.doubtful).toBe(true)
  },
)
