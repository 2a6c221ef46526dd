import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test as inTurn, type TestContext, vi } from 'vitest'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import { type Hint, watchFolder } from '../../../src/disk/watch/watch.ts'
import { makeTree } from '../../rig/tree.ts'

/** Each waits most of its time. */
const test = inTurn.concurrent

const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`)
/** Each round lasts twice as long as the one before it: a busy machine takes its time. */
const first_round_ms = 300
const patience = { timeout: 30_000, interval: 20 }

async function watchTree({ onTestFinished }: TestContext, root: string, watcher: 'native' | 'chokidar') {
  const hints: Hint[] = []
  const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
  const on_hint = (hint: Hint) => void hints.push(hint)
  const watching = await watchFolder({ root, rules, watcher, burst_events: 1_000, on_hint })
  onTestFinished(() => watching.close())
  /** chokidar may join what happens to a path within a moment: all of them are written until all were told of at once. */
  const hearsAll = async (paths: readonly string[]) => {
    let written = 0
    let timeout = first_round_ms
    await vi.waitFor(async () => {
      hints.length = 0
      for (const path of paths) writeFileSync(join(root, path), `${written++}`)
      const round = { timeout, interval: 20 }
      timeout *= 2
      await vi.waitFor(() => {
        const heard = new Set(hints.map((hint) => ('path' in hint ? hint.path : '')))
        expect(paths.filter((path) => !heard.has(path))).toEqual([])
      }, round)
    }, patience)
  }
  return { watching, hearsAll }
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
  'chokidar: a link %s: it says that it does not hear all of it',
  async ([_what, target], context) => {
    const { watching } = await watchTree(context, makeTree({ '0.txt': 'x', link: { link: target } }), 'chokidar')
    expect(watching.trouble()).toContain('not all of it is watched')
  },
)

describe.each(['native', 'chokidar'] as const)('%s', (watcher) => {
  test.for(watcher === 'native' ? [...links, ...chokidar_waits_for] : links)(
    'a link %s silences nothing beside it',
    async ([_what, target], context) => {
      const tree = Object.fromEntries(names.map((name) => [`d/${name}`, 'x']))
      const root = makeTree({ ...tree, 'd/sub/x.txt': 'x', 'd/link': { link: target } })
      const { watching, hearsAll } = await watchTree(context, root, watcher)
      // What is new has chokidar read the directory again.
      for (const fresh of ['d/new.txt', 'd/newer.txt']) {
        await hearsAll([fresh, ...names.map((name) => `d/${name}`), 'd/sub/x.txt', `${fresh}.too`])
      }
      symlinkSync(target, join(root, 'd/later'))
      await hearsAll(['d/newest.txt', ...names.map((name) => `d/${name}`), 'd/sub/y.txt'])
      expect(watching.trouble()).toBeUndefined()
    },
  )

  inTurn.runIf(watcher === 'native')('one that cannot be looked at silences nothing beside it', async (context) => {
    const root = makeTree()
    let directory = ''
    while (join(root, directory).length < 3_900) directory = join(directory, 'n'.repeat(100))
    mkdirSync(join(root, directory), { recursive: true })
    context.onTestFinished(() => void execFileSync('rm', ['-rf', join(root, 'n'.repeat(100))]))
    for (const name of names) writeFileSync(join(root, directory, name), 'x')
    const { hearsAll } = await watchTree(context, root, watcher)
    // Beyond PATH_MAX, which is 4,096.
    execFileSync('bash', ['-c', `: > ${'l'.repeat(250)}`], { cwd: join(root, directory) })
    for (const fresh of ['new.txt', 'newer.txt']) {
      await hearsAll([fresh, ...names].map((name) => join(directory, name)))
    }
  })
})
