import { lstatSync, readdirSync, type Stats, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf, messageOf, SluiceError } from '../base/errors.ts'
import { second_ms } from '../base/time.ts'
import type { IgnoreRules } from './ignore.ts'
import { ignore_file_name } from './ignore-file.ts'
import { countInotifyWatches } from './inotify-limits.ts'
import { burst_reason, type Hint, hintAt, parentOf, root_removed } from './watch-hint.ts'
import { type NativeEvent, subscribeNative, type Unsubscribe } from './watch-native.ts'
import { createWatchTrouble } from './watch-trouble.ts'
import type { FolderWatcher, StartingWatcher } from './watcher.ts'

/**
 * Watches by @parcel/watcher, where there is no inotify (watch-inotify.ts). `root` has no links in it and no slash at its end.
 * Errors: `disk.not_watched`.
 */
export async function watchByDirectories(root: string, options: StartingWatcher): Promise<FolderWatcher> {
  const watcher = new DirectoryWatcher(root, options)
  await watcher.start()
  return watcher
}

const made_at_once = 'folders were made inside a new one before it could be watched'
const moved = 'a folder was moved inside: what happens in it is told under its old name'
/** More are not worth it: each is compared with each path that it meets. */
const most_ignored = 200

class DirectoryWatcher implements FolderWatcher {
  readonly #root: string
  readonly #options: StartingWatcher
  readonly #trouble = createWatchTrouble()
  #unsubscribe: Unsubscribe | undefined
  #ignored = ''
  /** Why it must be started anew. */
  #stale: string | undefined
  #closed = false
  #deletes_before = false

  constructor(root: string, options: StartingWatcher) {
    this.#root = root
    this.#options = options
  }

  async start(): Promise<void> {
    const ignore = ignoredAtTop(this.#root, this.#options.rules)
    this.#ignored = ignore.join('\n')
    try {
      this.#unsubscribe = await subscribeNative(this.#root, {
        ignore,
        on_events: (events) => this.#take(events),
        on_error: (error) => this.#endsBy(`the native watching ended: ${messageOf(error)}`),
      })
    } catch (error) {
      throw notWatched(this.#root, error)
    }
  }

  watched(): number {
    return countInotifyWatches()
  }

  trouble(): string | undefined {
    return this.#stale ?? this.#trouble.text(() => countInotifyWatches() + 1)
  }

  isStale(): boolean {
    return this.#stale !== undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    const unsubscribe = this.#unsubscribe
    this.#unsubscribe = undefined
    await unsubscribe?.()
  }

  #hint(hint: Hint): void {
    if (!this.#closed) this.#options.on_hint(hint)
  }

  #endsBy(reason: string): void {
    const is_told = this.#stale === reason
    this.#stale = reason
    if (!is_told) this.#hint({ kind: 'doubtful', reason })
  }

  #take(events: readonly NativeEvent[]): void {
    const is_burst = events.length >= this.#options.burst_events
    // The scan finds what they are about; a look at each would hold up everything else.
    if (is_burst) this.#hint({ kind: 'doubtful', reason: burst_reason })
    const deletes = events.some(({ type }) => type === 'delete')
    const may_be_moves = deletes || this.#deletes_before
    this.#deletes_before = deletes
    let new_directory: string | undefined
    for (const { path: absolute, type } of events) {
      const path = absolute.slice(this.#root.length + 1)
      if (path === '') {
        if (type === 'delete') this.#endsBy(root_removed)
        else this.#hint({ kind: 'folder' })
      } else if (basename(path) === ignore_file_name) this.#rulesChanged(parentOf(path))
      else if (is_burst) continue
      else if (path.includes('\uFFFD')) this.#hint(hintAt(parentOf(path)))
      else if (type === 'delete') this.#gone(path)
      else if (this.#changed(absolute, path, { is_new: type === 'create', may_be_moves })) new_directory = absolute
    }
    if (new_directory !== undefined) this.#checkLimit(new_directory)
  }

  /** A directory that was moved away is told of once, without what was in it: the hint covers both. */
  #gone(path: string): void {
    if (!this.#isIgnored(path, 'file') || !this.#isIgnored(path, 'directory')) this.#hint({ kind: 'directory', path })
  }

  /** True for a new directory. */
  #changed(
    absolute: string,
    path: string,
    { is_new, may_be_moves }: { is_new: boolean; may_be_moves: boolean },
  ): boolean {
    const stats = statsOf(absolute)
    if (stats === undefined) {
      this.#gone(path)
      // Not only the file is missing: its directory has another name by now, or went as well.
      if (statsOf(parentOf(absolute)) === undefined) this.#endsBy(moved)
      return false
    }
    if (!stats.isDirectory()) {
      if (!this.#isIgnored(path, 'file')) this.#hint({ kind: 'path', path })
      return false
    }
    // Who may read it can decide whether it is ignored, and a moved one brings rules of its own.
    this.#options.rules.forget(path)
    if (this.#isIgnored(path, 'directory')) return false
    this.#hint({ kind: 'directory', path })
    if (is_new && may_be_moves && isOlder(stats)) this.#endsBy(moved)
    else if (is_new && hasDirectories(absolute)) this.#endsBy(made_at_once)
    return is_new
  }

  #rulesChanged(directory: string): void {
    this.#options.rules.forget(directory)
    this.#hint(hintAt(directory))
    if (ignoredAtTop(this.#root, this.#options.rules).join('\n') !== this.#ignored) {
      this.#endsBy('what is ignored has changed')
    }
  }

  /** At the limit it leaves a new directory out without a word; another watch of ours then fails as well, and says so. */
  #checkLimit(directory: string): void {
    try {
      watch(directory, { persistent: false }).close()
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EMFILE') return
      if (this.#trouble.note(error)) this.#hint({ kind: 'doubtful', reason: this.trouble()! })
    }
  }

  #isIgnored(path: string, kind: 'file' | 'directory'): boolean {
    return this.#options.rules.verdict(path, kind).ignored
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** A directory that came by a move was there before. Where no time of birth is kept: a move changes the ctime alone. */
function isOlder({ birthtimeMs, ctimeMs, mtimeMs }: Stats): boolean {
  return birthtimeMs > 0 ? ctimeMs - birthtimeMs > second_ms : ctimeMs > mtimeMs
}

/** One that was made before its parent got its watch has none, and nobody says so. */
function hasDirectories(path: string): boolean {
  try {
    return readdirSync(path, { withFileTypes: true }).some((entry) => entry.isDirectory())
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}

/** Directories right below the root that the rules leave out, `node_modules` and the like: they need no watches. */
function ignoredAtTop(root: string, rules: IgnoreRules): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && rules.verdict(entry.name, 'directory').ignored)
    .map(({ name }) => join(root, name))
    .filter(isPlain)
    .slice(0, most_ignored)
}

/** It takes others for patterns. */
function isPlain(path: string): boolean {
  return !/[*?[\]{}()!+@|\\]/.test(path) && !path.includes('\uFFFD')
}

function notWatched(root: string, cause: unknown): SluiceError {
  const is_full = /No space left on device/.test(messageOf(cause))
  const hint = is_full
    ? 'the kernel allows too few inotify watches: `sluice doctor` has the line for sysctl'
    : undefined
  return new SluiceError({
    code: 'disk.not_watched',
    message: `${root} cannot be watched natively: ${messageOf(cause)}`,
    hint,
    cause,
  })
}
