import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  chooseName,
  folderNaming,
  foldersNaming,
  mayReadNames,
  uploadName,
} from '../../src/domain/asset-name.ts'

const folder = { name: 'finance', upload_name: 'path' as const }

test('the path inside the folder, after the name of the folder', () => {
  expect(uploadName(folder, '2026/report.pdf')).toBe('finance/2026/report.pdf')
})

test('or the name of the file alone', () => {
  expect(uploadName({ name: 'finance', upload_name: 'base' }, '2026/report.pdf')).toBe('report.pdf')
})

test('a name that is too long loses its middle, and keeps the folder and the extension', () => {
  const name = uploadName(folder, `${'deep/'.repeat(80)}report.pdf`)
  expect(name).toHaveLength(255)
  expect(name.startsWith('finance/deep/')).toBe(true)
  expect(name.endsWith('/report.pdf')).toBe(true)
  expect(name).toContain('…')
})

test('property: at most 255 characters, no character cut in half, short names unchanged', () => {
  const path = fc.string({ unit: 'binary', minLength: 1, maxLength: 600 })
  fc.assert(
    fc.property(path, (text) => {
      const name = uploadName(folder, text)
      expect(name.length).toBeLessThanOrEqual(255)
      expect(Buffer.from(name).toString()).toBe(name)
      if (`finance/${text}`.length <= 255) expect(name).toBe(`finance/${text}`)
      else expect(name.length).toBeGreaterThan(250)
    }),
  )
})

const own = { folder: 'open', path: 'sub/note.txt' }
const by = (folder: string | undefined, text: string) => ({ folder, text })

describe('who may be told the names of an asset', () => {
  test.each([
    ['no name is known', [], [null]],
    ['the name is that of the file', [by('open', 'open/sub/note.txt')], []],
    ['its own name alone, whoever gave it', [by(undefined, 'note.txt')], []],
    ['its own name alone, given by a copy elsewhere', [by('secret', 'note.txt')], []],
    ['the name of a copy elsewhere', [by('secret', 'secret/layoffs.txt')], ['secret']],
    ['the own name of a copy elsewhere', [by('secret', 'layoffs.txt')], ['secret']],
    ['an earlier name in the same folder', [by('open', 'open/old.txt')], ['open']],
    ['a name of unknown origin', [by(undefined, 'layoffs.txt')], [null]],
    [
      'a rename is on its way',
      [by('open', 'open/sub/note.txt'), by('secret', 'secret/a.txt')],
      ['secret'],
    ],
  ])('%s', (_, held, naming) => {
    expect(foldersNaming(held, own)).toEqual(naming)
  })

  test.each([
    [[], [], true],
    [['open'], ['open', 'minutes'], true],
    [['open', 'secret'], ['open'], false],
    [[null], ['open', 'secret'], false],
  ])('names from %j, seen are %j: %j', (naming, seen, told) => {
    expect(mayReadNames(naming, (folder) => seen.includes(folder))).toBe(told)
  })
})

describe('the folder that a name on the service comes from', () => {
  const files = [
    { folder: 'open', path: 'a.txt' },
    { folder: 'secret', path: 'x/layoffs.txt' },
  ]
  const long = `${'deep/'.repeat(80)}a.txt`

  test.each([
    ['the name of one of the files', 'secret/x/layoffs.txt', false, 'secret'],
    ['a base name, of an asset of another user', 'layoffs.txt', false, undefined],
    ['a base name, of an asset that Sluice made', 'layoffs.txt', true, 'secret'],
    ['a name of no file', 'secret/other.txt', true, undefined],
  ])('%s', (_, text, made_here, expected) => {
    expect(folderNaming(text, files, made_here)).toBe(expected)
  })

  test('also of a name that lost its middle', () => {
    const text = uploadName({ name: 'open', upload_name: 'path' }, long)
    expect(folderNaming(text, [{ folder: 'open', path: long }], false)).toBe('open')
  })
})

describe('the name that an asset should have', () => {
  const shown = by('open', 'open/old.txt')
  test.each([
    ['no file has the bytes', [], undefined],
    ['a file has the name still', ['open/a.txt', 'open/old.txt'], 'open/old.txt'],
    ['the only file', ['secret/x.txt'], 'secret/x.txt'],
    ['a file of the same folder first', ['minutes/a.txt', 'open/z.txt'], 'open/z.txt'],
    [
      'then the first folder, and the first path',
      ['secret/a.txt', 'minutes/b.txt', 'minutes/a.txt'],
      'minutes/a.txt',
    ],
  ])('%s', (_, texts, expected) => {
    const given = texts.map((text) => by(text.split('/')[0], text))
    expect(chooseName(shown, given)?.text).toBe(expected)
    expect(chooseName(shown, [...given].reverse())?.text, 'in any order').toBe(expected)
  })

  test('a name that stays is of the folder that gives it now', () => {
    expect(chooseName(by('secret', 'note.txt'), [by('open', 'note.txt')])?.folder).toBe('open')
  })
})
