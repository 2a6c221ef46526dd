import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const max_entries = 20

/** Directories that may have more entries, with the reason. */
const exceptions: Record<string, string> = {
  'src/cli/commands': 'each command has one file, which has its name',
  test: 'each module of src has a directory; house, journeys, rig, sim and bench stand beside them',
}

/** `paths`: files. Returns the directories that have too many entries, each with its count. */
function crowded(paths: readonly string[]): string[] {
  const entries = new Map<string, Set<string>>()
  for (const path of paths) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      const directory = parts.slice(0, depth).join('/')
      entries.set(directory, (entries.get(directory) ?? new Set()).add(parts[depth]!))
    }
  }
  return [...entries]
    .filter(([directory, names]) => names.size > max_entries && !(directory in exceptions))
    .map(([directory, names]) => `${directory} has ${names.size} entries`)
}

/** tsconfig.json does not count: editors and tsc expect it in that directory. */
function filesBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'tsconfig.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !path.includes('node_modules/'))
}

test.each(['src', 'test'])('no directory of %s has more than 20 entries', (directory) => {
  expect(crowded(filesBelow(directory))).toEqual([])
})

test('a directory with too many entries is found, and each entry counts once', () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, at) => `src/disk/scan-${at}.ts`)
  expect(crowded([...files(19), 'src/disk/watch/a.ts', 'src/disk/watch/b.ts'])).toEqual([])
  expect(crowded([...files(20), 'src/disk/watch/a.ts'])).toEqual(['src/disk has 21 entries'])
})
