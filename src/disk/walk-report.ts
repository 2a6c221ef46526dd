import { codeOf, messageOf } from '../base/errors.ts'
import type { SpecialKind } from './entry.ts'
import type { Ignored } from './ignore.ts'

/** What a scan says besides the files themselves. */
export interface ScanEnd {
  /**
   * The walk came to its end and the root stayed the same directory. Only then is a file that was not listed a file that may
   * be gone, and even then not below a path in `unreadable` or `other_mounts`, nor at all when `unreadable_total` is larger
   * than that list is long.
   */
  complete: boolean
  /** Files in the batches. */
  files: number
  /** Directories that were read, the root among them. */
  directories: number
  /** Sizes of the files in the batches. */
  bytes: number
  /** Files and directories by the rule that ignores them; what is in an ignored directory is not counted. */
  ignored: { rule: string; source: string; reason: string; count: number }[]
  /** Files and directories (these with a `/`, not entered) whose names are not UTF-8; bytes written as `\xff`. */
  odd_names: { escaped_path: string }[]
  odd_names_total: number
  special: { kind: SpecialKind; count: number }[]
  unreadable: { path: string; code: string }[]
  unreadable_total: number
  /** Directories on which another filesystem is mounted; not entered. */
  other_mounts: string[]
  /** The topmost directories that fewer people can read than the root, and why (narrower.ts). */
  narrower: { path: string; why: string }[]
  narrower_total: number
}

/** Lists are for people: beyond this many only their number says something new. */
const most_listed = 1_000

export interface WalkReport {
  directory(): void
  ignored(verdict: Ignored): void
  oddName(escaped_path: string): void
  special(kind: SpecialKind): void
  unreadable(path: string, error: unknown): void
  otherMount(path: string): void
  narrower(path: string, why: string): void
  end(complete: boolean): WalkEnd
}

/** What the walk alone knows: the files are only named by it. */
export type WalkEnd = Omit<ScanEnd, 'files' | 'bytes'>

/** What looking at the named files found. */
export interface MeasuredTotal {
  files: number
  bytes: number
  special: ScanEnd['special']
  unreadable: ScanEnd['unreadable']
  unreadable_total: number
}

export function createMeasuredTotal() {
  const total = { files: 0, bytes: 0, unreadable: [] as ScanEnd['unreadable'], unreadable_total: 0 }
  const special = new Map<SpecialKind, number>()
  return {
    file(bytes: number): void {
      total.files += 1
      total.bytes += bytes
    },
    special(kind: SpecialKind, count = 1): void {
      special.set(kind, (special.get(kind) ?? 0) + count)
    },
    unreadable(path: string, code: string): void {
      total.unreadable_total += 1
      if (total.unreadable.length < most_listed) total.unreadable.push({ path, code })
    },
    add(more: MeasuredTotal): void {
      total.files += more.files
      total.bytes += more.bytes
      for (const { kind, count } of more.special) this.special(kind, count)
      for (const { path, code } of more.unreadable) this.unreadable(path, code)
      total.unreadable_total += more.unreadable_total - more.unreadable.length
    },
    told: (): MeasuredTotal => ({ ...total, special: [...special].map(([kind, count]) => ({ kind, count })) }),
    /** The whole of a scan: what its walk says and what is gathered here. */
    with(end: WalkEnd): ScanEnd {
      for (const { kind, count } of end.special) this.special(kind, count)
      const { special: kinds, files, bytes } = this.told()
      const unreadable = [...end.unreadable, ...total.unreadable].slice(0, most_listed)
      const unreadable_total = end.unreadable_total + total.unreadable_total
      return { ...end, files, bytes, special: kinds, unreadable, unreadable_total }
    },
  }
}

export function createWalkReport(): WalkReport {
  const ignored = new Map<Ignored, number>()
  const special = new Map<SpecialKind, number>()
  const lists: Pick<ScanEnd, 'odd_names' | 'unreadable' | 'other_mounts' | 'narrower'> = {
    odd_names: [],
    unreadable: [],
    other_mounts: [],
    narrower: [],
  }
  const totals = { directories: 0, odd_names_total: 0, unreadable_total: 0, narrower_total: 0 }
  let mounts_beyond = false

  return {
    directory() {
      totals.directories += 1
    },
    ignored(verdict) {
      const rule = ignored.has(verdict) || ignored.size < most_listed ? verdict : other_rules
      ignored.set(rule, (ignored.get(rule) ?? 0) + 1)
    },
    oddName(escaped_path) {
      totals.odd_names_total += 1
      if (lists.odd_names.length < most_listed) lists.odd_names.push({ escaped_path })
    },
    special(kind) {
      special.set(kind, (special.get(kind) ?? 0) + 1)
    },
    unreadable(path, error) {
      totals.unreadable_total += 1
      const code = codeOf(error) ?? messageOf(error)
      if (lists.unreadable.length < most_listed) lists.unreadable.push({ path, code })
    },
    otherMount(path) {
      if (lists.other_mounts.length < most_listed) lists.other_mounts.push(path)
      else mounts_beyond = true
    },
    narrower(path, why) {
      totals.narrower_total += 1
      if (lists.narrower.length < most_listed) lists.narrower.push({ path, why })
    },
    end: (complete) => ({
      // A mount point that is not listed could not be told from a directory that became empty.
      complete: complete && !mounts_beyond,
      ...totals,
      ...lists,
      ignored: [...ignored].map(([{ rule, source, reason }, count]) => ({ rule, source, reason, count })),
      special: [...special].map(([kind, count]) => ({ kind, count })),
    }),
  }
}

const other_rules: Ignored = { ignored: true, rule: '…', source: 'several', reason: 'ignored by further rules' }

/** Whether a walk could not get to this path: another disk covers a directory above it, or one could not be read. */
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
