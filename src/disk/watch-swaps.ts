import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { codeOf } from '../base/errors.ts'
import { second_ms, system_clock } from '../base/time.ts'

export interface SwapOptions {
  /** Of this nothing is asked. */
  isLeft: (path: string) => boolean
  isIgnored: (path: string, stats: Stats) => boolean
  /** More changed at once than are looked at. */
  on_too_many: () => void
}

/** chokidar drops a second event for a path that comes within 100 ms, and reads a directory again within a second. */
const settle_ms = second_ms
/** Some megabytes of paths. */
const most_paths = 20_000

/**
 * Where a directory is replaced by a file or by another directory, and the other way round, chokidar may go on watching what is
 * gone, or nothing, and hears no more of the path. So every path of which the kernel told is looked at once more when it has come
 * to rest: where chokidar holds something else than what stands there, it is made to forget that and to take the path anew,
 * which it tells as any other that comes. Must be called before the watcher is given its first path.
 */
export function mendSwaps(watcher: FSWatcher, options: SwapOptions): void {
  const add = watcher.add.bind(watcher)
  const identities = rememberDirectories(watcher)
  const closed = new AbortController()
  let told = new Set<string>()
  let is_following = false

  const close = watcher.close.bind(watcher)
  watcher.close = () => {
    closed.abort()
    return close()
  }

  watcher.on('raw', (event, name, details) => {
    const path = watchedPath(details)
    if (event !== 'rename' || path === undefined) return
    if (name && !options.isLeft(join(path, name))) told.add(join(path, name))
    // So it tells of itself, too.
    if (!name || name === basename(path)) told.add(path)
    if (!is_following) void follow()
  })

  async function follow(): Promise<void> {
    is_following = true
    let mended = new Set<string>()
    while (told.size > 0 && !closed.signal.aborted) {
      await system_clock.sleep(settle_ms, closed.signal)
      const paths = [...told].sort()
      told = new Set()
      const before = mended
      mended = new Set()
      if (paths.length > most_paths) options.on_too_many()
      // Those above come first: what is below one that is taken anew comes with it.
      else for (const path of paths) if (await mend(path)) mended.add(path)
      // chokidar may have dropped that, too; what it cannot take at all is not asked of it for ever.
      for (const path of mended) if (!before.has(path)) told.add(path)
    }
    is_following = false
  }

  /** True when there was something to mend. */
  async function mend(path: string): Promise<boolean> {
    const stats = await statsOf(path)
    const siblings = watcher._watched.get(dirname(path))
    if (watcher.closed || siblings === undefined) return false
    const held = heldAs(path, siblings.has(basename(path)) === true)
    const stands = kindOf(path, stats)
    const is_same = stands !== 'directory' || identities.get(path) === identityOf(stats!)
    if (held === stands && is_same) return false
    if (held !== 'nothing') watcher._remove(dirname(path), basename(path), held === 'directory')
    if (stands !== 'nothing') add(path, undefined, true)
    return true
  }

  function heldAs(path: string, is_held: boolean) {
    if (!is_held) return 'nothing'
    return watcher._watched.has(path) ? 'directory' : 'file'
  }

  function kindOf(path: string, stats: Stats | undefined) {
    if (stats === undefined || options.isIgnored(path, stats)) return 'nothing'
    return stats.isDirectory() ? 'directory' : 'file'
  }
}

/** Of a raw event of chokidar's. */
export function watchedPath(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return undefined
  return typeof details.watchedPath === 'string' ? details.watchedPath : undefined
}

/** Which directory is watched under a path: never one that came later than what is remembered. */
function rememberDirectories(watcher: FSWatcher): ReadonlyMap<string, string> {
  const identities = new Map<string, string>()
  const handler = watcher._nodeFsHandler
  const handle = handler._handleDir.bind(handler)
  handler._handleDir = (...given) => {
    identities.set(given[0], identityOf(given[1]))
    return handle(...given)
  }
  watcher.on('unlinkDir', (path) => identities.delete(path))
  return identities
}

/** With the time of birth: the number of a directory that is gone is given to the next one at once. */
function identityOf({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
