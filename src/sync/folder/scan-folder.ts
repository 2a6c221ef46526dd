import type { Heartbeats } from '../../base/run/heartbeat.ts'
import { acknowledgementOn, rootChange } from '../../disk/root/root.ts'
import type { Silence } from '../../disk/root/root-asker.ts'
import {
  entryPath,
  entryStat,
  type ScanBatch,
  type ScanEnd,
  type ScanOptions,
  scanFolder,
} from '../../disk/scan/scan.ts'
import type { KeptScanThread } from '../../disk/scan/scan-threads.ts'
import {
  exceedsAcknowledgement,
  type Found,
  filesThere,
  hasVanished,
} from '../../domain/disappearance.ts'
import type { ScanSummary } from '../../domain/fact.ts'
import type { FileStat } from '../../domain/file.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { createFactGroup } from '../intake/found-files.ts'
import type { Intake, IntakeTools } from '../intake/intake.ts'
import type { DeviceTurns } from './device-turns.ts'
import type { MissedEvents } from './missed-events.ts'
import { createWalkComparison } from './walk-comparison.ts'

export interface ScanTools extends Omit<IntakeTools, 'examiner' | 'report' | 'folders'> {
  intake: Intake
  heartbeats: Heartbeats
  scan_thread?: KeptScanThread
  /** Ends a walk whose root does not answer any more; absent: the walk waits. */
  silence?: Silence
  turns: DeviceTurns
}

export type ScanOutcome =
  /** `changed`: how many paths differ or are missing. `is_part`: not all missing were checked. */
  | { kind: 'finished'; summary: ScanSummary; changed: number; is_part: boolean }
  /** Stopped, or the root changed during the scan: missing files were not recorded. */
  | { kind: 'stopped' }
  /** The result is too different from the known folder, so nothing counts as deleted. */
  | { kind: 'doubtful'; found: Found }

/** `under`: scans only this directory. */
type ScanOnceOptions = { under?: string; missed?: MissedEvents | undefined; signal: AbortSignal }

/** Maximum rounds of checks during the walk: twice as many as wait for one transaction. */
const rounds_ahead = 24
const paths_a_round = 500

/**
 * Walks the folder, or one directory, and checks every path that differs from the ledger. A
 * difference is only a reason to check: intake runs lstat again before it records, so a file that
 * moved meanwhile does not count as deleted.
 */
export async function scanOnce(
  folder: FolderSettings,
  tools: ScanTools,
  options: ScanOnceOptions,
): Promise<ScanOutcome> {
  // One directory takes little time, and a user may be saving files in it.
  if (options.under !== undefined) return scanNow(folder, tools, options, async () => true)
  const state = await tools.ledger.folder(folder.name)

  async function isSameDisk(): Promise<boolean> {
    const now = await tools.roots.status(folder.path, tools.answer_ms, { doubtful: true })
    return now.kind === 'online' && state !== undefined && rootChange(state, now) === 'none'
  }

  const scan = () => scanNow(folder, tools, options, isSameDisk)
  return (await tools.turns.take(state?.device ?? 0n, options.signal, scan)) ?? { kind: 'stopped' }
}

/** Calls `isSameDisk` after the walk has read the root, so no swapped disk is walked. */
async function scanNow(
  folder: FolderSettings,
  tools: ScanTools,
  { under, missed, signal }: ScanOnceOptions,
  isSameDisk: () => Promise<boolean>,
): Promise<ScanOutcome> {
  const { name } = folder
  const { ledger, intake } = tools
  const is_whole = under === undefined
  const comparison = createWalkComparison(name, ledger, under)
  const rounds = createRounds(name, is_whole, tools)
  /** Number of known files before the walk, which adds new ones; undefined for one directory. */
  const before = is_whole ? await ledger.folder(name) : undefined
  const known_at_begin = before?.known_files
  /** True if the last batch had no known file: then the walk hashes files as it goes. */
  let is_new_land = known_at_begin === 0
  const found_files = is_whole ? await intake.beginScan(folder) : undefined
  const hashing = found_files?.rule && { rule: found_files.rule, isWanted: () => is_new_land }
  let is_first = true
  const options = { signal, hashing, under }
  const end = await walk(folder, tools, options, async (batch, stop) => {
    if (is_first && !(await isSameDisk())) return stop()
    is_first = false
    await take(batch)
  }).finally(() => found_files?.end())
  if (!end.complete || signal.aborted) {
    await rounds.settled()
    return { kind: 'stopped' }
  }
  await comparison.end()
  await rounds.settled()
  const doubted = is_whole ? await doubt(end) : undefined
  if (doubted !== undefined) return { kind: 'doubtful', found: doubted }
  // Below an unreadable directory, one check separates EACCES from ENOENT. A truncated list of
  // these directories proves nothing.
  if (end.unreadable_total <= end.unreadable.length) {
    await rounds.check(comparison.missing())
    await rounds.settled()
  }
  if (rounds.isDoubted()) return { kind: 'stopped' }
  const { complete: _true_here, odd_names, ...seen } = end
  const summary: ScanSummary = {
    ...seen,
    odd_names: odd_names.map(({ escaped_path }) => escaped_path),
  }
  if (missed) summary.missed = missed.count()
  return { kind: 'finished', summary, changed: comparison.differing(), is_part: await isPart() }

  async function take(batch: ScanBatch): Promise<void> {
    // The ledger merges files that became known since the walk began, so recording them twice is
    // harmless.
    const { changed, unknown } =
      known_at_begin === 0 ? comparison.takeAsUnknown(batch) : await comparison.compare(batch)
    missed?.consider(batch, changed)
    is_new_land = unknown.length === batch.count
    const found = found_files?.take(batch, unknown, rounds.facts)
    if (found && found.taken.size > 0) await rounds.add(found.recorded)
    const stats = new Map<string, FileStat>()
    const paths: string[] = []
    for (const index of changed) {
      if (found?.taken.has(index)) continue
      const path = entryPath(batch, index)
      const stat = entryStat(batch, index)
      paths.push(path)
      // On a filesystem without inodes the walk's stat is incomplete.
      if (stat.inode !== 0n) stats.set(path, stat)
    }
    await rounds.check(paths, stats)
  }

  /** The result of the walk, if too much is missing without an acknowledgement. */
  async function doubt(end: ScanEnd): Promise<Found | undefined> {
    const state = await ledger.folder(name)
    if (!state) return undefined
    const found = await comparison.found(before ?? state, end, { is_known_disk: true })
    const acknowledged = acknowledgementOn(state, state.disappearance)
    const is_much = acknowledged
      ? exceedsAcknowledgement(acknowledged, filesThere(found), tools)
      : hasVanished(found, tools)
    return is_much ? found : undefined
  }

  /** True if missing files remain unchecked, and another scan may find deleted ones. */
  async function isPart(): Promise<boolean> {
    if (!is_whole || !comparison.hasMoreMissing()) return false
    const known_files = (await ledger.folder(name))?.known_files ?? 0
    return known_files < (known_at_begin ?? 0)
  }
}

/** Checks paths during the walk, a limited number of rounds at a time. */
function createRounds(folder: string, is_whole: boolean, { intake, ledger, clock }: ScanTools) {
  const facts = createFactGroup(ledger, clock)
  const under_way = new Set<Promise<unknown>>()
  /** Error of the first round that failed. */
  let fault: { error: unknown } | undefined
  let is_doubted = false

  async function add(work: Promise<unknown>): Promise<void> {
    const round = work
      .catch((error: unknown) => {
        fault ??= { error }
      })
      .finally(() => under_way.delete(round))
    under_way.add(round)
    while (under_way.size >= rounds_ahead) await Promise.race(under_way)
  }

  return {
    facts,
    add,
    /** `stats`: results of the walk. */
    async check(
      paths: readonly string[],
      stats: ReadonlyMap<string, FileStat> = new Map(),
    ): Promise<void> {
      for (let from = 0; from < paths.length; from += paths_a_round) {
        const checked = intake.checkPaths(folder, paths.slice(from, from + paths_a_round), {
          stats,
          facts,
          is_whole,
        })
        await add(
          checked.then((answer) => {
            if (answer === 'doubtful') is_doubted = true
          }),
        )
      }
    },
    /** Throws the error of the first failed round: a scan with unchecked files is not finished. */
    async settled(): Promise<void> {
      facts.hurry()
      await Promise.all(under_way)
      if (fault) throw fault.error
    },
    isDoubted: () => is_doubted,
  }
}

/**
 * Walks the folder without checks. Returns its result, or undefined if the walk did not end.
 * `device`: the folder's current disk. `met`: known files found with the same size and mtime.
 */
export function compareWithKnown(
  folder: FolderSettings,
  tools: ScanTools,
  {
    state,
    device,
    is_known_disk,
    signal,
  }: { state: FolderState; device: bigint; is_known_disk: boolean; signal: AbortSignal },
): Promise<(Found & { met: number }) | undefined> {
  return tools.turns.take(device, signal, async () => {
    const comparison = createWalkComparison(folder.name, tools.ledger)
    let unlike = 0
    const end = await walk(folder, tools, { signal }, async (batch) => {
      unlike += await comparison.countUnlike(batch)
    })
    if (!end.complete || signal.aborted) return undefined
    await comparison.end()
    const found = await comparison.found(state, end, { is_known_disk })
    return { ...found, met: found.known - found.missing - unlike }
  })
}

function walk(
  folder: FolderSettings,
  { heartbeats, scan_thread, silence }: ScanTools,
  options: Pick<ScanOptions, 'signal' | 'hashing' | 'under'>,
  take: Parameters<typeof scanFolder>[1],
): Promise<ScanEnd> {
  const threads = scan_thread ? { threads: scan_thread } : {}
  const scan = { root: folder.path, ignore: folder, heartbeats, silence, ...threads, ...options }
  return scanFolder(scan, take)
}
