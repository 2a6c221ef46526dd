import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { readText } from '../../../../src/service/ingest/text/read-text.ts'

const german = 'Größe und Straße, schöne Grüße.\n'
const limits = { unpacked_bytes: 1_000, text_length: 100_000 }

/** The text of a file, and what is in doubt; or why it is none. */
async function read(...parts: (Buffer | string)[]) {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const file = { filename: 'a.txt', mime_type: 'text/plain', bytes }
  const soon = readText(file)
  const found = 'needs_child' in soon ? await extractDocument(file, limits) : soon
  if (!('text' in found)) return { no: found.unreadable }
  return [found.text, found.reading.why].filter((part) => part !== undefined)
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const hex = (digits: string) => Buffer.from(digits, 'hex')
const wide = (text: string) => Buffer.from(text, 'utf16le')
const one = (charset: string) => `1 of its characters is broken (${charset})`

describe('zeros around a text are no part of it', () => {
  test.each<[string, Buffer[]]>([
    ['at the end', [Buffer.from(german), Buffer.alloc(512)]],
    ['one at the end', [Buffer.from('abc '), Buffer.from(german), Buffer.alloc(1)]],
    ['before a log that goes on', [Buffer.alloc(4_096), Buffer.from(german)]],
    ['of an old character set', [latin1(german), Buffer.alloc(2)]],
  ])('%s', async (_where, parts) => expect(String(await read(...parts))).toContain(german))

  test('but one between others is none of text', async () =>
    expect(await read('abc', Buffer.alloc(2), 'def', Buffer.alloc(2))).toHaveProperty('no'))

  test('nor beside a few letters, which may name a format', async () =>
    expect(await read('RIFF', Buffer.alloc(4))).toHaveProperty('no'))

  test('nor beside the signs of a binary file', async () =>
    expect(await read(latin1('\x89PNG\r\n\x1a\n'), Buffer.alloc(9))).toHaveProperty('no'))
})

describe('a text with some faults is read, and says so', () => {
  test.each<[string, Buffer[], string[]]>([
    [
      'half a character in UTF-16',
      [wide('\ufeffab\ud800cd efgh')],
      ['ab\ufffdcd efgh', one('UTF-16')],
    ],
    [
      'an odd byte at the end of UTF-16',
      [wide('\ufeffab cdefgh'), hex('0a')],
      ['ab cdefgh\ufffd', one('UTF-16')],
    ],
    [
      'a pair of units in UTF-8',
      [Buffer.from('a '), hex('eda0bdedb880'), Buffer.from(' b')],
      ['a 😀 b'],
    ],
    ['half a pair in UTF-8', [Buffer.from('abc '), hex('eda080')], ['abc \ufffd', one('UTF-8')]],
    ['a zero of Java', [Buffer.from('abc'), hex('c080'), Buffer.from('d')], ['abc d']],
    [
      'lines of two character sets',
      [Buffer.from('Größe\n'), latin1('Größe und Straße\n')],
      ['Größe\nGröße und Straße\n', 'its lines are in two character sets'],
    ],
  ])('%s', async (_what, parts, found) => expect(await read(...parts)).toEqual(found))
})

test.each([
  ['the end of a file of DOS', '\x1a'],
  ['a bell', '\x07'],
  ['letters that are struck over', 'N\bN'],
  ['a vertical tab', '\x0b'],
  ['colours of a terminal', '\x1b[0m'],
])('%s is no sign of a binary file', async (_what, end) =>
  expect(await read(latin1(`Größe für alle ${end}`))).toEqual([`Größe für alle ${end}`]),
)

test('UTF-16 without a mark and without spaces', async () =>
  expect(await read(wide('请寄送港口服务的发票,因为付款期限已过。'))).toEqual([
    '请寄送港口服务的发票,因为付款期限已过。',
  ]))
