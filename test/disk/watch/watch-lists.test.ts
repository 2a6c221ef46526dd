import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test as inTurn, type TestContext, vi } from 'vitest'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import { type Hint, watchFolder } from '../../../src/disk/watch/watch.ts'
import { makeTree } from '../../rig/tree.ts'

/** Runs the tests at the same time, because each mostly waits. */
const test = inTurn.concurrent

const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`)
/** Each round lasts twice as long as the one before, because a busy machine needs more time. */
const first_round_ms = 300
const patience = { timeout: 30_000, interval: 20 }

async function watchTree(
  { onTestFinished }: TestContext,
  root: string,
  watcher: 'native' | 'chokidar',
) {
  const hints: Hint[] = []
  const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
  const on_hint = (hint: Hint) => void hints.push(hint)
  const watching = await watchFolder({ root, rules, watcher, burst_events: 1_000, on_hint })
  onTestFinished(() => watching.close())
  /**
   * Writes all paths again until a hint for each has come in one round. chokidar may join the
   * events of a path within a moment.
   */
  const receivesAll = async (paths: readonly string[]) => {
    let written = 0
    let timeout = first_round_ms
    await vi.waitFor(async () => {
      hints.length = 0
      for (const path of paths) writeFileSync(join(root, path), `${written++}`)
      const round = { timeout, interval: 20 }
      timeout *= 2
      await vi.waitFor(() => {
        const received = new Set(hints.map((hint) => ('path' in hint ? hint.path : '')))
        expect(paths.filter((path) => !received.has(path))).toEqual([])
      }, round)
    }, patience)
  }
  return { watching, receivesAll }
}

const chokidar_waits_for = [
  ['through a file', '0.txt/none'],
  ['to a name that is too long', 'x'.repeat(300)],
] as const
const links = [
  ['to nothing', 'none'],
  ['to itself', 'link'],
  ['to a directory', 'sub'],
  ['to the directory that it is in', '.'],
] as const

test.for(chokidar_waits_for)(
  'chokidar reports a link %s as not completely watched',
  async ([_what, target], context) => {
    const { watching } = await watchTree(
      context,
      makeTree({ '0.txt': 'x', link: { link: target } }),
      'chokidar',
    )
    expect(watching.trouble()).toContain('not all of it is watched')
  },
)

describe.each(['native', 'chokidar'] as const)('%s', (watcher) => {
  test.for(watcher === 'native' ? [...links, ...chokidar_waits_for] : links)(
    'a link %s stops no events of its neighbours',
    async ([_what, target], context) => {
      const tree = Object.fromEntries(names.map((name) => [`d/${name}`, 'x']))
      const root = makeTree({ ...tree, 'd/sub/x.txt': 'x', 'd/link': { link: target } })
      const { watching, receivesAll } = await watchTree(context, root, watcher)
      // A new file makes chokidar read the directory again.
      for (const fresh of ['d/new.txt', 'd/newer.txt']) {
        await receivesAll([
          fresh,
          ...names.map((name) => `d/${name}`),
          'd/sub/x.txt',
          `${fresh}.too`,
        ])
      }
      symlinkSync(target, join(root, 'd/later'))
      await receivesAll(['d/newest.txt', ...names.map((name) => `d/${name}`), 'd/sub/y.txt'])
      expect(watching.trouble()).toBeUndefined()
    },
  )

  inTurn.runIf(watcher === 'native')(
    'a too long path stops no events of its neighbours',
    async (context) => {
      const root = makeTree()
      let directory = ''
      while (join(root, directory).length < 3_900) directory = join(directory, 'n'.repeat(100))
      mkdirSync(join(root, directory), { recursive: true })
      context.onTestFinished(() => void execFileSync('rm', ['-rf', join(root, 'n'.repeat(100))]))
      for (const name of names) writeFileSync(join(root, directory, name), 'x')
      const { receivesAll } = await watchTree(context, root, watcher)
      // Beyond PATH_MAX, which is 4,096.
      execFileSync('bash', ['-c', `: > ${'l'.repeat(250)}`], { cwd: join(root, directory) })
      for (const fresh of ['new.txt', 'newer.txt']) {
        await receivesAll([fresh, ...names].map((name) => join(directory, name)))
      }
    },
  )
})
