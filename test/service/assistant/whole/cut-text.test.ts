import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, uncovered } from '../../../../src/service/assistant/whole/cut-text.ts'

const cuts = (text: string, max: number) =>
  cutText(text, { from: 0, to: text.length }, max).map(({ from, to }) => text.slice(from, to))

test.each([
  ['short', 100, ['short']],
  ['', 10, ['']],
  // At an empty line; the next piece begins with the paragraph before the cut.
  ['aaaa aaaa\n\nbb bb\n\ncccc cccc', 20, ['aaaa aaaa\n\nbb bb\n\n', 'bb\n\ncccc cccc']],
  // At a line end, at a space, and inside a word. No paragraph is short enough to stand there twice.
  ['aaaaaaa\nbbbbbbb\nccccccc', 17, ['aaaaaaa\nbbbbbbb\n', 'bbb\nccccccc']],
  ['aaaa bbbb cccc dddd', 12, ['aaaa bbbb ', 'bb cccc dddd']],
  ['abcdefghij', 4, ['abcd', 'defg', 'ghij']],
])('%j in pieces of %i', (text, max, pieces) => {
  expect(cuts(text, max)).toEqual(pieces)
})

test.each([
  ['words', ' '],
  ['no spaces', ''],
])('what stands across a cut of one long line is whole in a piece, with %s', (_name, gap) => {
  const facts = Array.from({ length: 2_000 }, (_, at) =>
    [`FACT-${at + 1_000}`, ...'the price is 7 crowns;'.split(' ')].join(gap),
  )
  const pieces = cuts(facts.join(gap), 1_015)
  const lost = facts.filter((fact) => !pieces.some((piece) => piece.includes(fact)))
  expect([lost, pieces.length > 30]).toEqual([[], true])
})

test('a text of one line is cut in the time that its pieces need', () => {
  const line = 'word '.repeat(400_000)
  const begun_ms = performance.now()
  expect(cuts(line, 1_000).length).toBeGreaterThan(2_000)
  expect(performance.now() - begun_ms).toBeLessThan(1_000)
})

test('a paragraph stands in two pieces', () => {
  const short = Array.from({ length: 20 }, (_, at) => `paragraph ${at} ${'x'.repeat(60)}`)
  const pieces = cuts(short.join('\n\n'), 400)
  for (const [at, piece] of pieces.slice(1).entries()) {
    const [first] = piece.split('\n\n')
    expect(pieces[at]!.trim().endsWith(first!)).toBe(true)
  }
  expect(pieces.length).toBeGreaterThan(3)
})

const text = fc
  .array(fc.constantFrom('a', 'bb', ' ', '\n', '\n\n', '😀', 'ccccccccc', '.'), { maxLength: 200 })
  .map((parts) => parts.join(''))

test('pieces cover the text in order, none is too long, none cuts a character', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 60 }), fc.nat(20), (all, max, from) => {
      const begin = Math.min(from, all.length)
      const range = {
        from: /[\udc00-\udfff]/.test(all.charAt(begin)) ? begin - 1 : begin,
        to: all.length,
      }
      const pieces = cutText(all, range, max)
      expect(pieces[0]!.from).toBe(range.from)
      expect(pieces.at(-1)!.to).toBe(range.to)
      for (const [at, piece] of pieces.entries()) {
        expect(piece.to - piece.from).toBeLessThanOrEqual(max)
        expect(all.slice(piece.from, piece.to).isWellFormed()).toBe(true)
        const next = pieces[at + 1]
        if (!next) continue
        expect(next.from).toBeLessThanOrEqual(piece.to)
        expect(next.from).toBeGreaterThan(piece.from)
        expect(next.to).toBeGreaterThan(piece.to)
      }
      expect(uncovered(all.length, pieces)).toEqual(uncovered(all.length, [range]))
    }),
  )
})

test.each([
  [10, [], [{ from: 0, to: 10 }]],
  [10, [{ from: 0, to: 10 }], []],
  [
    10,
    [
      { from: 6, to: 10 },
      { from: 0, to: 3 },
    ],
    [{ from: 3, to: 6 }],
  ],
  [
    10,
    [
      { from: 0, to: 7 },
      { from: 2, to: 4 },
    ],
    [{ from: 7, to: 10 }],
  ],
  [0, [], []],
])('of %i characters and %j is left: %j', (length, covered, left) => {
  expect(uncovered(length, covered)).toEqual(left)
})

test('what is covered and what is not are the whole text', () => {
  const range = fc
    .tuple(fc.nat(50), fc.nat(50))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), (covered) => {
      const gaps = uncovered(50, covered)
      for (let at = 0; at < 50; at++) {
        const isIn = ({ from, to }: { from: number; to: number }) => from <= at && at < to
        expect(gaps.filter(isIn).length).toBe(covered.some(isIn) ? 0 : 1)
      }
    }),
  )
})
