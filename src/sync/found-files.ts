import { entryMd5, entryPath, type HashRule, type ScanBatch } from '../disk/scan.ts'
import type { FilesFound } from '../domain/fact.ts'
import type { FactGroup } from './fact-group.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { ScanTurn } from './look-turns.ts'
import { quietBefore_ns } from './settle.ts'

export type FoundFiles = ReturnType<typeof createFoundFiles>

/**
 * Larger ones give way to small ones in threads of their own; and where the new land ends a dozen batches are still on their
 * way, whose files are read for nothing.
 */
const most_bytes_on_the_way = 256 * 1_024

/** The same that `lookVerdict` would say of a file that nobody knows. `start` is about single files. */
export function hashRule(
  { settle_ms, max_file_bytes, start }: FolderSettings,
  now: { now_ms: number; clock_doubt_ms: number },
): HashRule | undefined {
  if (start.kind !== 'all') return undefined
  const quiet_before_ns = quietBefore_ns({ ...now, settle_ms })
  return { quiet_before_ns, most_bytes: Math.min(max_file_bytes, most_bytes_on_the_way) }
}

const nothing_taken = { taken: new Set<number>(), recorded: Promise.resolve() }

/**
 * What one scan looked at and read on its way, and nobody knows yet: told as it is, a batch at a
 * time.
 */
export function createFoundFiles(scan: {
  folder: string
  turn: ScanTurn
  /**
   * What the walk is to read as it goes; undefined: every file of this folder is judged by itself.
   */
  rule: HashRule | undefined
  /** The folder's settings are those that the scan goes by. */
  isInForce(): boolean
}) {
  const { folder, turn, rule } = scan

  /** What others looked at since the scan began is theirs: the scan may have been there before. */
  function isOurs(batch: ScanBatch, index: number): boolean {
    return entryMd5(batch, index) !== undefined && turn.isFirst(() => entryPath(batch, index))
  }

  return {
    rule,
    /**
     * Begins to tell; answers which entries are told of (the others must be looked at), and when
     * they are recorded. `unknown`: those without a row.
     */
    take(batch: ScanBatch, unknown: Uint32Array, facts: Pick<FactGroup, 'record'>) {
      if (batch.md5s === '' || !scan.isInForce()) return nothing_taken
      const ours = unknown.filter((index) => isOurs(batch, index))
      if (ours.length === 0) return nothing_taken
      const found = foundFiles(folder, batch, ours)
      const recorded = facts.record([found], scan.isInForce)
      turn.hold(entryPath(batch, ours[0]!), entryPath(batch, ours.at(-1)!), recorded)
      return { taken: new Set(ours), recorded }
    },
    end: () => turn.end(),
  }
}

/** A copy: the batch's memory holds another one as soon as the walk goes on. */
function foundFiles(folder: string, batch: ScanBatch, indices: Uint32Array): FilesFound {
  const { names, ends, stats, md5s, count } = batch
  if (indices.length === count) {
    return { type: 'files_found', folder, names: new Uint8Array(names), ends: ends.slice(), stats: stats.slice(), md5s }
  }
  const paths = Array.from(indices, (index) => names.subarray(index === 0 ? 0 : ends[index - 1], ends[index]))
  const found = new BigInt64Array(4 * indices.length)
  for (const [at, index] of indices.entries()) found.set(stats.subarray(4 * index, 4 * index + 4), 4 * at)
  let end = 0
  return {
    type: 'files_found',
    folder,
    names: Buffer.concat(paths),
    ends: Uint32Array.from(paths, ({ length }) => (end += length)),
    stats: found,
    md5s: Array.from(indices, (index) => entryMd5(batch, index)).join(''),
  }
}
