import type { Fact } from '../domain/fact.ts'

type Settled = Extract<Fact, { type: 'file_settled' }>

/**
 * A row of settled files of one folder, as one thing: where a hundred thousand come to rest together, handing each over to the
 * ledger's thread as an object takes longer than hashing it. What a walk reads on its way has a fact of its own, `files_found`.
 */
interface PackedFiles {
  type: 'packed_files'
  folder: string
  /** Parted by a zero byte, which no path holds. */
  paths: string
  /** Four for each file: size, mtime_ns, ctime_ns, inode. */
  stats: BigInt64Array
  /** 32 characters for each file. */
  md5s: string
}

export type PackedFact = Fact | PackedFiles

/** Fewer than this are not worth it. */
const least = 8

/** The same facts in the same order, for another thread. */
export function packFacts(facts: readonly Fact[]): PackedFact[] {
  const packed: PackedFact[] = []
  for (let from = 0; from < facts.length; ) {
    const to = endOfRow(facts, from)
    if (to - from >= least) packed.push(pack(facts.slice(from, to) as Settled[]))
    else packed.push(...facts.slice(from, Math.max(to, from + 1)))
    from = Math.max(to, from + 1)
  }
  return packed
}

export function* unpackFacts(packed: Iterable<PackedFact>): Generator<Fact, void> {
  for (const fact of packed) {
    if (fact.type !== 'packed_files') yield fact
    else yield* unpack(fact)
  }
}

/** Index after the last of the settled files of one folder that begin here; `from` where there is none. */
function endOfRow(facts: readonly Fact[], from: number): number {
  const first = facts[from]!
  if (first.type !== 'file_settled') return from
  let to = from + 1
  for (; to < facts.length; to++) {
    const fact = facts[to]!
    if (fact.type !== 'file_settled' || fact.folder !== first.folder) break
  }
  return to
}

function pack(files: readonly Settled[]): PackedFiles {
  const stats = new BigInt64Array(4 * files.length)
  for (const [index, { stat }] of files.entries()) {
    stats[4 * index] = BigInt(stat.size)
    stats[4 * index + 1] = stat.mtime_ns
    stats[4 * index + 2] = stat.ctime_ns
    stats[4 * index + 3] = stat.inode
  }
  const paths = files.map(({ path }) => path).join('\0')
  return { type: 'packed_files', folder: files[0]!.folder, paths, stats, md5s: files.map(({ md5 }) => md5).join('') }
}

function* unpack({ folder, paths, stats, md5s }: PackedFiles): Generator<Settled, void> {
  let index = 0
  for (const path of paths.split('\0')) {
    const [size, mtime_ns, ctime_ns, inode] = [0, 1, 2, 3].map((part) => stats[4 * index + part]!)
    const stat = { size: Number(size), mtime_ns: mtime_ns!, ctime_ns: ctime_ns!, inode: inode! }
    yield { type: 'file_settled', folder, path, stat, md5: md5s.slice(32 * index, 32 * index + 32) }
    index += 1
  }
}
