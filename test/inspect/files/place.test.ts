import { symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { placeOf } from '../../../src/inspect/files/place.ts'
import { makeTree } from '../../rig/tree.ts'

const base = makeTree({
  'notes/a.txt': '',
  'notes/notes/inner.txt': '',
  'notes/deep/': '',
  'work/': '',
  'elsewhere/': '',
})
symlinkSync(join(base, 'notes'), join(base, 'link'))
symlinkSync(join(base, 'work'), join(base, 'notes/to-work'))
const folders = [
  { name: 'notes', path: join(base, 'notes') },
  { name: 'deep', path: join(base, 'notes/deep') },
  { name: 'job', path: join(base, 'work') },
  { name: 'gone', path: join(base, 'not-there') },
]
const elsewhere = join(base, 'elsewhere')

test.each([
  ['an absolute path', join(base, 'notes/a.txt'), elsewhere, { folder: 'notes', path: 'a.txt' }],
  [
    'a folder itself, with a slash',
    `${join(base, 'work')}/`,
    elsewhere,
    { folder: 'job', path: '' },
  ],
  [
    'the nearest of two folders',
    join(base, 'notes/deep/b.txt'),
    elsewhere,
    { folder: 'deep', path: 'b.txt' },
  ],
  [
    'relative to the current directory',
    'a.txt',
    join(base, 'notes'),
    { folder: 'notes', path: 'a.txt' },
  ],
  ['relative, upwards', '../notes/a.txt', elsewhere, { folder: 'notes', path: 'a.txt' }],
  ['the current directory', '.', join(base, 'work'), { folder: 'job', path: '' }],
  ['a folder by its name', 'job', elsewhere, { folder: 'job', path: '' }],
  ['a name and the path in it', 'job/x/y.txt', elsewhere, { folder: 'job', path: 'x/y.txt' }],
  ['the same with a slash at its end', 'job/x/', elsewhere, { folder: 'job', path: 'x' }],
  [
    'a name, from within another folder',
    'job/x.txt',
    join(base, 'notes'),
    { folder: 'job', path: 'x.txt' },
  ],
  [
    'an existing path comes first',
    'notes/inner.txt',
    join(base, 'notes'),
    { folder: 'notes', path: 'notes/inner.txt' },
  ],
  ['a deleted file', 'was.txt', join(base, 'notes'), { folder: 'notes', path: 'was.txt' }],
  ['a missing folder', join(base, 'not-there/x'), elsewhere, { folder: 'gone', path: 'x' }],
  [
    'through a link to the folder',
    join(base, 'link/a.txt'),
    elsewhere,
    { folder: 'notes', path: 'a.txt' },
  ],
  [
    'a link in a folder',
    join(base, 'notes/to-work'),
    elsewhere,
    { folder: 'notes', path: 'to-work' },
  ],
  [
    'a link in a folder, through another',
    join(base, 'link/to-work'),
    elsewhere,
    { folder: 'notes', path: 'to-work' },
  ],
  ['a name that begins with dots', '..a/b', join(base, 'work'), { folder: 'job', path: '..a/b' }],
])('%s', (_what, text, cwd, place) => {
  expect(placeOf(text, folders, cwd)).toEqual(place)
})

test.each(['/etc/passwd', 'other/x', '..', '../..'])('%s is in no folder', (text) => {
  expect(() => placeOf(text, folders, elsewhere)).toThrow(
    expect.objectContaining({ code: 'usage.path', hint: expect.stringContaining('job (') }),
  )
})

test.each([
  ['~/Team/a.txt', 'team', 'a.txt'],
  ['~/deep/er/b.txt', 'er', 'b.txt'],
  [`~/own/c.txt`, 'own', 'c.txt'],
])('%s is in the home that has the folder', (text, folder, path) => {
  const at_home = [
    { name: 'team', path: '/home/ada/Team' },
    { name: 'er', path: '/root/deep/er' },
    { name: 'own', path: `${homedir()}/own` },
  ]
  expect(placeOf(text, at_home, elsewhere)).toEqual({ folder, path })
  expect(() => placeOf(text.replace('/', '/no/'), at_home, elsewhere)).toThrow('is in no folder')
})
