import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import { type FolderWatcher, type Hint, watchFolder } from '../../../src/disk/watch/watch.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'

const open: FolderWatcher[] = []
const places = ['1', '2', '3', '4', '5', '6']

afterEach(async () => {
  for (const watcher of open.splice(0)) await watcher.close()
})

function toFile(path: string): void {
  rmSync(path, { recursive: true })
  writeFileSync(path, 'file')
}

function toDirectory(path: string): void {
  rmSync(path, { recursive: true })
  addToTree(path, { 'sub/x.txt': 'anew' })
}

/** The changes that are made to a path at once. */
const swaps = [
  { what: 'a directory made anew', steps: [toDirectory], ends: 'directory' },
  { what: 'a directory that becomes a file', steps: [toFile], ends: 'file' },
  {
    what: 'a directory that becomes a file and one again',
    steps: [toFile, toDirectory],
    ends: 'directory',
  },
  {
    what: 'one that becomes a file, a directory and a file',
    steps: [toFile, toDirectory, toFile],
    ends: 'file',
  },
  {
    what: 'a file that becomes a directory',
    begins: 'file',
    steps: [toDirectory],
    ends: 'directory',
  },
]

describe.each(['native', 'chokidar'] as const)('%s', (watcher) => {
  test.each(swaps)('$what: later changes there give hints', async ({ begins, steps, ends }) => {
    const at = (place: string) => (begins === 'file' ? place : `${place}/sub/x.txt`)
    const root = makeTree(Object.fromEntries(places.map((place) => [at(place), 'x'])))
    let hints: Hint[] = []
    const rules = createIgnoreRules(root, { include: [], exclude: [], dot_files: false })
    open.push(
      await watchFolder({
        root,
        rules,
        watcher,
        burst_events: 1_000,
        on_hint: (hint) => hints.push(hint),
      }),
    )
    for (const place of places) for (const swap of steps) swap(join(root, place))
    // While chokidar starts anew, changes are reported as one hint for the whole folder.
    await hintsAt(() => hints, places, { or_folder: true })
    const changed =
      ends === 'file' ? places : places.flatMap((place) => [`${place}/y.txt`, `${place}/sub/y.txt`])
    let round = 0
    await vi.waitFor(
      async () => {
        hints = []
        for (const path of changed) writeFileSync(join(root, path), `${round++}`)
        await hintsAt(() => hints, changed, { timeout: 300 })
      },
      { timeout: 15_000, interval: 50 },
    )
  })
})

interface WaitOptions {
  timeout?: number
  or_folder?: boolean
}

function hintsAt(
  hints: () => readonly Hint[],
  paths: readonly string[],
  options: WaitOptions = {},
): Promise<void> {
  const { timeout = 15_000, or_folder = false } = options
  return vi.waitFor(
    () => {
      const received = new Set(hints().map((hint) => ('path' in hint ? hint.path : '')))
      if (or_folder && hints().some(({ kind }) => kind === 'folder')) return
      expect(paths.filter((path) => !received.has(path))).toEqual([])
    },
    { timeout, interval: 20 },
  )
}
