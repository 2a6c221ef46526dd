import { join } from 'node:path'
import type { FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import type { ScanEnd } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import type { Parting } from '../../domain/removal.ts'
import { isBefore } from '../../ledger/path-order.ts'
import type { HoldingPath, RemovalCasesView } from '../../ledger/views/view-removal-cases.ts'
import { lookAt } from './look-at.ts'

/** A path that a pass would part from what it holds. */
export interface Departure {
  path: string
  content: number
  why: Parting['why']
}

/** Holds one walk against the paths that the ledger has there: what is missing, and what would hold other bytes. */
export class FolderDepartures {
  readonly #folder: FolderConfig
  readonly #rowAt: (path?: string) => HoldingPath | undefined
  readonly missing: HoldingPath[] = []
  readonly #changed: Departure[] = []
  #met = 0

  constructor(folder: FolderConfig, cases: RemovalCasesView) {
    this.#folder = folder
    this.#rowAt = rowsBeside(cases.paths(folder.name), (row) => this.missing.push(row))
  }

  get known_total(): number {
    return this.#met + this.missing.length
  }

  /** In the order of the walk. Answers what the path holds. */
  meet(path: string): number | undefined {
    const row = this.#rowAt(path)
    if (row) this.#met += 1
    return row?.content
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
    return this.missing.filter(({ path, is_blocked }) => is_blocked && isOutOfReach(path)).length
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
      const { kind } = lookAt(join(root, path))
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
