import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Fact } from '../../../src/domain/fact.ts'
import type { FileStat } from '../../../src/domain/file.ts'
import type { PathRange } from '../../../src/ledger/ledger.ts'
import { Bench, type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

/** Names whose bytes lie around '/', and whose order in UTF-16 is not that of UTF-8. */
const name = fc.constantFrom(
  'a',
  'a-',
  'a.',
  'a0',
  'a!',
  'b',
  '\uFF5E',
  '\u{1F600}',
  '\u{10FFFF}',
  '\uE000',
  'é',
  ' ',
)
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
type Kept = 'present' | 'seen' | 'skipped' | 'gone' | 'absent'
type Met = 'same' | 'size' | 'mtime' | 'ctime' | 'inode' | 'absent'
const tree = fc.uniqueArray(
  fc.record({
    path,
    kept: fc.constantFrom<Kept>('present', 'seen', 'skipped', 'gone', 'absent'),
    met: fc.constantFrom<Met>('same', 'size', 'mtime', 'ctime', 'inode', 'absent'),
  }),
  { selector: (entry) => entry.path, maxLength: 40 },
)

const known_stat = statOf(7, 3n)

function metStat(met: Met): FileStat {
  const changes = {
    size: { size: 8 },
    mtime: { mtime_ns: 1n },
    ctime: { ctime_ns: 1n },
    inode: { inode: 4n },
  }
  return met === 'same' || met === 'absent' ? known_stat : { ...known_stat, ...changes[met] }
}

function keptFacts(folder: string, { path, kept }: { path: string; kept: Kept }): Fact[] {
  const settled: Fact = { type: 'file_settled', folder, path, stat: known_stat, md5: md5Of(path) }
  switch (kept) {
    case 'present':
      return [settled]
    case 'seen':
      return [{ type: 'file_seen', folder, path, stat: known_stat, not_before_ms: 0 }]
    case 'skipped':
      return [
        { type: 'file_skipped', folder, path, stat: known_stat, reason: 'too_large', rule: '' },
      ]
    case 'gone':
      return [settled, { type: 'file_gone', folder, path }]
    case 'absent':
      return []
  }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function rangeOf(
  folder: string,
  entries: { path: string; stat: FileStat }[],
  from?: string,
  to?: string,
): PathRange {
  const names = entries.map(({ path }) => Buffer.from(path))
  let end = 0
  const stats = entries.flatMap(({ stat }) => [
    BigInt(stat.size),
    stat.mtime_ns,
    stat.ctime_ns,
    stat.inode,
  ])
  return {
    folder,
    after_path: from,
    through_path: to,
    names: Buffer.concat(names),
    ends: Uint32Array.from(names, (bytes) => (end += bytes.length)),
    stats: BigInt64Array.from(stats, (value) => BigInt.asIntN(64, value)),
  }
}

let changes = 0
const few_paths = ['a', 'b', 'b/c', 'b0', 'd', '\u{1F600}']
const act = fc.record({
  do: fc.constantFrom('change', 'remove', 'record', 'see', 'forget', 'scan', 'scan', 'scan'),
  path: fc.constantFrom(...few_paths),
})

function settledFact(folder: string, path: string, stat: FileStat): Fact {
  return { type: 'file_settled', folder, path, stat, md5: md5Of(path) }
}

function goneFact(folder: string, path: string): Fact {
  return { type: 'file_gone', folder, path }
}

/** Compares two ranges and the rest, as a scan does. */
async function scan(
  bench: Bench,
  folder: string,
  disk: ReadonlyMap<string, FileStat>,
  with_digests: boolean,
) {
  const walked = [...disk]
    .map(([path, stat]) => ({ path, stat }))
    .sort((a, b) => byBytes(a.path, b.path))
  const middle = walked.length >> 1
  const pieces = [walked.slice(0, middle), walked.slice(middle)].filter(({ length }) => length > 0)
  const covered: string[] = []
  let after: string | undefined
  for (const piece of [...pieces, []]) {
    const through = piece.at(-1)?.path
    const range = rangeOf(folder, piece, after, through)
    const parts = piece.map(
      ({ path, stat: { size, mtime_ns, ctime_ns } }) => `${path} ${size} ${mtime_ns} ${ctime_ns}`,
    )
    const digest = with_digests && through !== undefined ? parts.join('\n') : undefined
    const { changed, missing } = await bench.ledger.differences({ ...range, digest })
    covered.push(
      ...[...changed].map((index) => `changed ${piece[index]!.path}`),
      ...missing.map((path) => `missing ${path}`),
    )
    after = through
  }
  return covered
}

export function differenceContract(factory: LedgerFactory): void {
  test('for any tree and any cuts, the ledger finds new and changed paths by index, missing ones by name, and no others', async () => {
    const bench = await new Bench(factory).open()
    let runs = 0
    const cuts = fc.array(path, { maxLength: 4 })
    const property = fc.asyncProperty(tree, cuts, async (entries, cut_at) => {
      const folder = `tree ${runs++}`
      await bench.online(folder)
      await bench.record(...entries.flatMap((entry) => keptFacts(folder, entry)))
      const walked = entries
        .filter(({ met }) => met !== 'absent')
        .map(({ path, met }) => ({ path, stat: metStat(met) }))
        .sort((a, b) => byBytes(a.path, b.path))
      const changed: string[] = []
      const missing: string[] = []
      const borders = [undefined, ...[...new Set(cut_at)].sort(byBytes), undefined]
      for (let at = 0; at + 1 < borders.length; at++) {
        const [from, to] = [borders[at], borders[at + 1]]
        const inside = walked.filter(
          ({ path }) =>
            (from === undefined || byBytes(path, from) > 0) &&
            (to === undefined || byBytes(path, to) <= 0),
        )
        const found = await bench.ledger.differences(rangeOf(folder, inside, from, to))
        changed.push(...[...found.changed].map((index) => inside[index]!.path))
        missing.push(...found.missing)
        expect(found.missing_total).toBe(found.missing.length)
      }
      const is_known = (kept: Kept) => kept !== 'absent' && kept !== 'gone'
      const expected_changed = entries.filter(
        ({ kept, met }) => met !== 'absent' && (!is_known(kept) || met !== 'same'),
      )
      const expected_missing = entries.filter(({ kept, met }) => met === 'absent' && is_known(kept))
      expect(changed).toEqual(expected_changed.map(({ path }) => path).sort(byBytes))
      expect(missing).toEqual(expected_missing.map(({ path }) => path).sort(byBytes))
    })
    try {
      await fc.assert(property, { numRuns: 150 })
    } finally {
      await bench.close()
    }
  })

  test('scans with and without digests find the same, whatever was recorded between them', async () => {
    const bench = await new Bench(factory).open()
    let runs = 0
    const property = fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const folder = `known ${runs++}`
      await bench.online(folder)
      const disk = new Map(few_paths.map((path) => [path, statOf(7, 3n)]))
      await bench.record(...[...disk].map(([path, stat]) => settledFact(folder, path, stat)))
      for (const { do: what, path } of acts) {
        const stat = disk.get(path)
        if (what === 'change') disk.set(path, statOf(7, BigInt(runs * 1_000 + ++changes)))
        else if (what === 'remove') disk.delete(path)
        else if (what === 'record')
          await bench.record(stat ? settledFact(folder, path, stat) : goneFact(folder, path))
        else if (what === 'see' && stat)
          await bench.record({ type: 'file_seen', folder, path, stat, not_before_ms: 0 })
        else if (what === 'forget') await bench.record({ type: 'file_ignored', folder, path })
        else if (what === 'scan')
          expect(await scan(bench, folder, disk, true)).toEqual(
            await scan(bench, folder, disk, false),
          )
      }
    })
    try {
      await fc.assert(property, { numRuns: 100 })
    } finally {
      await bench.close()
    }
  })

  withLedger(factory)(
    'an inode of 0 is one that the filesystem does not keep: it is not compared',
    async (bench) => {
      await bench.online('notes')
      await bench.record(
        settledFact('notes', 'a', statOf(7, 3n)),
        settledFact('notes', 'b', statOf(7, 3n)),
      )
      const entries = ['a', 'b'].map((path) => ({
        path,
        stat: { ...statOf(path === 'a' ? 7 : 8, 3n), inode: 0n },
      }))
      expect([...(await bench.ledger.differences(rangeOf('notes', entries))).changed]).toEqual([1])
    },
  )

  withLedger(factory)('an unknown folder has no differences', async (bench) => {
    const range = rangeOf('nowhere', [{ path: 'a', stat: known_stat }])
    expect((await bench.ledger.differences(range)).missing_total).toBe(0)
  })
}
