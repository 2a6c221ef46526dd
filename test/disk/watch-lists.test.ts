import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FSWatcher } from 'chokidar'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createIgnoreRules } from '../../src/disk/ignore.ts'
import { type FolderWatcher, type Hint, watchFolder } from '../../src/disk/watch.ts'
import { endFailedLists } from '../../src/disk/watch-gaps.ts'
import { makeTree } from '../tree.ts'

const open: FolderWatcher[] = []
const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`)
const one_round = { timeout: 3_000, interval: 20 }
const patience = { timeout: 30_000, interval: 20 }

afterEach(async () => {
  for (const watcher of open.splice(0)) await watcher.close()
})

async function watchTree(root: string, watcher: 'native' | 'chokidar') {
  const hints: Hint[] = []
  const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
  const on_hint = (hint: Hint) => void hints.push(hint)
  const watching = await watchFolder({ root, rules, watcher, burst_events: 1_000, on_hint })
  open.push(watching)
  /** chokidar may join what happens to a path within a moment: all of them are written until all were told of at once. */
  const hearsAll = async (paths: readonly string[]) => {
    let round = 0
    await vi.waitFor(async () => {
      hints.length = 0
      for (const path of paths) writeFileSync(join(root, path), `${round++}`)
      await vi.waitFor(() => {
        const heard = new Set(hints.map((hint) => ('path' in hint ? hint.path : '')))
        expect(paths.filter((path) => !heard.has(path))).toEqual([])
      }, one_round)
    }, patience)
  }
  return { watching, hearsAll }
}

describe.each(['native', 'chokidar'] as const)('%s', (watcher) => {
  test.each([
    ['through a file', '0.txt/none'],
    ['to a name that is too long', 'x'.repeat(300)],
    ['to nothing', 'none'],
    ['to itself', 'link'],
    ['to a directory', 'sub'],
    ['to the directory that it is in', '.'],
  ])('a link %s silences nothing beside it', async (_what, target) => {
    const tree = Object.fromEntries(names.map((name) => [`d/${name}`, 'x']))
    const root = makeTree({ ...tree, 'd/sub/x.txt': 'x', 'd/link': { link: target } })
    const { watching, hearsAll } = await watchTree(root, watcher)
    // What is new has chokidar read the directory again.
    for (const fresh of ['d/new.txt', 'd/newer.txt']) {
      await hearsAll([fresh, ...names.map((name) => `d/${name}`), 'd/sub/x.txt', `${fresh}.too`])
    }
    symlinkSync(target, join(root, 'd/later'))
    await hearsAll(['d/newest.txt', ...names.map((name) => `d/${name}`), 'd/sub/y.txt'])
    expect(watching.trouble()).toBeUndefined()
  })

  test('one that cannot be looked at silences nothing beside it', async () => {
    const root = makeTree()
    let directory = ''
    while (join(root, directory).length < 3_900) directory = join(directory, 'n'.repeat(100))
    mkdirSync(join(root, directory), { recursive: true })
    onTestFinished(() => void execFileSync('rm', ['-rf', join(root, 'n'.repeat(100))]))
    for (const name of names) writeFileSync(join(root, directory, name), 'x')
    const { hearsAll } = await watchTree(root, watcher)
    // Beyond PATH_MAX, which is 4,096.
    execFileSync('bash', ['-c', `: > ${'l'.repeat(250)}`], { cwd: join(root, directory) })
    for (const fresh of ['new.txt', 'newer.txt']) {
      await hearsAll([fresh, ...names].map((name) => join(directory, name)))
    }
  })
})

test('a list that fails as a whole takes nothing away from chokidar', async () => {
  const root = makeTree(Object.fromEntries(names.map((name) => [name, 'x'])))
  const watcher = new FSWatcher({ ignoreInitial: true, atomic: false, followSymlinks: false })
  onTestFinished(() => watcher.close())
  let failed = 0
  let failing = false
  const list = watcher._readdirp.bind(watcher)
  watcher._readdirp = (...given) => {
    const stream = list(...given)
    if (failing) {
      failed += 1
      stream?.destroy(Object.assign(new Error('EIO: i/o error, scandir'), { code: 'EIO' }))
    }
    return stream
  }
  endFailedLists(watcher)
  const errors: unknown[] = []
  const gone: string[] = []
  watcher.on('error', (error) => errors.push(error)).on('unlink', (path) => gone.push(path))
  await new Promise<void>((resolve) => watcher.once('ready', resolve).add(root))
  failing = true
  writeFileSync(join(root, 'new.txt'), 'new')
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), patience)
  failing = false
  const changed: string[] = []
  watcher.on('change', (path) => changed.push(path))
  await vi.waitFor(() => {
    for (const name of names) writeFileSync(join(root, name), 'more')
    expect(new Set(changed).size).toBe(names.length)
  }, patience)
  expect([failed > 0, gone]).toEqual([true, []])
})
