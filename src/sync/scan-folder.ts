import type { Pulses } from '../base/pulse.ts'
import type { Clock } from '../base/time.ts'
import type { KeptScanThread } from '../disk/kept-scan-thread.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, type ScanOptions, scanFolder } from '../disk/scan.ts'
import { type DisappearanceLimits, type Found, hasVanished, knownBefore, waitingText } from '../domain/disappearance.ts'
import type { ScanSummary } from '../domain/fact.ts'
import type { FileStat } from '../domain/file.ts'
import type { Differences, FolderState, Ledger } from '../ledger/ledger.ts'
import type { DeviceTurns } from './device-turns.ts'
import { createFactGroup, type FactGroup } from './fact-group.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { FoundFiles } from './found-files.ts'
import type { Intake } from './intake.ts'
import type { MissedEvents } from './missed-events.ts'

export interface ScanTools extends DisappearanceLimits {
  ledger: Ledger
  intake: Intake
  clock: Clock
  pulses: Pulses
  batch_entries: number
  scan_thread?: KeptScanThread
  turns: DeviceTurns
}

export type ScanOutcome =
  /** `changed`: paths that differ from the ledger, those that are missing among them. */
  | { kind: 'finished'; summary: ScanSummary; changed: number }
  /** Stopped, or the root changed while it ran: nothing about missing files was believed. */
  | { kind: 'stopped' }
  /** What it found does not look like the folder that is known: nothing counts as gone. */
  | { kind: 'doubtful'; reason: string }

/** Rounds of looks that may be under way while the walk goes on: twice as many as wait for one transaction. */
const rounds_ahead = 24
const looks_a_round = 500
/** Sorts after every path below a directory. */
const after_all = '\u{10FFFF}'

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
  if (options.under !== undefined) return scanNow(folder, tools, options)
  const state = (await tools.ledger.folders()).find(({ name }) => name === folder.name)
  const endTurn = await tools.turns.take(state?.device ?? 0n, options.signal)
  try {
    return options.signal.aborted ? { kind: 'stopped' } : await scanNow(folder, tools, options)
  } finally {
    endTurn()
  }
}

interface ScanOnceOptions {
  under?: string
  missed?: MissedEvents | undefined
  signal: AbortSignal
}

async function scanNow(folder: FolderSettings, tools: ScanTools, options: ScanOnceOptions): Promise<ScanOutcome> {
  const { under, missed, signal } = options
  const walk = new Walk(folder, tools, under)
  if (under === undefined) await walk.begin()
  const scan = scanFolder({
    root: folder.path,
    ignore: folder,
    batch_entries: tools.batch_entries,
    hashing: walk.hashing(),
    pulses: tools.pulses,
    signal,
    ...(under === undefined ? {} : { under }),
    ...keptThread(tools),
  })
  try {
    for await (const batch of scan.batches) await walk.take(batch, missed)
  } finally {
    walk.end()
  }
  const end = await scan.end
  if (!end.complete || signal.aborted) {
    await walk.settled()
    return { kind: 'stopped' }
  }
  await walk.close()
  const doubt = under === undefined ? await walk.doubt(end) : undefined
  if (doubt !== undefined) return { kind: 'doubtful', reason: doubt }
  // Below a directory that could not be read nobody knows what is missing; single looks tell EACCES from ENOENT, a cut list does not.
  if (end.unreadable_total <= end.unreadable.length) await walk.lookAtMissing()
  if (walk.is_doubted) return { kind: 'stopped' }
  const summary = { ...summaryOf(end), ...(missed ? { missed: missed.count() } : {}) }
  return { kind: 'finished', summary, changed: walk.changed_total + walk.missing_total }
}

/**
 * Walks the folder and looks at nothing. Answers what it found, undefined when the walk did not come to its end.
 */
export async function compareWithKnown(
  folder: FolderSettings,
  tools: ScanTools,
  { state, signal }: { state: FolderState; signal: AbortSignal },
): Promise<Found | undefined> {
  const { batch_entries, pulses } = tools
  const scan = scanFolder({ root: folder.path, ignore: folder, batch_entries, pulses, signal, ...keptThread(tools) })
  const walk = new Walk(folder, tools, undefined)
  for await (const batch of scan.batches) await walk.compare(batch)
  const end = await scan.end
  if (!end.complete || signal.aborted) return undefined
  await walk.close()
  return walk.found(state, end)
}

function keptThread({ scan_thread: threads }: ScanTools): Pick<ScanOptions, 'threads'> {
  return threads ? { threads } : {}
}

class Walk {
  readonly #folder: FolderSettings
  readonly #tools: ScanTools
  readonly #last_path: string | undefined
  readonly #facts: FactGroup
  readonly #rounds = new Set<Promise<unknown>>()
  /** Of the first round that failed. */
  #fault: { error: unknown } | undefined
  #found: FoundFiles | undefined
  /** Of the last batch nobody knew anything. */
  #is_new_land = false
  #after_path: string | undefined
  /** When the walk began: what it finds that is new is known at its end. */
  #known_files: number | undefined
  readonly #is_whole: boolean
  #missing: string[] = []
  /** Something that is missing was not believed. */
  is_doubted = false
  missing_total = 0
  changed_total = 0

  constructor(folder: FolderSettings, tools: ScanTools, under: string | undefined) {
    this.#folder = folder
    this.#tools = tools
    this.#facts = createFactGroup(tools.ledger, tools.clock)
    this.#after_path = under === undefined ? undefined : `${under}/`
    this.#is_whole = under === undefined
    this.#last_path = under === undefined ? undefined : `${under}/${after_all}`
  }

  async begin(): Promise<void> {
    this.#known_files = (await this.#state())?.known_files
    this.#is_new_land = this.#known_files === 0
    this.#found = await this.#tools.intake.beginScan(this.#folder)
  }

  /** Where nobody has been before, files are read as they are looked at. */
  hashing(): ScanOptions['hashing'] {
    const rule = this.#found?.rule
    return rule && { rule, isWanted: () => this.#is_new_land }
  }

  /** The walk is over; what it took may still be on its way. */
  end(): void {
    this.#found?.end()
  }

  /** The indices of entries that differ from the ledger. */
  async compare(batch: ScanBatch): Promise<Pick<Differences, 'changed' | 'unknown'>> {
    if (batch.count === 0) return { changed: new Uint32Array(), unknown: new Uint32Array() }
    const through_path = entryPath(batch, batch.count - 1)
    // What was made known since the walk began says so itself when it is told once more.
    const differences = this.#known_files === 0 ? allOf(batch) : await this.#compare(batch, through_path)
    this.#after_path = through_path
    return differences
  }

  async take(batch: ScanBatch, missed: MissedEvents | undefined): Promise<void> {
    const { changed, unknown } = await this.compare(batch)
    missed?.consider(batch, changed)
    this.changed_total += changed.length
    this.#is_new_land = unknown.length === batch.count
    const taken = await this.#takeFound(batch, unknown)
    if (taken.size === changed.length) return
    await this.#takeSlowly(batch, taken.size === 0 ? changed : changed.filter((index) => !taken.has(index)))
  }

  async #takeFound(batch: ScanBatch, unknown: Uint32Array): Promise<ReadonlySet<number>> {
    if (this.#found === undefined) return new Set()
    const { taken, recorded } = this.#found.take(batch, unknown, this.#facts)
    if (taken.size > 0) await this.#begin(recorded)
    return taken
  }

  async #takeSlowly(batch: ScanBatch, changed: Uint32Array): Promise<void> {
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
      await this.#look(paths, stats)
    }
  }

  /** The rows after the last path that the walker met. */
  async close(): Promise<void> {
    const nothing = { names: new Uint8Array(), ends: new Uint32Array(), stats: new BigInt64Array(), digest: undefined }
    await this.#compare(nothing, this.#last_path)
    await this.settled()
  }

  /** Throws what a round met: files that nobody looked at make no finished scan. */
  async settled(): Promise<void> {
    this.#facts.hurry()
    await Promise.all(this.#rounds)
    if (this.#fault) throw this.#fault.error
  }

  async lookAtMissing(): Promise<void> {
    for (let from = 0; from < this.#missing.length; from += looks_a_round) {
      await this.#look(this.#missing.slice(from, from + looks_a_round))
    }
    await this.settled()
  }

  /** Why this does not look like the folder that is known; undefined when it does. */
  async doubt(end: ScanEnd): Promise<string | undefined> {
    const state = await this.#state()
    if (!state || state.empty_accepted) return undefined
    const found = this.found({ ...state, known_files: this.#known_files ?? state.known_files }, end)
    return hasVanished(found, this.#tools) ? waitingText(state.name, found) : undefined
  }

  /** What went event by event is missing as well. */
  found(before: Pick<FolderState, 'known_files' | 'counted'>, { files }: ScanEnd): Found {
    const known = knownBefore(before)
    return { known, missing: this.missing_total + known - before.known_files, files }
  }

  async #state(): Promise<FolderState | undefined> {
    return (await this.#tools.ledger.folders()).find(({ name }) => name === this.#folder.name)
  }

  async #compare(
    batch: Pick<ScanBatch, 'names' | 'ends' | 'stats'> & { digest: string | undefined },
    through_path: string | undefined,
  ): Promise<Pick<Differences, 'changed' | 'unknown'>> {
    const { names, ends, stats } = batch
    // A walk through one directory cuts its stretches elsewhere.
    const digest = this.#is_whole ? batch.digest : undefined
    const place = { folder: this.#folder.name, after_path: this.#after_path, through_path }
    const { changed, unknown, missing, missing_total } = await this.#tools.ledger.differences({
      ...place,
      names,
      ends,
      stats,
      digest,
    })
    this.missing_total += missing_total
    this.#missing = this.#missing.concat(missing)
    return { changed, unknown }
  }

  /** `stats`: what the walk saw. */
  async #look(paths: string[], stats: ReadonlyMap<string, FileStat> = new Map()): Promise<void> {
    if (paths.length === 0) return
    const scanned = { stats, facts: this.#facts, is_whole: this.#is_whole }
    const work = this.#tools.intake.lookAt(this.#folder.name, paths, scanned).then((answer) => {
      if (answer === 'doubtful') this.is_doubted = true
    })
    await this.#begin(work)
  }

  async #begin(work: Promise<unknown>): Promise<void> {
    const round = work
      .catch((error: unknown) => {
        this.#fault ??= { error }
      })
      .finally(() => this.#rounds.delete(round))
    this.#rounds.add(round)
    while (this.#rounds.size >= rounds_ahead) await Promise.race(this.#rounds)
  }
}

/** Where nothing was known nobody has to be asked: the ledger, busy with what was found, would hold up the walk. */
function allOf({ count }: ScanBatch): Pick<Differences, 'changed' | 'unknown'> {
  const all = Uint32Array.from({ length: count }, (_, index) => index)
  return { changed: all, unknown: all }
}

function summaryOf({ complete: _true_here, odd_names, ...seen }: ScanEnd): ScanSummary {
  return { ...seen, odd_names: odd_names.map(({ escaped_path }) => escaped_path) }
}
