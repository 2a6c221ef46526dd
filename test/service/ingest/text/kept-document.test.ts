import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  packDocument,
  unpackDocument,
} from '../../../../src/service/ingest/passages/kept-document.ts'

test.each([
  ['no text', ''],
  ['one letter', 'a'],
  ['a piece and a half', 'The heron waits. '.repeat(100_000)],
  ['a character of two halves at the end of a piece', `${'a'.repeat(256 * 1024 - 1)}🐦b`],
  ['the same, one later', `${'a'.repeat(256 * 1024)}🐦b`],
  ['only such characters', `b${'🐦'.repeat(256 * 1024)}`],
])('a text is the same after packing: %s', (_what, text) => {
  const document = {
    text,
    tables: [{ from: 0, to: 3, header: 'a\tb' }],
    marks: [{ at: 0, unit: 'page 1' }],
  }
  expect(unpackDocument(packDocument(document))).toEqual(document)
})

test('so is any short one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const document = { text, tables: [], marks: [] }
      expect(unpackDocument(packDocument(document))).toEqual(document)
    }),
  )
})
