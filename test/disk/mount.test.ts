import { statfsSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootStatus } from '../../src/disk/mount.ts'
import { makeTree } from '../tree.ts'

test('a folder is online, with its device and its filesystem', () => {
  const root = makeTree({ 'a.txt': '' })
  const status = rootStatus(root)
  expect(status).toMatchObject({ kind: 'online', device: statSync(root, { bigint: true }).dev, empty: false })
  expect(status.kind === 'online' && status.filesystem).toMatch(/^([a-z0-9]+|0x[0-9a-f]+)$/)
})

const has_proc = statfsSync('/proc').type === 0x9fa0
if (!has_proc) console.log('skipped: an unknown filesystem, because /proc is none that is known to be one')

test.skipIf(!has_proc)('an unknown filesystem is told by its number', () => {
  expect(rootStatus('/proc')).toMatchObject({ kind: 'online', filesystem: '0x9fa0', remote: false })
})

test('empty is what holds nothing but leftovers', () => {
  expect(rootStatus(makeTree())).toMatchObject({ empty: true })
  expect(rootStatus(makeTree({ 'lost+found/': '', '.Trash-1000/x': '', '.DS_Store': '' }))).toMatchObject({
    empty: true,
  })
  expect(rootStatus(makeTree({ 'lost+found/': '', '.hidden': '' }))).toMatchObject({ empty: false })
  expect(rootStatus(makeTree({ 'sub/': '' }))).toMatchObject({ empty: false })
})

test('a folder that is not there, or is none, is offline with a reason', () => {
  const root = makeTree({ file: '' })
  expect(rootStatus(join(root, 'none'))).toMatchObject({ kind: 'offline', reason: 'missing' })
  expect(rootStatus(join(root, 'file'))).toMatchObject({ kind: 'offline', reason: 'not a directory' })
  expect(rootStatus(join(root, 'file/below'))).toMatchObject({ kind: 'offline', reason: 'not a directory' })
  symlinkSync('loop', join(root, 'loop'))
  expect(rootStatus(join(root, 'loop'))).toMatchObject({ kind: 'offline', reason: 'unreadable' })
})
