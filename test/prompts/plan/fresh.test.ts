import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathMatcher } from '../../../src/base/text/ignore-patterns.ts'
import type { Arrival } from '../../../src/ledger/prompt-work.ts'
import { collectFresh, freshQueryOf } from '../../../src/prompts/plan/fresh.ts'
import { due_ms, settingsOf } from '../settings.ts'

function arrivalOf(
  seq: number,
  content: number,
  folder: string,
  path: string,
  covered = false,
): Arrival {
  return {
    seq,
    content,
    folder,
    path,
    arrived_ms: seq,
    asset_id: `asset_${content}`,
    md5: `${content}`,
    size: 1,
    covered,
    times_unread: 0,
  }
}

const everything = { matches: () => true, max: 100 }

test('one entry per content: the oldest arrival counts, and its first matching path gives the name', async () => {
  const arrivals = [
    arrivalOf(1, 10, 'finance', 'a.txt'),
    arrivalOf(1, 10, 'finance', 'b.pdf'),
    arrivalOf(1, 10, 'finance', 'c.pdf'),
    arrivalOf(2, 11, 'finance', 'd.txt'),
    arrivalOf(3, 10, 'legal', 'a.pdf'),
  ]
  const { fresh } = await collectFresh(arrivals, {
    ...everything,
    matches: (_, path) => path.endsWith('.pdf'),
  })
  expect(fresh.map(({ seq, name }) => [seq, name])).toEqual([[1, 'finance/b.pdf']])
  const legal = await collectFresh(arrivals, {
    ...everything,
    matches: (folder) => folder === 'legal',
  })
  expect(legal.fresh.map(({ seq, name }) => [seq, name])).toEqual([[3, 'legal/a.pdf']])
})

test('each path is a file, also beyond the limit and in another folder', async () => {
  const arrivals = [
    arrivalOf(1, 10, 'finance', 'a'),
    arrivalOf(1, 10, 'finance', 'copy of a'),
    arrivalOf(2, 11, 'finance', 'b'),
    arrivalOf(2, 11, 'finance', 'copy of b'),
    arrivalOf(3, 10, 'legal', 'a'),
  ]
  const { fresh, more } = await collectFresh(arrivals, { ...everything, max: 1 })
  expect([fresh.map(({ files }) => files), more]).toEqual([[3], 2])
})

test('covered contents come last, so that a limit on the number never leaves out the same ones forever', async () => {
  const arrivals = [1, 2, 3, 4].map((seq) => arrivalOf(seq, seq, 'f', `${seq}`, seq < 3))
  const contents = async (max: number) => {
    const { fresh, more } = await collectFresh(arrivals, { ...everything, max })
    return [fresh.map(({ content }) => content), more]
  }
  expect(await contents(100)).toEqual([[3, 4, 1, 2], 0])
  expect(await contents(3), 'beyond the limit they are counted').toEqual([[3, 4, 1], 1])
  expect(await contents(1)).toEqual([[3], 3])
})

test('property: each matching content appears once, in the order of arrival, for any page size', async () => {
  const seqs = fc.array(
    fc.record({ content: fc.nat(8), paths: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }) }),
  )
  await fc.assert(
    fc.asyncProperty(seqs, fc.integer({ min: 1, max: 5 }), async (events, page_size) => {
      const arrivals = events.flatMap(({ content, paths }, seq) =>
        paths.sort().map((path) => arrivalOf(seq, content, 'f', `${path}`)),
      )
      async function* pages() {
        for (let from = 0; from < arrivals.length; from += page_size)
          yield arrivals.slice(from, from + page_size)
      }
      const { fresh } = await collectFresh(pages(), everything)
      expect(new Set(fresh.map(({ content }) => content))).toEqual(
        new Set(events.map(({ content }) => content)),
      )
      expect(new Set(fresh.map(({ content }) => content)).size).toBe(fresh.length)
      for (const { content, seq } of fresh)
        expect(seq).toBe(events.findIndex((event) => event.content === content))
      expect(fresh.map(({ seq }) => seq)).toEqual(fresh.map(({ seq }) => seq).sort((a, b) => a - b))
      expect(await collectFresh(arrivals, everything)).toEqual({ fresh, more: 0 })
    }),
    { numRuns: 50 },
  )
})

test.each([
  [[], 'any/thing', true],
  [['**/*.pdf'], 'a.pdf', true],
  [['**/*.pdf'], '2026/q1/a.pdf', true],
  [['**/*.pdf'], 'a.PDF', false],
  [['/in/'], 'in/a.txt', true],
  [['/in/'], 'x/in/a.txt', false],
  [['*.pdf', '!secret.pdf'], 'x/secret.pdf', false],
  [['# a comment'], 'a.pdf', false],
])('patterns %j on %s: %s', (paths, path, matches) => {
  expect(pathMatcher(paths)(path)).toBe(matches)
})

test('since the last run: contents not covered yet; else all, or all of a time span before the due time', () => {
  const { scope } = settingsOf()
  expect(freshQueryOf({ scope, first_run: 'from_now' }, due_ms)).toEqual({
    only_fresh: true,
    only_come: true,
  })
  expect(freshQueryOf({ scope, first_run: 'all' }, due_ms)).toEqual({
    only_fresh: true,
    only_come: false,
  })
  expect(
    freshQueryOf({ scope: { ...scope, fresh: 'all' }, first_run: 'from_now' }, due_ms),
  ).toEqual({
    only_fresh: false,
    only_come: false,
  })
  const query = freshQueryOf(
    { scope: { ...scope, fresh: { within_ms: 5 } }, first_run: 'from_now' },
    due_ms,
  )
  expect(query).toEqual({ only_fresh: false, only_come: true, since_ms: due_ms - 5 })
})
