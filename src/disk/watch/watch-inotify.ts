import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { sharesBelow } from '../root/mounts.ts'
import type { OnlineRoot } from '../root/root.ts'
import { parentOf } from '../scan/directory-names.ts'
import { ignore_file_name } from '../scan/ignore-file.ts'
import {
  burst_reason,
  createWatchTrouble,
  type FolderWatcher,
  type Hint,
  heardEvent,
  hintAt,
  onFlood,
  root_removed,
  type StartingWatcher,
} from './watch-trouble.ts'
import { createTurns, createWatchedTree, statsOf } from './watched-tree.ts'

/** Joins the events of one save into one hint. Users do not notice the delay. */
const gather_ms = 20
/** Events on few paths are a burst, too: at 1,000 burst events, half the kernel's queue. */
const events_a_path = 8
const counting_links = ['ext4', 'xfs', 'tmpfs']

/** `root` has no links and no slash at its end. Error: `disk.not_watched`, as at the limit. */
export async function watchByInotify(
  root: string,
  options: StartingWatcher,
  at: OnlineRoot,
): Promise<FolderWatcher> {
  const { rules, burst_events, on_hint, signal } = options
  const takeTurns = createTurns()
  const ended = new AbortController()
  const refused = createWatchTrouble()
  /** Reported paths that are not checked yet; no more than a burst. */
  let touched = new Set<string>()
  let events = 0
  /** The queue that all watchers share may have overflowed. */
  let is_flooded = false
  let following: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let is_starting = true
  /** Why it must restart; undefined: it need not. */
  let stale: string | undefined

  const tree = createWatchedTree(root, {
    rules,
    device: at.device,
    counts_links: counting_links.includes(at.filesystem),
    takeTurns,
    on_touched(path) {
      heardEvent()
      events += 1
      if (touched.size < burst_events) touched.add(path)
      goOn()
    },
    on_error(error) {
      // All trouble of the start is reported at its end.
      if (refused.note(error) && !is_starting) hint({ kind: 'doubtful', reason: trouble()! })
    },
  })
  const trouble = () => stale ?? refused.text(() => tree.size() + refused.missing())
  const isIgnored = (path: string, kind: 'file' | 'directory') => rules.verdict(path, kind).ignored

  function end(): void {
    ended.abort()
    closing ??= tree.close()
  }

  async function close(): Promise<void> {
    signal?.removeEventListener('abort', end)
    end()
    await following
    await closing
  }

  function hint(hint: Hint): void {
    if (!ended.signal.aborted) on_hint(hint)
  }

  function endsBy(reason: string): void {
    if (stale === reason) return
    stale = reason
    hint({ kind: 'doubtful', reason })
  }

  function goOn(): void {
    following ??= follow().catch((error) =>
      endsBy(`the native watching ended: ${messageOf(error)}`),
    )
  }

  async function follow(): Promise<void> {
    while (touched.size > 0 || is_flooded) {
      await system_clock.sleep(gather_ms, ended.signal)
      if (ended.signal.aborted) return
      const paths = touched
      const is_burst =
        is_flooded || paths.size >= burst_events || events >= burst_events * events_a_path
      touched = new Set()
      events = 0
      is_flooded = false
      if (is_burst) await takeBurst()
      else await takeAll(paths)
    }
    following = undefined
  }

  async function takeAll(paths: ReadonlySet<string>): Promise<void> {
    for (const path of paths) {
      await takeTurns()
      if (ended.signal.aborted) return
      await take(path)
    }
  }

  /**
   * A scan finds the changes, but new directories must be watched before it. Not every path is
   * known, so any ignore file may have changed.
   */
  async function takeBurst(): Promise<void> {
    rules.forget('')
    checkRoot()
    await tree.sweep()
    hint({ kind: 'doubtful', reason: burst_reason })
  }

  async function take(path: string): Promise<void> {
    // A directory reports itself by its own name. For the root, no parent reports it.
    if (path === '' || path === basename(root)) checkRoot()
    if (path === '') hint({ kind: 'folder' })
    else if (basename(path) === ignore_file_name) await rulesChanged(parentOf(path))
    else await check(path)
  }

  async function check(path: string): Promise<void> {
    if (sharesBelow(root).covers(path)) return
    const stats = statsOf(join(root, path))
    if (stats?.isDirectory()) {
      await checkDirectory(path, stats)
      return
    }
    const was_directory = await tree.leave(path)
    if (stats === undefined || was_directory) gone(path)
    else if (!isIgnored(path, 'file')) hint({ kind: 'path', path })
  }

  async function checkDirectory(path: string, stats: BigIntStats): Promise<void> {
    // Permissions can decide whether it is ignored, and a moved directory brings its own rules.
    rules.forget(path)
    if (isIgnored(path, 'directory')) {
      // The check of this hint takes its files off the list.
      if (await tree.leave(path)) hint({ kind: 'directory', path })
      return
    }
    if (!tree.isWatched(path, stats)) {
      await tree.enter(path)
      // A file may have been here.
      hint({ kind: 'path', path })
    }
    hint({ kind: 'directory', path })
  }

  /** It may have been a directory, reported once without its contents: the hint covers both. */
  function gone(path: string): void {
    if (!isIgnored(path, 'file') || !isIgnored(path, 'directory')) hint({ kind: 'directory', path })
  }

  async function rulesChanged(directory: string): Promise<void> {
    rules.forget(directory)
    await tree.sweep()
    hint(hintAt(directory))
  }

  function checkRoot(): void {
    if (!tree.isRootWatched()) endsBy(root_removed)
  }

  onFlood(() => {
    is_flooded = true
    goOn()
  }, ended.signal)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  await tree.enter('')
  is_starting = false
  const reason = trouble()
  if (reason !== undefined) {
    await close()
    throw notWatched(root, reason)
  }
  return { close, trouble, watched: tree.size, isStale: () => stale !== undefined }
}

function notWatched(root: string, trouble: string): SluiceError {
  return new SluiceError({
    code: 'disk.not_watched',
    message: `${root} cannot be watched natively: ${trouble}`,
    hint: 'the kernel allows too few inotify watches: `sluice doctor` has the line for sysctl',
  })
}
