import ignore from 'ignore'
import { expect, test } from 'vitest'
import { excludeLine, sameStat, watchingText } from '../../src/domain/file.ts'

test.each(['a.png', 'scans/map [1].png', '#b', '!c', 'what?*', 'back\\slash', 'two  blanks '])(
  'the exclude line for %j excludes that file alone',
  (path) => {
    const rules = ignore().add(excludeLine(path))
    expect(rules.ignores(path)).toBe(true)
    expect(
      ['other.png', `sub/${path}`, 'scans/map 1.png', 'whatever'].filter((other) =>
        rules.ignores(other),
      ),
    ).toEqual([])
  },
)

test.each([
  ['chokidar', '1,980 files', 'watching 1,980 files'],
  ['native', '1 file, chokidar would be slow', 'watching 1 file (chokidar would be slow)'],
  ['native', 'more than 10,001 files', 'watching more than 10,001 files'],
  ['native', 'watch: native in the configuration', 'watching: watch: native in the configuration'],
  ['scan', 'nfs', 'not watching, scans find what changes: nfs'],
])('%s, %s', (watcher, reason, shown) => expect(watchingText({ watcher, reason })).toBe(shown))

test('the files of an earlier choice are not said: there may be more by now', () => {
  const shown = ['1,980 files', '1 file, chokidar would be slow'].map((reason) =>
    watchingText({ watcher: 'native', reason }, false),
  )
  expect(shown).toEqual(['watching', 'watching (chokidar would be slow)'])
})

const stat = { size: 1, mtime_ns: 2n, ctime_ns: 3n, inode: 4n }

test.each([
  [{}, true],
  [{ inode: 0n }, true],
  [{ inode: 5n }, false],
  [{ inode: 0n, ctime_ns: 4n }, false],
  [{ inode: 0n, size: 2 }, false],
])('a file with %o is the same: %s', (change, is_same) => {
  expect(sameStat({ ...stat, ...change }, stat)).toBe(is_same)
  expect(sameStat(stat, { ...stat, ...change })).toBe(is_same)
})
