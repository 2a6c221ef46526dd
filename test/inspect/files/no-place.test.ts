import { describe, expect, test } from 'vitest'
import {
  behindDrive,
  noPlace,
  noPlaceText,
  pathFault,
} from '../../../src/inspect/files/no-place.ts'

const folders = [{ name: 'docs' }, { name: 'Reports 2026' }]

test.each([
  ['docs/a.txt', undefined],
  ['x'.repeat(4_096), undefined],
  ['x'.repeat(4_097), 'it is longer than any path can be: 4,097 bytes, and the system takes 4,096'],
  ['ä'.repeat(2_049), 'it is longer than any path can be: 4,098 bytes, and the system takes 4,096'],
  ['a\0b', 'no path has a zero byte (\\x00) in it: leave it out'],
])('the fault of a path: %#', (path, fault) => {
  expect(pathFault(path)).toBe(fault)
})

test.each([
  ['G:\\Team\\r1.txt', 'Team/r1.txt'],
  ['g:/Team/r1.txt', 'Team/r1.txt'],
  ['"G:\\My Team\\r 1.txt"', 'My Team/r 1.txt'],
  ['G:\\Team\\\\sub\\', 'Team/sub'],
  ['\\\\server\\share\\r1.txt', 'share/r1.txt'],
  ['smb://server/share/r1.txt', 'share/r1.txt'],
  ['file://server/share/r1.txt', 'share/r1.txt'],
  ['smb://server/share/a%20b.txt', 'share/a b.txt'],
  ['file:///G:/My%20Team/r1.txt', 'My Team/r1.txt'],
  ['G:\\100%20.txt', '100%20.txt'],
  ['\\\\wsl$\\Ubuntu\\srv\\r1.txt', 'Ubuntu/srv/r1.txt'],
  ['\\\\?\\G:\\Team\\r1.txt', 'G:/Team/r1.txt'],
  ['G:\\', ''],
  ['file:///srv/r1.txt', undefined],
  ['https://example.com/r1.txt', undefined],
  ['minutes: Monday.txt', undefined],
  ['a:b/c.txt', undefined],
  ['docs\\r1.txt', undefined],
  ['/etc/passwd', undefined],
])('what follows the drive or server in %s', (text, rest) => {
  expect(behindDrive(text)).toBe(rest)
})

const drives = 'drive letters and servers are not known here'

describe('a text that names no place', () => {
  test.each([
    ['DOCS/r1.txt', 'there is no folder DOCS', 'docs/r1.txt'],
    ['./DOCS//r1.txt', 'there is no folder DOCS', 'docs/r1.txt'],
    ['Docs', 'there is no folder Docs', 'docs'],
    ['dosc/a/b.txt', 'there is no folder dosc', 'docs/a/b.txt'],
    ['DOCS\\r1.txt', 'there is no folder DOCS', 'docs/r1.txt'],
    ['reports 2026/x.pdf', 'there is no folder reports 2026', 'Reports 2026/x.pdf'],
    ['G:\\Team\\DOCS\\a\\b.txt', drives, 'docs/a/b.txt'],
    ['G:\\Team\\b.txt', drives, undefined],
  ])('%s', (text, why, meant) => {
    expect(noPlace(text, folders)).toEqual({ why, meant })
  })

  test.each(['doc', 'r1.txt', '/etc/passwd', 'other/x.txt', 'docs/../x', '', '..', '~/docs/x'])(
    '%j says nothing more',
    (text) => {
      expect(noPlace(text, folders)).toBeUndefined()
      expect(noPlaceText(text, folders)).toBeUndefined()
    },
  )

  test('is answered in a sentence', () => {
    expect(noPlaceText('DOCS/r1.txt', folders)).toBe(
      'there is no folder DOCS; did you mean docs/r1.txt?',
    )
    const give = `${drives}: give the path from the name of the folder on, such as`
    expect(noPlaceText('G:\\Team\\b.txt', folders)).toBe(`${give} docs/PATH`)
    expect(noPlaceText('G:\\Team\\b.txt', [])).toBe(`${give} FOLDER/PATH`)
    expect(noPlaceText('DO\u202eCS/r1.txt', folders)).toContain('DO\\u{202e}CS')
  })
})
