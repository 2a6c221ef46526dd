import { minute_ms, second_ms, system_clock } from '../../base/time/time.ts'
import { sharesBelow } from '../root/mounts.ts'
import { type ChokidarEvents, createChokidarEvents, type WatchListener } from './watch-events.ts'
import {
  createWatchTrouble,
  type FolderWatcher,
  type Hint,
  hintAt,
  root_removed,
  type StartingWatcher,
} from './watch-trouble.ts'

/** Rests between starts: each start closes everything and reads the whole tree. */
const rests = { first_ms: 2 * second_ms, max_ms: minute_ms }
const resting =
  'a .sluiceignore or a directory is replaced again and again: what stands there by now is not watched yet'
const stalled = 'the watcher does not come to the end of reading it: not all of it is watched'

/** Uses one inotify watch per file and directory. `root` has no links and no slash at its end. */
export async function watchByChokidar(
  root: string,
  options: StartingWatcher,
): Promise<FolderWatcher> {
  const { rules, signal, clock = system_clock } = options
  const stop = new AbortController()
  /** There are directories that the current chokidar does not watch. */
  let is_incomplete = false
  let trouble = createWatchTrouble()
  let current: ChokidarEvents | undefined
  let starting: Promise<void> | undefined
  let is_resting = false
  /** Rest before the next start, if that comes soon after the last one. */
  let rest_ms = 0
  let started_ms = Number.NEGATIVE_INFINITY
  let removed = false

  const needed = () => current?.watches() ?? 0
  const isStalled = () => starting === undefined && current?.isWhole() === false
  const describeTrouble = () => {
    if (removed) return root_removed
    const parts = [
      trouble.text(needed),
      isStalled() ? stalled : undefined,
      is_resting ? resting : undefined,
    ]
    return parts.filter((part) => part !== undefined).join('; ') || undefined
  }

  function hint(hint: Hint): void {
    if (!stop.signal.aborted) options.on_hint(hint)
  }

  function reportTrouble(): void {
    const reason = describeTrouble()
    if (reason !== undefined) hint({ kind: 'doubtful', reason })
  }

  function replace(directory: string): void {
    is_incomplete = true
    hint(hintAt(directory))
    starting ??= startAgain()
  }

  const listener: WatchListener = {
    hint,
    rootRemoved() {
      removed = true
      reportTrouble()
    },
    failed(error) {
      // During a start, the needed watches are not all counted yet. Its end reports the trouble.
      if (trouble.note(error) && (starting === undefined || is_resting)) reportTrouble()
    },
    rulesChanged(directory) {
      rules.forget(directory)
      replace(directory)
    },
    replaced: replace,
  }

  async function rest(): Promise<void> {
    const since_ms = clock.monotonic_ms() - started_ms
    if (since_ms >= rests.max_ms) rest_ms = 0
    is_resting = true
    if (since_ms < rest_ms) await clock.sleep(rest_ms - since_ms, stop.signal)
    is_resting = false
    rest_ms = Math.min(rests.max_ms, Math.max(rests.first_ms, 2 * rest_ms))
  }

  /**
   * chokidar does not enter paths that were ignored at its start, so a new one replaces it. The old
   * one closes first: all in this process share the watch of a path, even of a deleted one.
   */
  async function startAgain(): Promise<void> {
    do {
      const is_first = current === undefined
      if (!is_first) await rest()
      if (stop.signal.aborted && !is_first) break
      is_incomplete = false
      // If it closed in the middle of its work, it would begin watches that never end.
      await new Promise((resolve) => setImmediate(resolve))
      await current?.close()
      trouble = createWatchTrouble()
      current = createChokidarEvents(root, rules, listener, options.burst_events)
      await current.start(stop.signal)
      started_ms = clock.monotonic_ms()
      // No hint reported the changes during the restart.
      if (!is_first) hint({ kind: 'folder' })
    } while (is_incomplete && !stop.signal.aborted)
    starting = undefined
    reportTrouble()
  }

  const forward = () => stop.abort()
  signal?.addEventListener('abort', forward)
  if (signal?.aborted) stop.abort()
  starting = startAgain()
  await starting

  return {
    watched: () => needed() - trouble.missing(),
    trouble: describeTrouble,
    // chokidar would contact the share: another watcher is chosen.
    isStale: () => removed || sharesBelow(root).is_any,
    async close() {
      signal?.removeEventListener('abort', forward)
      stop.abort()
      await starting
      await current?.close()
    },
  }
}
