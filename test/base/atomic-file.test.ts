import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFileAtomic } from '../../src/base/files/atomic-file.ts'
import { makeTree } from '../rig/tree.ts'

test('the new file is complete, has its mode, and leaves no other file beside it', () => {
  const dir = makeTree({ 'a.txt': 'old' })
  writeFileAtomic(join(dir, 'a.txt'), 'new', 0o640)
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('new')
  expect(lstatSync(join(dir, 'a.txt')).mode & 0o777 & ~0o040).toBe(0o600)
  expect(readdirSync(dir)).toEqual(['a.txt'])
})

test('a link planted at the temporary name or at the name itself is not written through', () => {
  const dir = makeTree({ victim: 'untouched' })
  const path = join(dir, 'report.md')
  symlinkSync(join(dir, 'victim'), `${path}.${process.pid}.tmp`)
  symlinkSync(join(dir, 'victim'), path)
  writeFileAtomic(path, 'report')
  expect(readFileSync(join(dir, 'victim'), 'utf8')).toBe('untouched')
  expect(lstatSync(path).isFile()).toBe(true)
})

test('a write that cannot take the name leaves no temporary file', () => {
  const dir = makeTree({ 'taken/': '' })
  expect(() => writeFileAtomic(join(dir, 'taken'), 'new')).toThrow(/EISDIR|EEXIST|ENOTEMPTY/)
  expect(readdirSync(dir)).toEqual(['taken'])
})

test('a write that fails leaves the old file', () => {
  const dir = makeTree({ 'a.txt': 'old' })
  writeFileSync(join(dir, 'full'), '')
  expect(() => writeFileAtomic(join(dir, 'full', 'b.txt'), 'new')).toThrow(/ENOTDIR/)
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('old')
})
