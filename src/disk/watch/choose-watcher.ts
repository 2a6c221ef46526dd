import { formatBytes, formatCount } from '../../base/text/format.ts'
import { raisedLimit } from './watch-trouble.ts'

/** `scan`: no watching; scans on a timer find changes. */
type WatcherKind = 'chokidar' | 'native' | 'scan'

export const native_fault =
  process.platform === 'linux' ? undefined : 'native watching is for Linux alone'

export interface WatchFacts {
  setting: 'auto' | WatcherKind
  /** From statfs(2), see filesystems.ts. `remote`: other hosts change it without an event here. */
  filesystem: string
  remote: boolean
  /** A share is mounted in it. chokidar would contact it, and wait for ever without its server. */
  share_below: boolean
  /** Entries that are not ignored; `is_lower_bound`: counting stopped at this number. */
  counted: { files: number; directories: number; is_lower_bound: boolean }
  inotify: {
    /** The limit that is reached first; its value is Infinity if there is none. */
    name: string
    value: number
    /** Watches of our other folders. */
    taken: number
  }
  free_memory_bytes: number
  /** Why native watching is impossible here now; undefined if it is possible. */
  native_fault: string | undefined
  /** Why its watcher, which missed changes, was given up; undefined: it was not, or long ago. */
  given_up: string | undefined
}

/** Fields of the section `watching`. */
export interface WatchShares {
  readonly chokidar_entries: number
  readonly inotify_percent: number
  readonly memory_percent: number
}

export interface WatchChoice {
  watcher: WatcherKind
  /** A reason for the operator, without the watcher's name. */
  reason: string
  /** Inotify watches that it needs. */
  watches: number
}

/** For users. The setting and the ledger have the short names. */
const words = { chokidar: 'a watch for each file', native: 'a watch for each folder' } as const

/** Measured above an idle process: 200 MB for 20,000 files, 870 MB for 100,000. */
const chokidar_entry_bytes = 9_000
/** Measured: 12 MB for 2,000 directories, whatever they hold. */
const native_directory_bytes = 6_000

/**
 * chokidar reports changes soonest and most exactly, but takes a watch and much memory for each
 * file. Native watching takes one watch a directory. If neither fits, scans find the changes.
 */
export function chooseWatcher(facts: WatchFacts, shares: WatchShares): WatchChoice {
  const { setting, filesystem, remote, given_up } = facts
  if (setting === 'scan') return scanned('watch: scan in the configuration')
  if (given_up !== undefined) return scanned(given_up)
  const is_possible =
    setting === 'chokidar'
      ? !facts.share_below
      : setting === 'native' && facts.native_fault === undefined
  if (setting !== 'auto' && is_possible)
    return watched(setting, facts, `watch: ${setting} in the configuration`)
  if (remote) return scanned(`${filesystem}: what other machines change there gives no event here`)
  return bySize(facts, shares)
}

function bySize(facts: WatchFacts, shares: WatchShares): WatchChoice {
  const text = countText(facts)
  const against_chokidar = whyNot('chokidar', facts, shares)
  const against_native = facts.native_fault ?? whyNot('native', facts, shares)
  const takes_chokidar = against_chokidar === undefined && !facts.counted.is_lower_bound
  if (takes_chokidar && entriesOf(facts) <= shares.chokidar_entries)
    return watched('chokidar', facts, text)
  if (against_native === undefined) {
    const slow = `${words.chokidar} is for up to ${formatCount(shares.chokidar_entries)} files and folders`
    return watched('native', facts, `${text}, ${against_chokidar ?? slow}`)
  }
  // It starts slowly with so many, but is better than a timer.
  if (takes_chokidar) return watched('chokidar', facts, `${text}; ${against_native}`)
  const reasons = [against_chokidar, against_native].filter((reason) => reason !== undefined)
  return scanned(`${text}, ${reasons.join('; ')}${raiseAdvice(facts)}`)
}

function scanned(reason: string): WatchChoice {
  return { watcher: 'scan', reason, watches: 0 }
}

function watched(watcher: 'chokidar' | 'native', facts: WatchFacts, reason: string): WatchChoice {
  return { watcher, reason, watches: watchesOf(watcher, facts) }
}

function whyNot(
  watcher: 'chokidar' | 'native',
  facts: WatchFacts,
  shares: WatchShares,
): string | undefined {
  if (watcher === 'chokidar' && facts.share_below)
    return `a share is mounted in it, which ${words.chokidar} would ask`
  const { name, value, taken } = facts.inotify
  const watches = watchesOf(watcher, facts)
  if (watches + taken > value * (shares.inotify_percent / 100)) {
    const others = taken > 0 ? ` (other folders take ${formatCount(taken)})` : ''
    return `${words[watcher]} would take ${formatCount(watches)} inotify watches of ${formatCount(value)}${others}, by ${name}`
  }
  const bytes =
    watcher === 'chokidar'
      ? entriesOf(facts) * chokidar_entry_bytes
      : facts.counted.directories * native_directory_bytes
  if (bytes > facts.free_memory_bytes * (shares.memory_percent / 100)) {
    return `${words[watcher]} would take ${formatBytes(bytes)} of ${formatBytes(facts.free_memory_bytes)} free memory`
  }
  return undefined
}

function raiseAdvice({ inotify, counted, native_fault }: WatchFacts): string {
  const { name, value, taken } = inotify
  const needed =
    (native_fault === undefined ? counted.directories : counted.files + counted.directories) + taken
  return needed <= value
    ? ''
    : `; to have it watched: sysctl -w ${name}=${raisedLimit(value, needed)}`
}

function watchesOf(watcher: 'chokidar' | 'native', facts: WatchFacts): number {
  return watcher === 'chokidar' ? entriesOf(facts) : facts.counted.directories
}

function entriesOf({ counted }: WatchFacts): number {
  return counted.files + counted.directories
}

function countText({ counted }: WatchFacts): string {
  const { files, is_lower_bound } = counted
  return `${is_lower_bound ? 'more than ' : ''}${formatCount(files)} ${files === 1 ? 'file' : 'files'}`
}
