import type { Pulses } from '../../base/run/pulse.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import { rootChange } from '../../disk/root/root-trust.ts'
import { type ScanOptions, scanFolder } from '../../disk/scan/scan.ts'
import type { KeptScanThread } from '../../disk/scan/scan-threads.ts'
import type { Found } from '../../domain/disappearance.ts'
import type { ScanSummary } from '../../domain/fact.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import type { DeviceTurns } from './device-turns.ts'
import { after_all, beginWalk, empty_batch, type WalkTools } from './folder-walk.ts'
import type { MissedEvents } from './missed-events.ts'

export interface ScanTools extends WalkTools {
  pulses: Pulses
  scan_thread?: KeptScanThread
  turns: DeviceTurns
}

export type ScanOutcome =
  /** `changed`: paths that differ from the ledger, those that are missing among them. `is_part`: more is missing than it looked at. */
  | { kind: 'finished'; summary: ScanSummary; changed: number; is_part: boolean }
  /** Stopped, or the root changed while it ran: nothing about missing files was believed. */
  | { kind: 'stopped' }
  /** What it found does not look like the folder that is known: nothing counts as gone. */
  | { kind: 'doubtful'; found: Found }

type ScanOnceOptions = { under?: string; missed?: MissedEvents | undefined; signal: AbortSignal }

/**
 * Walks the folder, or one directory of it, and looks at every path that differs from the ledger. Differences are only looks:
 * intake lstats again before it records, so a file that moved while the walker was past it is not "gone".
 */
export async function scanOnce(
  folder: FolderSettings,
  tools: ScanTools,
  options: ScanOnceOptions,
): Promise<ScanOutcome> {
  // One directory is soon done, and somebody saves files in it.
  if (options.under !== undefined) return scanNow(folder, tools, options, async () => true)
  const state = await tools.ledger.folder(folder.name)

  async function isSameDisk(): Promise<boolean> {
    const now = await tools.roots.status(folder.path, tools.answer_ms, { doubtful: true })
    return now.kind === 'online' && state !== undefined && rootChange(state, now) === 'none'
  }

  const scanned = await inTurn(state?.device ?? 0n, tools, options.signal, () =>
    scanNow(folder, tools, options, isSameDisk),
  )
  return scanned ?? { kind: 'stopped' }
}

/** Undefined: stopped before it could begin. */
async function inTurn<Walked>(
  device: bigint,
  { turns }: ScanTools,
  signal: AbortSignal,
  walk: () => Promise<Walked>,
): Promise<Walked | undefined> {
  const endTurn = await turns.take(device, signal)
  try {
    return signal.aborted ? undefined : await walk()
  } finally {
    endTurn()
  }
}

/** `isSameDisk`: asked once the walk has read the root; a disk swapped before that is not walked through. */
async function scanNow(
  folder: FolderSettings,
  tools: ScanTools,
  { under, missed, signal }: ScanOnceOptions,
  isSameDisk: () => Promise<boolean>,
): Promise<ScanOutcome> {
  const walk = await beginWalk(folder, tools, { under, looks: true })
  const scan = startScan(folder, tools, { signal, hashing: walk.hashing(), ...(under === undefined ? {} : { under }) })
  try {
    let is_first = true
    for await (const batch of scan.batches) {
      if (is_first && !(await isSameDisk())) break
      is_first = false
      await walk.take(batch, missed)
    }
  } finally {
    walk.end()
  }
  const end = await scan.end
  if (!end.complete || signal.aborted) {
    await walk.settled()
    return { kind: 'stopped' }
  }
  await walk.close()
  const doubted = under === undefined ? await walk.doubt(end) : undefined
  if (doubted !== undefined) return { kind: 'doubtful', found: doubted }
  // Below a directory that could not be read nobody knows what is missing; single looks tell EACCES from ENOENT, a cut list does not.
  if (end.unreadable_total <= end.unreadable.length) await walk.lookAtMissing()
  if (walk.isDoubted()) return { kind: 'stopped' }
  const { complete: _true_here, odd_names, ...seen } = end
  const summary: ScanSummary = { ...seen, odd_names: odd_names.map(({ escaped_path }) => escaped_path) }
  if (missed) summary.missed = missed.count()
  return { kind: 'finished', summary, changed: walk.differing(), is_part: await walk.isPart() }
}

/**
 * Walks the folder and looks at nothing. Answers what it found, undefined when the walk did not
 * come to its end. `device`: on which the folder lies now. `met`: known files that stand there with
 * the same size and mtime.
 */
export function compareWithKnown(
  folder: FolderSettings,
  tools: ScanTools,
  { state, device, signal }: { state: FolderState; device: bigint; signal: AbortSignal },
): Promise<(Found & { met: number }) | undefined> {
  return inTurn(device, tools, signal, async () => {
    const scan = startScan(folder, tools, { signal })
    const walk = await beginWalk(folder, tools, { looks: false })
    let met = 0
    for await (const batch of scan.batches) met += await walk.countMet(batch)
    const end = await scan.end
    if (!end.complete || signal.aborted) return undefined
    await walk.close()
    return { ...(await walk.found(state, end)), met }
  })
}

/**
 * Looks at what hints name: paths one by one, directories with all below. Where a directory is none any more, what the ledger has
 * below it is looked at. Answers `doubtful` when only a scan of the whole folder can tell.
 */
export async function followHints(
  folder: FolderSettings,
  tools: ScanTools & { examiner: Pick<Examiner, 'lstat'> },
  hints: { paths: readonly string[]; directories: readonly string[] },
  signal: AbortSignal,
): Promise<'recorded' | 'doubtful'> {
  const { examiner, intake, ledger } = tools
  const paths = [...hints.paths]
  const looks = hints.directories.length === 0 ? [] : await examiner.lstat(folder.path, hints.directories)
  let is_doubtful = false
  for (const [index, directory] of hints.directories.entries()) {
    if (looks[index]?.kind === 'directory') {
      const { kind } = await scanOnce(folder, tools, { under: directory, signal })
      if (kind !== 'finished') is_doubtful = true
      continue
    }
    const [after_path, through_path] = [`${directory}/`, `${directory}/${after_all}`]
    const below = await ledger.differences({ folder: folder.name, after_path, through_path, ...empty_batch })
    paths.push(directory, ...below.missing)
    if (below.missing_total > below.missing.length) is_doubtful = true
  }
  const looked = await intake.lookAt(folder.name, paths)
  return is_doubtful ? 'doubtful' : looked
}

function startScan(
  folder: FolderSettings,
  { pulses, scan_thread }: ScanTools,
  options: Pick<ScanOptions, 'signal' | 'hashing' | 'under'>,
) {
  const threads = scan_thread ? { threads: scan_thread } : {}
  return scanFolder({ root: folder.path, ignore: folder, pulses, ...threads, ...options })
}
