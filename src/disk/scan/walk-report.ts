import { codeOf, messageOf } from '../../base/run/errors.ts'
import type { ScanSummary } from '../../domain/fact.ts'
import type { SpecialKind } from './directory-names.ts'
import type { Ignored } from './ignore.ts'

/** The results of a scan besides its files. */
export interface ScanEnd extends Omit<ScanSummary, 'missed' | 'odd_names' | 'special'> {
  /**
   * The walk reached its end, and the root stayed the same directory. Only then may an unlisted
   * file be gone. It may not if a path above it is in `unreadable` or `other_mounts`, or if
   * `unreadable_total` exceeds the length of its list.
   */
  complete: boolean
  /** Files and directories (with a `/`, not entered) whose names are not UTF-8; bytes as `\xff`. */
  odd_names: { escaped_path: string }[]
  special: { kind: SpecialKind; count: number }[]
}

/** Lists are for the operator: beyond this length, only the count is useful. */
const max_listed = 1_000

export type MeasuredTotal = Pick<
  ScanEnd,
  'files' | 'bytes' | 'special' | 'unreadable' | 'unreadable_total'
>

export function createMeasuredTotal() {
  const total = { files: 0, bytes: 0, unreadable: [] as ScanEnd['unreadable'], unreadable_total: 0 }
  const kinds = new Map<SpecialKind, number>()

  function special(kind: SpecialKind, count = 1): void {
    kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  }

  function add(more: MeasuredTotal): void {
    total.files += more.files
    total.bytes += more.bytes
    for (const { kind, count } of more.special) special(kind, count)
    for (const entry of more.unreadable) list(total.unreadable, entry)
    total.unreadable_total += more.unreadable_total
  }

  const summary = (): MeasuredTotal => ({
    ...total,
    special: [...kinds].map(([kind, count]) => ({ kind, count })),
  })

  return {
    special,
    add,
    summary,
    file(bytes: number): void {
      total.files += 1
      total.bytes += bytes
    },
    unreadable(path: string, error: unknown): void {
      total.unreadable_total += 1
      list(total.unreadable, { path, code: codeOf(error) ?? messageOf(error) })
    },
    /** The whole result of a scan: `end` of its walk, plus the counts of the checked files here. */
    with(end: ScanEnd): ScanEnd {
      const whole = createMeasuredTotal()
      whole.add(end)
      whole.add(summary())
      return { ...end, ...whole.summary() }
    },
  }
}

/** Adds an item. False: the list is full. */
function list<Item>(items: Item[], item: Item): boolean {
  return items.length < max_listed && items.push(item) > 0
}

export function createWalkReport() {
  const { special, unreadable, summary } = createMeasuredTotal()
  const ignored = new Map<Ignored, number>()
  const odd_names: ScanEnd['odd_names'] = []
  const other_mounts: ScanEnd['other_mounts'] = []
  const narrower: ScanEnd['narrower'] = []
  const totals = { directories: 0, odd_names_total: 0, narrower_total: 0 }
  let mounts_beyond = false

  return {
    special,
    unreadable,
    directory(): void {
      totals.directories += 1
    },
    ignored(verdict: Ignored): void {
      const rule = ignored.has(verdict) || ignored.size < max_listed ? verdict : other_rules
      ignored.set(rule, (ignored.get(rule) ?? 0) + 1)
    },
    oddName(escaped_path: string): void {
      totals.odd_names_total += 1
      list(odd_names, { escaped_path })
    },
    otherMount(path: string): void {
      if (!list(other_mounts, path)) mounts_beyond = true
    },
    narrower(path: string, why: string): void {
      totals.narrower_total += 1
      list(narrower, { path, why })
    },
    /** Without files and bytes, because a walk only lists files. */
    end: (complete: boolean): ScanEnd => ({
      ...summary(),
      ...totals,
      odd_names,
      other_mounts,
      narrower,
      // An unlisted mount point would pass for a directory that became empty.
      complete: complete && !mounts_beyond,
      ignored: [...ignored].map(([{ rule, source, reason }, count]) => ({
        rule,
        source,
        reason,
        count,
      })),
    }),
  }
}

const other_rules: Ignored = {
  ignored: true,
  rule: '…',
  source: 'several',
  reason: 'ignored by further rules',
}

/** True for paths that a walk could not reach: another disk or an unreadable directory is above. */
export function outOfReach({ other_mounts, unreadable }: ScanEnd): (path: string) => boolean {
  const covers = new Set([...other_mounts, ...unreadable.map(({ path }) => path)])
  if (covers.size === 0) return () => false
  return (path) => {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (covers.has(path.slice(0, end))) return true
    }
    return false
  }
}
