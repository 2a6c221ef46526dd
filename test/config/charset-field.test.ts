import { expect, test } from 'vitest'
import { charset_field } from '../../src/config/schema/charset-field.ts'

test.each([
  ['cp850', 'cp850'],
  ['CP850', 'cp850'],
  ['IBM-850', 'cp850'],
  ['850', 'cp850'],
  ['cp1252', 'windows-1252'],
  ['Windows-1252', 'windows-1252'],
  ['win1250', 'windows-1250'],
  ['1251', 'windows-1251'],
  ['cp874', 'windows-874'],
  ['latin1', 'iso-8859-1'],
  ['Latin-9', 'iso-8859-15'],
  ['ISO8859-15', 'iso-8859-15'],
  ['iso_8859_2', 'iso-8859-2'],
  ['macroman', 'macintosh'],
  ['Shift-JIS', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['GBK', 'gb18030'],
  ['KOI8R', 'koi8-r'],
  ['cp863', 'cp863'],
])('%s is a name of %s', (written, charset) => expect(charset_field.parse(written)).toBe(charset))

test.each([
  ['windos-1252', 'did you mean windows-1252?'],
  ['cp851', 'did you mean cp850?'],
  ['Esperanto', 'take one of windows-1250, '],
])('%s is none', (written, hint) => {
  const message = charset_field.safeParse(written).error?.issues[0]?.message
  expect(message).toMatch(/^there is no such character set; /)
  expect(message).toContain(hint)
})
