import { wordOn } from '../../disk/root/mount.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, type ScanOptions } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import { type Found, filesThere, hasVanished, isBeyondWord, knownBefore } from '../../domain/disappearance.ts'
import type { FileStat } from '../../domain/file.ts'
import type { Differences, FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { createFactGroup } from '../intake/found-files.ts'
import type { Intake, IntakeTools } from '../intake/intake.ts'
import type { MissedEvents } from './missed-events.ts'

export interface WalkTools extends Omit<IntakeTools, 'examiner' | 'report' | 'folders'> {
  intake: Intake
}

/** Rounds of looks that may be under way while the walk goes on: twice as many as wait for one transaction. */
const rounds_ahead = 24
const looks_a_round = 500
/** Programs that copy a file with its time keep it to the microsecond at least. */
const max_copied_ns = 1_000_000
/** Sorts after every path below a directory. */
export const after_all = '\u{10FFFF}'

export const empty_batch = { names: new Uint8Array(), ends: new Uint32Array(), stats: new BigInt64Array() }

/** One walk held against the ledger: what differs is looked at, what is missing is counted and looked at when the walk is over. */
export async function beginWalk(
  folder: FolderSettings,
  tools: WalkTools,
  { under, looks }: { under?: string | undefined; looks: boolean },
) {
  const { name } = folder
  const { ledger, clock } = tools
  const facts = createFactGroup(ledger, clock)
  const is_whole = under === undefined
  const last_path = is_whole ? undefined : `${under}/${after_all}`
  let after_path = is_whole ? undefined : `${under}/`
  const rounds = new Set<Promise<unknown>>()
  /** Of the first round that failed. */
  let fault: { error: unknown } | undefined
  let missing: string[] = []
  let missing_total = 0
  let changed_total = 0
  /** Something that is missing was not believed. */
  let is_doubted = false
  /** When the walk began: what it finds that is new is known at its end. */
  const known_at_begin = is_whole && looks ? (await ledger.folder(name))?.known_files : undefined
  /** Of the last batch nobody knew anything. */
  let is_new_land = known_at_begin === 0
  const found_files = is_whole && looks ? await tools.intake.beginScan(folder) : undefined

  /** Where nobody has been before, files are read as they are looked at. */
  function hashing(): ScanOptions['hashing'] {
    const rule = found_files?.rule
    return rule && { rule, isWanted: () => is_new_land }
  }

  /** The walk is over; what it took may still be on its way. */
  function end(): void {
    found_files?.end()
  }

  /** The indices of entries that differ from the ledger. */
  async function compare(batch: ScanBatch): Promise<Pick<Differences, 'changed' | 'unknown'>> {
    if (batch.count === 0) return { changed: new Uint32Array(), unknown: new Uint32Array() }
    const through_path = entryPath(batch, batch.count - 1)
    // What was made known since the walk began says so itself when it is told once more.
    const differences = known_at_begin === 0 ? allOf(batch) : await compareRange(batch, through_path)
    after_path = through_path
    return differences
  }

  /**
   * How many known files are met with the same size and mtime, on whatever disk: ctime and inode
   * are another one's there.
   */
  async function countMet(batch: ScanBatch): Promise<number> {
    const { changed, unknown } = await compare(batch)
    const is_unknown = new Set(unknown)
    const others = [...changed].filter((index) => !is_unknown.has(index))
    const known = await ledger.filesAt(
      name,
      others.map((index) => entryPath(batch, index)),
    )
    const alike = others.filter((index, at) => {
      const { size, mtime_ns } = entryStat(batch, index)
      const before = known[at]?.stat
      return before?.size === size && Math.abs(Number(before.mtime_ns - mtime_ns)) < max_copied_ns
    })
    return batch.count - changed.length + alike.length
  }

  async function take(batch: ScanBatch, missed: MissedEvents | undefined): Promise<void> {
    const { changed, unknown } = await compare(batch)
    missed?.consider(batch, changed)
    changed_total += changed.length
    is_new_land = unknown.length === batch.count
    const taken = await takeFound(batch, unknown)
    if (taken.size === changed.length) return
    await takeSlowly(batch, taken.size === 0 ? changed : changed.filter((index) => !taken.has(index)))
  }

  async function takeFound(batch: ScanBatch, unknown: Uint32Array): Promise<ReadonlySet<number>> {
    if (found_files === undefined) return new Set()
    const { taken, recorded } = found_files.take(batch, unknown, facts)
    if (taken.size > 0) await addRound(recorded)
    return taken
  }

  async function takeSlowly(batch: ScanBatch, changed: Uint32Array): Promise<void> {
    for (let from = 0; from < changed.length; from += looks_a_round) {
      const paths: string[] = []
      const stats = new Map<string, FileStat>()
      for (const index of changed.subarray(from, from + looks_a_round)) {
        const path = entryPath(batch, index)
        const stat = entryStat(batch, index)
        paths.push(path)
        // Where the filesystem keeps no inodes the walk saw too little.
        if (stat.inode !== 0n) stats.set(path, stat)
      }
      await look(paths, stats)
    }
  }

  /** The rows after the last path that the walker met. */
  async function close(): Promise<void> {
    await compareRange({ ...empty_batch, digest: undefined }, last_path)
    await settled()
  }

  /** Throws what a round met: files that nobody looked at make no finished scan. */
  async function settled(): Promise<void> {
    facts.hurry()
    await Promise.all(rounds)
    if (fault) throw fault.error
  }

  async function lookAtMissing(): Promise<void> {
    for (let from = 0; from < missing.length; from += looks_a_round) {
      await look(missing.slice(from, from + looks_a_round))
    }
    await settled()
  }

  /** What it found where that does not look like the folder that is known, and no person said that it is right. */
  async function doubt(end: ScanEnd): Promise<Found | undefined> {
    const state = await ledger.folder(name)
    if (!state) return undefined
    const seen = await found({ ...state, known_files: known_at_begin ?? state.known_files }, end)
    const word = wordOn(state, state.disappearance)
    const is_much = word ? isBeyondWord(word, filesThere(seen), tools) : hasVanished(seen, tools)
    return is_much ? seen : undefined
  }

  /** What went event by event is missing as well; what was out of reach before, and is so still, is neither known nor missing. */
  async function found(before: Pick<FolderState, 'known_files' | 'counted'>, end: ScanEnd): Promise<Found> {
    const out_of_reach = await countOutOfReach(end)
    const known_before = knownBefore(before)
    const gone = missing_total + known_before - before.known_files - out_of_reach
    return { known: known_before - out_of_reach, missing: gone, files: end.files }
  }

  /** More is missing than it looked at. What did not go although it was looked at would not go the next time, either. */
  async function isPart(): Promise<boolean> {
    if (!is_whole || missing_total <= missing.length) return false
    const known_files = (await ledger.folder(name))?.known_files ?? 0
    return known_files < (known_at_begin ?? 0)
  }

  /** Missing files that are blocked already, below a disk that covers them or a directory that cannot be read. */
  async function countOutOfReach(end: ScanEnd): Promise<number> {
    const below = missing.filter(outOfReach(end))
    let blocked = 0
    for (let from = 0; from < below.length; from += looks_a_round) {
      const files = await ledger.filesAt(name, below.slice(from, from + looks_a_round))
      blocked += files.filter((file) => file?.state === 'blocked').length
    }
    return blocked
  }

  async function compareRange(
    batch: Pick<ScanBatch, 'names' | 'ends' | 'stats'> & { digest: string | undefined },
    through_path: string | undefined,
  ): Promise<Pick<Differences, 'changed' | 'unknown'>> {
    const { names, ends, stats } = batch
    // A walk through one directory cuts its stretches elsewhere.
    const digest = is_whole ? batch.digest : undefined
    const place = { folder: name, after_path, through_path }
    const differences = await ledger.differences({ ...place, names, ends, stats, digest })
    missing_total += differences.missing_total
    missing = missing.concat(differences.missing)
    return differences
  }

  /** `stats`: what the walk saw. */
  async function look(paths: string[], stats: ReadonlyMap<string, FileStat> = new Map()): Promise<void> {
    if (paths.length === 0) return
    const scanned = { stats, facts, is_whole }
    const work = tools.intake.lookAt(name, paths, scanned).then((answer) => {
      if (answer === 'doubtful') is_doubted = true
    })
    await addRound(work)
  }

  async function addRound(work: Promise<unknown>): Promise<void> {
    const round = work
      .catch((error: unknown) => {
        fault ??= { error }
      })
      .finally(() => rounds.delete(round))
    rounds.add(round)
    while (rounds.size >= rounds_ahead) await Promise.race(rounds)
  }

  return {
    hashing,
    end,
    countMet,
    take,
    close,
    settled,
    lookAtMissing,
    doubt,
    found,
    isPart,
    isDoubted: () => is_doubted,
    /** Paths that differ from the ledger, those that are missing among them. */
    differing: () => changed_total + missing_total,
  }
}

/** Where nothing was known nobody has to be asked: the ledger, busy with what was found, would hold up the walk. */
function allOf({ count }: ScanBatch): Pick<Differences, 'changed' | 'unknown'> {
  const all = Uint32Array.from({ length: count }, (_, index) => index)
  return { changed: all, unknown: all }
}
