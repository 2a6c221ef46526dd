import { execFileSync } from 'node:child_process'
import { statfsSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  identifiedRoot,
  isOtherDirectory,
  type OnlineRoot,
  rootStatus,
} from '../../../src/disk/root/root.ts'
import { isSameRoot } from '../../../src/domain/root-identity.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'

test('a folder is online, with its device and its filesystem', () => {
  const root = makeTree({ 'a.txt': '' })
  const status = rootStatus(root)
  expect(status).toMatchObject({
    kind: 'online',
    device: statSync(root, { bigint: true }).dev,
    empty: false,
  })
  expect(status.kind === 'online' && status.filesystem).toMatch(/^([a-z0-9]+|0x[0-9a-f]+)$/)
})

test('the filesystem is asked for its id only when the root differs from the one before', () => {
  const root = makeTree({ 'a/x.txt': 'x', 'b/x.txt': 'x' })
  const online = (path: string, before?: OnlineRoot) => {
    const status = identifiedRoot(join(root, path), before)
    return status.kind === 'online' ? status : expect.fail()
  }
  const a = online('a')
  const printed = execFileSync('stat', ['-f', '-c', '%i', root], { encoding: 'utf8' }).trim()
  if (a.filesystem_id !== undefined) expect(a.filesystem_id.replace('~', '')).toBe(printed)
  const made_up = { ...a, filesystem_id: 'abc' }
  expect(online('a', made_up).filesystem_id).toBe('abc')
  expect(online('b', made_up).filesystem_id).toBe(a.filesystem_id)
})

const has_proc = statfsSync('/proc').type === 0x9fa0
if (!has_proc)
  console.log('skipped: an unknown filesystem, because /proc is none that is known to be one')

test.skipIf(!has_proc)('an unknown filesystem is named by its number', () => {
  expect(rootStatus('/proc')).toMatchObject({ kind: 'online', filesystem: '0x9fa0', remote: false })
})

test('a folder that holds only system leftovers is empty', () => {
  expect(rootStatus(makeTree())).toMatchObject({ empty: true })
  expect(
    rootStatus(makeTree({ 'lost+found/': '', '.Trash-1000/x': '', '.DS_Store': '' })),
  ).toMatchObject({
    empty: true,
  })
  expect(rootStatus(makeTree({ 'lost+found/': '', '.hidden': '' }))).toMatchObject({ empty: false })
  expect(rootStatus(makeTree({ 'sub/': '' }))).toMatchObject({ empty: false })
})

test('a folder that is missing, or is no directory, is offline with a reason', () => {
  const root = makeTree({ file: '' })
  const detail = `${join(root, 'none')} does not exist (not mounted?)`
  expect(rootStatus(join(root, 'none'))).toEqual({ kind: 'offline', reason: 'missing', detail })
  expect(rootStatus(join(root, 'file'))).toMatchObject({
    kind: 'offline',
    reason: 'not a directory',
  })
  expect(rootStatus(join(root, 'file/below'))).toMatchObject({
    kind: 'offline',
    reason: 'not a directory',
  })
  symlinkSync('loop', join(root, 'loop'))
  expect(rootStatus(join(root, 'loop'))).toMatchObject({ kind: 'offline', reason: 'unreadable' })
})

test('another directory differs from the first one, whatever changes in either', () => {
  const root = makeTree({ 'a/x.txt': 'x', 'b/x.txt': 'x' })
  const identity = (path: string) => {
    const status = rootStatus(join(root, path))
    return status.kind === 'online' ? status.identity : expect.fail()
  }
  const a = identity('a')
  expect(isSameRoot(a, identity('b'))).toBe(false)
  addToTree(root, { 'a/y.txt': 'y', 'a/z/': '' })
  expect(isSameRoot(a, identity('a'))).toBe(true)
})

test.each<[string, string, bigint, string, bigint, boolean]>([
  ['nothing happened', '5@1', 1n, '5@1', 1n, false],
  ['its birth is known by now', '5@', 1n, '5@1', 1n, false],
  ['the system has no birth times, but the last change', '5@', 1n, '5@', 2n, false],
  ['it was just made', '5@1', 1n, '5@', 2n, true],
  ['it was just made, as the one before', '5@', 1n, '5@2', 2n, true],
  ['it was made anew and filled', '5@1', 1n, '5@2', 2n, true],
])('by the same number, %s: root %s, then %s', (_what, then, then_ns, now, now_ns, is_other) => {
  const watched = { inode: 5n, identity: then, born_ns: then_ns }
  expect(isOtherDirectory(watched, { inode: 5n, identity: now, born_ns: now_ns })).toBe(is_other)
  expect(isOtherDirectory(watched, { ...watched, inode: 6n })).toBe(true)
})
