import { join } from 'node:path'
import type { FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import type { ScanEnd } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import type { Parting } from '../../domain/removal.ts'
import { isBefore } from '../../ledger/path-order.ts'
import type { ComparedFile } from '../../ledger/views/view-comparison.ts'
import { checkPath } from './check-path.ts'

/** A path that a pass would part from what it holds. */
export interface Departure {
  path: string
  content: number
  why: Parting['why']
}

type MissingPath = Pick<ComparedFile, 'path' | 'content' | 'state'>

/** Compares one walk with the ledger's rows of the folder: what is missing, and what would hold other bytes. */
export class FolderDepartures {
  readonly #folder: FolderConfig
  readonly #rowAt: (path?: string) => ComparedFile | undefined
  readonly missing: MissingPath[] = []
  readonly #changed: Departure[] = []
  #met = 0

  constructor(folder: FolderConfig, rows: Iterator<ComparedFile, undefined>) {
    this.#folder = folder
    this.#rowAt = rowsBeside(rows, ({ path, content, state }) => this.missing.push({ path, content, state }))
  }

  get known_total(): number {
    return this.#met + this.missing.length
  }

  /** Answers the row of a path; the paths come in the order of the walk. */
  meet(path: string): ComparedFile | undefined {
    const row = this.#rowAt(path)
    if (row) this.#met += 1
    return row
  }

  changes(path: string, content: number | undefined): void {
    if (content !== undefined) this.#changed.push({ path, content, why: 'changed' })
  }

  end(): void {
    this.#rowAt()
  }

  /** What is missing, was blocked before, and is below what the walk could not get to: that is no news. */
  outOfReach(end: ScanEnd): number {
    const isOutOfReach = outOfReach(end)
    return this.missing.filter(({ path, state }) => state === 'blocked' && isOutOfReach(path)).length
  }

  /** Whether nothing known lies where the walk could not look: what is missing elsewhere may have moved there. As the ledger asks of a scan. */
  sawAllKnown(end: ScanEnd): boolean {
    if (end.unreadable_total > end.unreadable.length) return false
    const isOutOfReach = outOfReach(end)
    const hidden = new Set([...end.unreadable.map(({ path }) => path), ...end.other_mounts])
    return !this.missing.some(({ path }) => hidden.has(path) || isOutOfReach(path))
  }

  /** A single look tells what is gone from what is ignored by now, or cannot be looked at. */
  all({ are_let_go }: { are_let_go: boolean }): Departure[] {
    const { path: root } = this.#folder
    const rules = createIgnoreRules(root, this.#folder)
    const departures = [...this.#changed]
    for (const { path, content } of this.missing) {
      if (content === undefined) continue
      const { kind } = checkPath(join(root, path))
      if (rules.verdict(path, 'file').ignored) departures.push({ path, content, why: 'let_go' })
      else if (kind !== 'file' && kind !== 'unreadable') departures.push({ path, content, why: 'deleted' })
    }
    return are_let_go ? departures.map((departure) => ({ ...departure, why: 'let_go' })) : departures
  }
}

/**
 * Reads the ledger's rows of a folder beside a walk through it, both in byte order. Answers the row of a path that the walk
 * met, and the end of the walk is told without a path; rows before it are of files that the walk did not meet.
 */
export function rowsBeside<Row extends { path: string }>(
  rows: Iterator<Row, undefined>,
  onMissing: (row: Row) => void,
) {
  let row = rows.next().value
  return (path?: string): Row | undefined => {
    while (row !== undefined && (path === undefined || (row.path !== path && isBefore(row.path, path)))) {
      onMissing(row)
      row = rows.next().value
    }
    if (row === undefined || row.path !== path) return undefined
    const found = row
    row = rows.next().value
    return found
  }
}
