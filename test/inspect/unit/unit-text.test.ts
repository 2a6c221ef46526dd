import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  commandWord,
  mountUnit,
  rawPath,
  readUnitText,
  unitWord,
} from '../../../src/inspect/unit/unit-text.ts'

const path = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => `/${parts.join('/')}`)
  .filter((text) => !/[\n\r\0]/.test(text))

test('the word of any path is read as that path again', () => {
  fc.assert(
    fc.property(path, path, (first, second) => {
      const text = `[Service]\nReadOnlyPaths=${unitWord(first, '-')}  ${unitWord(second)}\n`
      expect(readUnitText(text)).toEqual(new Map([['ReadOnlyPaths', [`-${first}`, second]]]))
    }),
    { examples: [['/\u2028 / ', '/\u00a0']] },
  )
})

test.each([
  ['/srv/notes', '/srv/notes'],
  ['/srv/my notes', '"/srv/my notes"'],
  ['/srv/50%', '/srv/50%%'],
  ['/srv/a\\b"c', '"/srv/a\\\\b\\"c"'],
  ["/srv/it's", `"/srv/it's"`],
  ['/srv/trailing\\', '"/srv/trailing\\\\"'],
])('%s is written %s', (plain, word) => {
  expect(unitWord(plain)).toBe(word)
})

test('variables of a command are dollars', () => {
  expect(commandWord('/srv/$HOME')).toBe('"/srv/$$HOME"')
})

describe('refuses what no unit file can hold', () => {
  test.each([
    ['a line break', '/srv/a\nb', 'holds a line break'],
    ['a carriage return', '/srv/a\rb', 'holds a line break'],
    ['half a character', '/srv/\ud800', 'is not UTF-8'],
    ['more than the kernel takes', `/${'a'.repeat(4_095)}`, 'is longer than'],
  ])('%s', (_what, text, why) => {
    expect(() => unitWord(text)).toThrow(
      expect.objectContaining({ code: 'unit.path', message: expect.stringContaining(why) }),
    )
  })

  test.each(['/srv/a\\', '/srv/a ', '/srv/a\nb'])(
    'at the end of a line that is not quoted: %j',
    (text) => {
      expect(() => rawPath(text)).toThrow(expect.objectContaining({ code: 'unit.path' }))
    },
  )
})

test('units of mount points are named as systemd-escape names them', () => {
  expect(mountUnit('/')).toBe('-.mount')
  expect(mountUnit('/mnt/nas')).toBe('mnt-nas.mount')
  expect(mountUnit('/.x/ä-b c')).toBe('\\x2ex-\\xc3\\xa4\\x2db\\x20c.mount')
})

test('settings add up, and an empty one clears them', () => {
  const text = "# a\nReadOnlyPaths=/a '/b c' \\\n /d\nX = 1\nX=\n;c\nnonsense\n"
  expect(readUnitText(text)).toEqual(
    new Map([
      ['ReadOnlyPaths', ['/a', '/b c', '/d']],
      ['X', []],
    ]),
  )
})
