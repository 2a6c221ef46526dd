import { join } from 'node:path'
import type { FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import type { ScanEnd } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import { type FileStat, isBefore, sameStat } from '../../domain/file.ts'
import {
  type BlockReason,
  type FileToJudge,
  mayBeMoved,
  type SkipSettings,
  skipReason,
} from '../../domain/file-reasons.ts'
import type { Parting } from '../../domain/removal.ts'
import type { ComparedFile, ComparisonView } from '../../ledger/views/view-comparison.ts'
import type { FolderView } from '../../ledger/views/view-folders.ts'
import { checkPath, hasPlaceholder } from './check-path.ts'
import type { Reason } from './plan-answer.ts'

/** A path that would lose its content: deleted, changed, or no longer taken up (`let_go`). */
export interface Departure {
  path: string
  content: number
  why: Parting['why']
}

type MissingPath = Pick<ComparedFile, 'path' | 'content' | 'state' | 'is_evidence' | 'arrived_ms'>

/**
 * Compares one scan with the rows of the ledger: files that are missing, and files with other
 * bytes.
 */
export class FolderDepartures {
  readonly #folder: FolderConfig
  readonly #rowAt: (path?: string) => ComparedFile | undefined
  readonly missing: MissingPath[] = []
  readonly #changed: Departure[] = []
  evidence_met = 0
  /** Skipped files that the ledger knows: they must not hide a loss. */
  skipped_met = 0

  constructor(folder: FolderConfig, rows: Iterator<ComparedFile, undefined>) {
    this.#folder = folder
    this.#rowAt = rowsBeside(rows, ({ path, content, state, is_evidence, arrived_ms }) =>
      this.missing.push({ path, content, state, is_evidence, arrived_ms }),
    )
  }

  /**
   * Number of missing files that show a loss, without those that the scan could not reach. `of`:
   * only those for which it is true.
   */
  lost(end: ScanEnd, of: (file: MissingPath) => boolean = () => true): number {
    const isOutOfReach = outOfReach(end)
    return this.missing.filter(
      (file) =>
        file.is_evidence && !(file.state === 'blocked' && isOutOfReach(file.path)) && of(file),
    ).length
  }

  /** Returns the row of a path. Paths must come in the order of the scan. */
  meet(path: string): ComparedFile | undefined {
    const row = this.#rowAt(path)
    if (row?.is_evidence) this.evidence_met += 1
    else if (row?.stage === 'skipped') this.skipped_met += 1
    return row
  }

  changes(path: string, content: number | undefined): void {
    if (content !== undefined) this.#changed.push({ path, content, why: 'changed' })
  }

  end(): void {
    this.#rowAt()
  }

  /**
   * True if no known path lies where the scan could not read: a file missing elsewhere may have
   * moved there. The ledger asks the same of a scan.
   */
  sawAllKnown(end: ScanEnd): boolean {
    if (end.unreadable_total > end.unreadable.length) return false
    const isOutOfReach = outOfReach(end)
    const hidden = new Set([...end.unreadable.map(({ path }) => path), ...end.other_mounts])
    return !this.missing.some(({ path }) => hidden.has(path) || isOutOfReach(path))
  }

  /**
   * Checks each missing path once more: it may be ignored now, or its directory unreadable.
   * `are_let_go`: the folder itself has moved, so no file counts as deleted.
   */
  all({ are_let_go }: { are_let_go: boolean }): Departure[] {
    const { path: root } = this.#folder
    const rules = createIgnoreRules(root, this.#folder)
    const departures = [...this.#changed]
    for (const { path, content } of this.missing) {
      if (content === undefined) continue
      const { kind } = checkPath(join(root, path))
      if (rules.verdict(path, 'file').ignored) departures.push({ path, content, why: 'let_go' })
      else if (kind !== 'file' && kind !== 'unreadable' && !hasPlaceholder(root, path))
        departures.push({ path, content, why: 'deleted' })
    }
    return are_let_go
      ? departures.map((departure) => ({ ...departure, why: 'let_go' }))
      : departures
  }
}

/**
 * Reads the ledger's rows of a folder in the byte order of a scan. The returned function gives the
 * row of a scanned path; a call without a path ends the scan. Rows that the scan passed over go to
 * `onMissing`.
 */
export function rowsBeside<Row extends { path: string }>(
  rows: Iterator<Row, undefined>,
  onMissing: (row: Row) => void,
) {
  let row = rows.next().value
  return (path?: string): Row | undefined => {
    while (
      row !== undefined &&
      (path === undefined || (row.path !== path && isBefore(row.path, path)))
    ) {
      onMissing(row)
      row = rows.next().value
    }
    if (row === undefined || row.path !== path) return undefined
    const found = row
    row = rows.next().value
    return found
  }
}

/** A scanned file that no rule ignores, with what the ledger knows about it. */
export interface ScannedFile extends FileToJudge {
  known: ComparedFile | undefined
}

/**
 * Returns how to collect what intake would know about each scanned file. Before the first start of
 * the daemon, `now_ms` stands for the time when the folder was set up.
 */
export function scannedFiles(
  folder: SkipSettings,
  ledger: { state: FolderView | undefined; comparison: ComparisonView | undefined; now_ms: number },
) {
  const { state, comparison, now_ms } = ledger
  const started_ms = state?.started_ms ?? now_ms
  const first_scan_done = state?.first_scan_ms !== undefined
  return (path: string, stat: FileStat, known: ComparedFile | undefined): ScannedFile => {
    // A file that `start` left out stays known while it is gone.
    const is_back = known === undefined && folder.start.kind !== 'all'
    const before = is_back ? comparison?.fileOrGone(folder.name, path) : known
    const history = { known: before, started_ms, first_scan_done }
    const moved_from_before_start =
      mayBeMoved(folder, stat, history) && comparison?.wasBeforeStart(folder.name, stat) === true
    return { folder, path, stat, known, history: { ...history, moved_from_before_start } }
  }
}

/**
 * Why a scanned file is not uploaded, as intake decides; undefined: it is, unless its bytes are
 * known.
 */
export function judge(file: ScannedFile): Reason | undefined {
  const { known, stat } = file
  return (
    skipReason(file) ??
    (known !== undefined && sameStat(known.stat, stat) ? standing(known) : undefined)
  )
}

function standing({ stage, state, reason }: ComparedFile): Reason | undefined {
  switch (stage) {
    case 'ready':
    case 'refused':
    case 'removed_on_service':
      return stage
    case 'settling':
    case 'waiting':
    case 'sending':
    case 'ingesting':
      return 'underway'
    case 'blocked':
      return state === 'present' ? 'type_refused' : (reason as BlockReason)
    // The setting that skipped it has changed since.
    case 'skipped':
    case 'gone':
      return undefined
  }
}
