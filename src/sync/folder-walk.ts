import type { Clock } from '../base/time.ts'
import { wordOn } from '../disk/mount.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, type ScanOptions } from '../disk/scan.ts'
import { outOfReach } from '../disk/walk-report.ts'
import {
  type DisappearanceLimits,
  type Found,
  filesThere,
  hasVanished,
  isBeyondWord,
  knownBefore,
} from '../domain/disappearance.ts'
import type { FileStat } from '../domain/file.ts'
import type { Differences, FolderState, Ledger } from '../ledger/ledger.ts'
import { createFactGroup, type FactGroup } from './fact-group.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { FoundFiles } from './found-files.ts'
import type { Intake } from './intake.ts'
import type { MissedEvents } from './missed-events.ts'

export interface WalkTools extends DisappearanceLimits {
  ledger: Ledger
  intake: Intake
  clock: Clock
}

/** Rounds of looks that may be under way while the walk goes on: twice as many as wait for one transaction. */
const rounds_ahead = 24
const looks_a_round = 500
/** Programs that copy a file with its time keep it to the microsecond at least. */
const max_copied_ns = 1_000_000
/** Sorts after every path below a directory. */
const after_all = '\u{10FFFF}'

/** One walk held against the ledger: what differs is looked at, what is missing is counted and looked at when the walk is over. */
export class FolderWalk {
  readonly #folder: FolderSettings
  readonly #tools: WalkTools
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

  constructor(folder: FolderSettings, tools: WalkTools, under: string | undefined) {
    this.#folder = folder
    this.#tools = tools
    this.#facts = createFactGroup(tools.ledger, tools.clock)
    this.#after_path = under === undefined ? undefined : `${under}/`
    this.#is_whole = under === undefined
    this.#last_path = under === undefined ? undefined : `${under}/${after_all}`
  }

  async begin(): Promise<void> {
    this.#known_files = (await this.#tools.ledger.folder(this.#folder.name))?.known_files
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

  /**
   * How many known files are met with the same size and mtime, on whatever disk: ctime and inode
   * are another one's there.
   */
  async countMet(batch: ScanBatch): Promise<number> {
    const { changed, unknown } = await this.compare(batch)
    const is_unknown = new Set(unknown)
    const others = [...changed].filter((index) => !is_unknown.has(index))
    const known = await this.#tools.ledger.filesAt(
      this.#folder.name,
      others.map((index) => entryPath(batch, index)),
    )
    const alike = others.filter((index, at) => {
      const { size, mtime_ns } = entryStat(batch, index)
      const before = known[at]?.stat
      return before?.size === size && Math.abs(Number(before.mtime_ns - mtime_ns)) < max_copied_ns
    })
    return batch.count - changed.length + alike.length
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

  /** What it found where that does not look like the folder that is known, and no person said that it is right. */
  async doubt(end: ScanEnd): Promise<Found | undefined> {
    const state = await this.#tools.ledger.folder(this.#folder.name)
    if (!state) return undefined
    const found = await this.found({ ...state, known_files: this.#known_files ?? state.known_files }, end)
    const word = wordOn(state, state.disappearance)
    const is_doubted = word ? isBeyondWord(word, filesThere(found), this.#tools) : hasVanished(found, this.#tools)
    return is_doubted ? found : undefined
  }

  /** What went event by event is missing as well; what was out of reach before, and is so still, is neither known nor missing. */
  async found(before: Pick<FolderState, 'known_files' | 'counted'>, end: ScanEnd): Promise<Found> {
    const out_of_reach = await this.#outOfReach(end)
    const known_before = knownBefore(before)
    const missing = this.missing_total + known_before - before.known_files - out_of_reach
    return { known: known_before - out_of_reach, missing, files: end.files }
  }

  /** More is missing than it looked at. What did not go although it was looked at would not go the next time, either. */
  async isPart(): Promise<boolean> {
    if (!this.#is_whole || this.missing_total <= this.#missing.length) return false
    const known_files = (await this.#tools.ledger.folder(this.#folder.name))?.known_files ?? 0
    return known_files < (this.#known_files ?? 0)
  }

  /** Missing files that are blocked already, below a disk that covers them or a directory that cannot be read. */
  async #outOfReach(end: ScanEnd): Promise<number> {
    const below = this.#missing.filter(outOfReach(end))
    let blocked = 0
    for (let from = 0; from < below.length; from += looks_a_round) {
      const files = await this.#tools.ledger.filesAt(this.#folder.name, below.slice(from, from + looks_a_round))
      blocked += files.filter((file) => file?.state === 'blocked').length
    }
    return blocked
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
