import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DocumentText } from '../../../src/service/ingest/document-text.ts'
import { textMd5 } from '../../../src/service/ingest/text/text-md5.ts'

const limits = { text_length: 1_000 }

describe('a document', () => {
  test('has the units that were begun, and counts a text before the first as part of it', () => {
    const text = new DocumentText(limits, 'sheet')
    text.addLabel('Names of sheets\n')
    for (const words of ['one ', 'two ']) {
      text.begin()
      text.add(words)
    }
    expect(text.end()).toMatchObject({
      text: 'Names of sheets\none two ',
      reading: { of: 2, seen: 2, unit: 'sheet' },
    })
  })

  test.each([
    ['no text', ''],
    ['white space', ' \n\u00a0'],
    ['marks', '--- * § …'],
  ])('has no word of its own: %s', (_what, own) => {
    const text = new DocumentText(limits, 'sheet')
    text.addLabel('Table 1')
    text.add(own)
    expect(() => text.end()).toThrow('it has no text')
  })

  test('of pictures says so', () => {
    const text = new DocumentText(limits, 'page')
    text.notePicture(0.1)
    expect(() => text.end()).toThrow('it has no text, only pictures')
  })

  test('stops at its limit', () => {
    const text = new DocumentText({ text_length: 3 }, 'part')
    text.add('abc')
    expect(() => text.addLabel('d')).toThrow('more than 3 characters of text')
  })

  test('has no half characters', () => {
    const text = new DocumentText(limits, 'part')
    text.add('a\ud83d b')
    expect(text.end().text).toBe('a\ufffd b')
  })
})

test('the MD5 of a text depends on its words alone, wherever it is cut', () => {
  const word = fc.string({ minLength: 1, unit: 'grapheme' }).filter((some) => !/\s/.test(some))
  const gap = fc.constantFrom(' ', '\n', '\t\u00a0\n', ' '.repeat(70_000))
  fc.assert(
    fc.property(fc.array(fc.tuple(word, gap), { maxLength: 8 }), gap, (pieces, lead) => {
      const plain = pieces.map(([one]) => one).join(' ')
      const spaced = lead + pieces.map(([one, blank]) => one + blank).join('')
      expect(textMd5(spaced)).toBe(textMd5(plain))
    }),
    { numRuns: 50 },
  )
  expect(textMd5('a\u{1f600}'.repeat(40_000))).not.toBe(textMd5('a\ufffd'.repeat(40_000)))
  expect(textMd5(' a  b\n')).toBe('0cc9cd4dd26c5137b675a0d819cb9ab0')
})

test('a document without a word says why its units have none', () => {
  const text = new DocumentText(limits, 'page')
  text.begin()
  text.noteFault('is in a font that does not name its letters')
  text.begin()
  text.notePicture(1)
  expect(() => text.end()).toThrow(
    'it has no text: page 1 is in a font that does not name its letters; page 2 is a picture',
  )
})
