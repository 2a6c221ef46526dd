import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Clock, minute_ms, second_ms, system_clock } from '../../../src/base/time/time.ts'
import {
  createIgnoreRules,
  type IgnoreRules,
  type IgnoreSpec,
} from '../../../src/disk/scan/ignore.ts'
import { type FolderWatcher, type Hint, watchFolder } from '../../../src/disk/watch/watch.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { makeFifo, writeRawFile } from '../odd-entries.ts'

const plain: IgnoreSpec = { include: [], exclude: [], dot_files: false }
const chokidar = { watcher: 'chokidar', burst_events: 2_000 } as const
const open: FolderWatcher[] = []

afterEach(async () => {
  for (const watcher of open.splice(0)) await watcher.close()
})

interface Watched {
  root: string
  hints: Hint[]
  watcher: FolderWatcher
  rules: IgnoreRules
  /** Waits until such a hint has come, and then drops the earlier ones. */
  received(hint: Partial<Hint>): Promise<void>
}

async function watchTree(
  tree: Record<string, string>,
  clock: Clock = system_clock,
): Promise<Watched> {
  const root = makeTree(tree)
  const hints: Hint[] = []
  const rules = createIgnoreRules(root, plain)
  const watcher = await watchFolder({
    root,
    rules,
    ...chokidar,
    clock,
    on_hint: (hint) => hints.push(hint),
  })
  open.push(watcher)
  return {
    root,
    hints,
    watcher,
    rules,
    async received(hint) {
      await vi.waitFor(() => expect(hints).toContainEqual(expect.objectContaining(hint)), {
        timeout: 30_000,
        interval: 10,
      })
    },
  }
}

describe('hints', () => {
  test('existing files give no hints', async () => {
    const { root, hints, received } = await watchTree({ 'a/b.txt': 'x', 'c.txt': 'y' })
    appendFileSync(join(root, 'c.txt'), 'more')
    await received({ kind: 'path', path: 'c.txt' })
    expect(hints.every((hint) => hint.kind === 'path' && hint.path === 'c.txt')).toBe(true)
  })

  test('made, changed and removed files give their paths, relative to the root', async () => {
    const { root, hints, received } = await watchTree({ 'a/old.txt': 'x' })
    writeFileSync(join(root, 'a/new file.txt'), '1')
    await received({ kind: 'path', path: 'a/new file.txt' })
    appendFileSync(join(root, 'a/old.txt'), 'y')
    await received({ kind: 'path', path: 'a/old.txt' })
    hints.length = 0
    rmSync(join(root, 'a/old.txt'))
    await received({ kind: 'path', path: 'a/old.txt' })
  })

  test('names that other watchers drop give hints: backup-like, long, emoji', async () => {
    const { root, received } = await watchTree({ 'a/x': '' })
    for (const name of [
      'report.sublime.txt',
      '\u{1f600}.txt',
      'x'.repeat(255),
      '"quoted" \n name',
    ]) {
      writeFileSync(join(root, 'a', name), '1')
      await received({ kind: 'path', path: `a/${name}` })
    }
  })

  test('a new directory gives a directory hint, and is watched from then on', async () => {
    const { root, received } = await watchTree({})
    addToTree(root, { 'new/deep/file.txt': '1' })
    await received({ kind: 'directory', path: 'new' })
    await received({ kind: 'directory', path: 'new/deep' })
    await received({ kind: 'path', path: 'new/deep/file.txt' })
    writeFileSync(join(root, 'new/deep/later.txt'), '1')
    await received({ kind: 'path', path: 'new/deep/later.txt' })
  })

  test.each([
    ['of plain names', ''],
    ['whose names hold a real U+FFFD', '\uFFFD'],
  ])(
    'directories %s made in one another faster than they are watched give hints',
    async (_what, mark) => {
      const { root, hints } = await watchTree({})
      const tops = Array.from({ length: 200 }, (_, index) => `${index}`)
      const made = tops.map((top) => `${top}/a${mark}/b${mark}/c${mark}`)
      const steps = `for top; do mkdir $top; for name in a b c; do mkdir $top/$name${mark}; top=$top/$name${mark}; done; done`
      const maker = spawn('sh', ['-c', steps, 'sh', ...tops], { cwd: root })
      await once(maker, 'exit')
      await vi.waitFor(
        () => {
          const received = new Set(hints.map((hint) => ('path' in hint ? hint.path : '')))
          expect(made.filter((path) => !received.has(path))).toEqual([])
        },
        { timeout: 20_000, interval: 50 },
      )
      hints.length = 0
      for (const path of made) writeFileSync(join(root, path, 'later.txt'), '1')
      // A directory that is known by its name may be listed only now: then one hint covers all of
      // it.
      const covers = (hint: Hint, path: string) =>
        'path' in hint &&
        (hint.path === `${path}/later.txt` ||
          (hint.kind === 'directory' && `${path}/`.startsWith(`${hint.path}/`)))
      await vi.waitFor(
        () => expect(made.filter((path) => !hints.some((hint) => covers(hint, path)))).toEqual([]),
        {
          timeout: 20_000,
          interval: 50,
        },
      )
    },
  )

  test('a renamed directory gives hints at both places', async () => {
    const { root, received } = await watchTree({ 'old/file.txt': '1' })
    renameSync(join(root, 'old'), join(root, 'new'))
    await received({ kind: 'directory', path: 'old' })
    await received({ kind: 'directory', path: 'new' })
    await received({ kind: 'path', path: 'old/file.txt' })
  })

  test('a name that is not UTF-8 gives a hint for its directory', async () => {
    const { root, received } = await watchTree({ 'a/x': '' })
    writeRawFile(join(root, 'a'), 'caf\xe9.txt', 'x')
    await received({ kind: 'directory', path: 'a' })
  })

  test('a root that is a link is watched where it leads', async () => {
    const above = makeTree({ 'real/a/x.txt': '', root: { link: 'real' } })
    const hints: Hint[] = []
    const root = join(above, 'root')
    const rules = createIgnoreRules(root, plain)
    open.push(await watchFolder({ root, rules, ...chokidar, on_hint: (hint) => hints.push(hint) }))
    appendFileSync(join(root, 'a/x.txt'), 'more')
    await vi.waitFor(() => expect(hints).toContainEqual({ kind: 'path', path: 'a/x.txt' }), {
      timeout: 30_000,
    })
  })

  test('a flood of events gives a doubtful hint', async () => {
    const { root, received } = await watchTree({ 'a/x': '' })
    for (let index = 0; index < 2_500; index += 1)
      writeFileSync(join(root, `a/f${index % 50}`), 'x')
    await received({ kind: 'doubtful' })
  })

  test('a closed watcher gives no hints', async () => {
    const { root, hints, watcher } = await watchTree({ a: '' })
    appendFileSync(join(root, 'a'), 'x')
    await watcher.close()
    const count = hints.length
    appendFileSync(join(root, 'a'), 'y')
    await new Promise((resolve) => setImmediate(resolve))
    expect(hints.length).toBe(count)
  })
})

describe('an ignored path', () => {
  test('is not entered, and takes no watch', async () => {
    const { root, hints, watcher, received } = await watchTree({
      'node_modules/p/index.js': '',
      'a/x.tmp': '',
      'a/.sluiceignore': 'drafts/\n',
      'a/drafts/1': '',
      'a/doc.txt': '',
    })
    makeFifo(root, 'fifo')
    // The root, a, a/doc.txt and a/.sluiceignore.
    expect(watcher.watched()).toBe(4)
    writeFileSync(join(root, 'node_modules/p/new.js'), '')
    writeFileSync(join(root, 'a/drafts/2'), '')
    writeFileSync(join(root, 'a/y.tmp'), '')
    writeFileSync(join(root, 'a/end.txt'), '')
    await received({ kind: 'path', path: 'a/end.txt' })
    expect(hints.map((hint) => 'path' in hint && hint.path)).toEqual(['a/end.txt'])
  })

  test('of a changed .sluiceignore is watched once the file allows it', async () => {
    const { root, rules, hints, received } = await watchTree({
      'a/.sluiceignore': 'deep/\n',
      'a/sub/deep/x.txt': '',
    })
    expect(rules.verdict('a/sub/deep/x.txt', 'file').ignored).toBe(true)
    writeFileSync(join(root, 'a/.sluiceignore'), '*.log\n')
    await received({ kind: 'directory', path: 'a' })
    expect(rules.verdict('a/sub/deep/x.txt', 'file').ignored).toBe(false)
    // This hint covers all changes while the watcher started anew.
    await received({ kind: 'folder' })
    // Once the directory is watched, each write gives a hint.
    let count = 0
    await vi.waitFor(
      () => {
        writeFileSync(join(root, `a/sub/deep/${count++}.txt`), '')
        expect(hints.some((hint) => 'path' in hint && hint.path.startsWith('a/sub/deep/'))).toBe(
          true,
        )
      },
      { timeout: 30_000, interval: 20 },
    )
  })
})

test('a .sluiceignore that changes all the time makes the rests between restarts longer; close ends the rest', async () => {
  const clock = new FakeClock()
  const { root, hints, watcher } = await watchTree({ 'a/.sluiceignore': 'deep/\n' }, clock)
  const patience = { timeout: 30_000, interval: 20 }
  const starts = () => hints.filter(({ kind }) => kind === 'folder').length
  const started = (count: number) => vi.waitFor(() => expect(starts()).toBe(count), patience)
  let count = 0
  const change = () => writeFileSync(join(root, 'a/.sluiceignore'), `deep${count++}/\n`)
  const rests = () =>
    vi.waitFor(() => {
      change()
      expect(clock.pending()).toBe(1)
    }, patience)
  change()
  await started(1)
  let done = 1
  for (const rest_ms of [2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * second_ms)) {
    await rests()
    expect(clock.pending_ms()).toEqual([rest_ms])
    expect(watcher.trouble()).toContain('.sluiceignore')
    expect(starts()).toBe(done)
    await clock.advance(rest_ms)
    done += 1
    await started(done)
    // The event of an earlier change may come only now, and begin the next rest.
    if (clock.pending() === 0) expect(watcher.trouble()).toBeUndefined()
  }
  await clock.advance(minute_ms)
  change()
  await started(done + 1)
  await rests()
  await watcher.close()
})

describe('trouble', () => {
  test('a folder that cannot be listed is named, and the others are watched', async () => {
    const root = makeTree({ 'a.txt': 'a', 'z/z.txt': 'z' })
    const name = 'n'.repeat(250)
    // Beyond PATH_MAX, which is 4,096 with the root.
    const deep = `for i in $(seq 17); do mkdir ${name} && cd -P ${name} || exit 1; done`
    execFileSync('bash', ['-c', deep], { cwd: root })
    onTestFinished(() => void execFileSync('rm', ['-rf', join(root, name)]))
    const hints: Hint[] = []
    const rules = createIgnoreRules(root, plain)
    const watcher = await watchFolder({
      root,
      rules,
      ...chokidar,
      on_hint: (hint) => hints.push(hint),
    })
    open.push(watcher)
    expect(watcher.trouble()).toContain('not all of the folder is watched: name too long')
    expect(hints).toContainEqual(expect.objectContaining({ kind: 'doubtful' }))
    appendFileSync(join(root, 'z/z.txt'), 'more')
    await vi.waitFor(() => expect(hints).toContainEqual({ kind: 'path', path: 'z/z.txt' }), {
      timeout: 30_000,
    })
  })

  test('a folder without trouble has all its files and directories watched', async () => {
    const { watcher } = await watchTree({ 'a/1': '', 'a/2': '', 'b/': '' })
    expect(watcher.watched()).toBe(5)
    expect(watcher.trouble()).toBeUndefined()
  })

  test('a root that goes away is trouble', async () => {
    const { root, watcher, received } = await watchTree({ 'a/1': '' })
    rmSync(root, { recursive: true })
    await received({ kind: 'doubtful' })
    expect(watcher.trouble()).toContain('removed or replaced')
    mkdirSync(root)
  })

  test('a root that is missing fails the start', async () => {
    const root = join(makeTree(), 'none')
    const watching = watchFolder({
      root,
      ...chokidar,
      rules: createIgnoreRules(root, plain),
      on_hint: () => {},
    })
    await expect(watching).rejects.toMatchObject({ code: 'disk.offline' })
  })

  test('a start can be aborted', async () => {
    const root = makeTree(
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`d${index}/f`, ''])),
    )
    const abort = new AbortController()
    const starting = watchFolder({
      root,
      ...chokidar,
      rules: createIgnoreRules(root, plain),
      on_hint: () => {},
      signal: abort.signal,
    })
    abort.abort()
    await (await starting).close()
  })

  const limited =
    spawnSync('unshare', ['-Ur', 'sh', '-c', 'echo 60 > /proc/sys/user/max_inotify_watches'])
      .status === 0
  if (!limited)
    console.log(
      'skipped: the limit of inotify watches, because user namespaces are not allowed here',
    )

  test.skipIf(!limited)(
    'too few inotify watches give one hint with the number and the sysctl',
    () => {
      const root = makeTree(
        Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [`d${index % 10}/f${index}`, '']),
        ),
      )
      const script = `
      import { createIgnoreRules } from '${builtModule('disk/scan/ignore')}'
      import { watchFolder } from '${builtModule('disk/watch/watch')}'
      const root = process.argv[2]
      const hints = []
      const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
      const options = { root, rules, watcher: 'chokidar', burst_events: 1000 }
      const watcher = await watchFolder({ ...options, on_hint: (hint) => hints.push(hint) })
      const trouble = watcher.trouble()
      const watched = watcher.watched()
      await watcher.close()
      console.log(JSON.stringify({ hints, trouble, watched }))`
      const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
      const limit = 'echo 60 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"'
      const child = spawnSync('unshare', ['-Ur', 'sh', '-c', limit, process.execPath, file, root], {
        encoding: 'utf8',
      })
      const answer = JSON.parse(child.stdout) as { hints: Hint[]; trouble: string; watched: number }
      expect(answer.hints).toEqual([{ kind: 'doubtful', reason: answer.trouble }])
      expect(answer.trouble).toContain(
        'needs 211 inotify watches, and user.max_inotify_watches is 60',
      )
      expect(answer.trouble).toContain('sysctl -w user.max_inotify_watches=512')
      expect(answer.watched).toBe(60)
    },
  )
})
