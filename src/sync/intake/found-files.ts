import type { Clock } from '../../base/time/time.ts'
import { entryMd5, entryPath, type HashRule, type ScanBatch } from '../../disk/scan/scan.ts'
import type { Fact, FilesFound } from '../../domain/fact.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { unlessRefused } from '../../ledger/refused-facts.ts'
import type { ScanTurn } from './check-turns.ts'

export type FoundFiles = ReturnType<typeof createFoundFiles>

const nothing_taken = { taken: new Set<number>(), recorded: Promise.resolve() }

/** Records unknown files that one scan has hashed on its way, a batch at a time. */
export function createFoundFiles(scan: {
  folder: string
  turn: ScanTurn
  /** Files that the walk hashes; undefined: every file is judged by itself. */
  rule: HashRule | undefined
  /** True while the folder still has the settings that the scan uses. */
  isInForce(): boolean
}) {
  const { folder, turn, rule } = scan

  /** True if the walk hashed it, and no other caller has checked it since the scan began. */
  function isOurs(batch: ScanBatch, index: number): boolean {
    return entryMd5(batch, index) !== undefined && turn.isFirst(() => entryPath(batch, index))
  }

  return {
    rule,
    /** Begins to record. Returns the entries that it takes; the others must be checked. */
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

/** Copies the entries: the batch's memory holds other ones as soon as the walk goes on. */
function foundFiles(folder: string, batch: ScanBatch, indices: Uint32Array): FilesFound {
  const { names, ends, stats, md5s, count } = batch
  if (indices.length === count) {
    return {
      type: 'files_found',
      folder,
      names: new Uint8Array(names),
      ends: ends.slice(),
      stats: stats.slice(),
      md5s,
    }
  }
  const paths = Array.from(indices, (index) =>
    names.subarray(index === 0 ? 0 : ends[index - 1], ends[index]),
  )
  const found = new BigInt64Array(4 * indices.length)
  for (const [at, index] of indices.entries())
    found.set(stats.subarray(4 * index, 4 * index + 4), 4 * at)
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

export type FactGroup = ReturnType<typeof createFactGroup>

/** Files in a group, one disk sync: 0.25 s of the ledger's time, the longest that others wait. */
const max_files = 10_000
/** Maximum wait of a file in its group, before status shows it and it may be uploaded. */
const max_wait_ms = 1_000

/**
 * Collects the facts of many rounds of a scan, and records some thousand files in one transaction.
 * The md5 of a new content lands anywhere in its index, so small transactions would write the same
 * pages again and again.
 */
export function createFactGroup(ledger: Pick<Ledger, 'record'>, clock: Clock) {
  let rounds: { facts: readonly Fact[]; isInForce: () => boolean }[] = []
  let files = 0
  let recorded: Promise<void> | undefined
  let flush = () => {}
  let in_hurry = false

  function begin(): Promise<void> {
    const timer = new AbortController()
    const due = new Promise<void>((resolve) => {
      flush = () => {
        timer.abort()
        resolve()
      }
    })
    void clock.sleep(max_wait_ms, timer.signal).then(flush)
    return due.then(() => {
      const gathered = rounds.filter(({ isInForce }) => isInForce()).flatMap(({ facts }) => facts)
      rounds = []
      files = 0
      recorded = undefined
      return unlessRefused(ledger.record(gathered))
    })
  }

  return {
    /**
     * Resolves when these facts are durable, and rejects when they cannot be recorded. `isInForce`:
     * false once the settings that led to these facts are replaced. Facts that are still in the
     * group then are dropped.
     */
    record(facts: readonly Fact[], isInForce: () => boolean): Promise<void> {
      if (in_hurry) return ledger.record(facts)
      recorded ??= begin()
      const mine = recorded
      rounds.push({ facts, isInForce })
      files += facts.reduce(
        (sum, fact) => sum + (fact.type === 'files_found' ? fact.ends.length : 1),
        0,
      )
      if (files >= max_files) flush()
      return mine
    },
    /** Records what is collected now, and from now on each fact at once. */
    hurry() {
      in_hurry = true
      flush()
    },
  }
}
