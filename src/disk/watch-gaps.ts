import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { codeOf } from '../base/errors.ts'

/** Of an entry, or of the directory itself, which is none any more: its parent tells. */
const gone_codes = ['ENOENT', 'ENOTDIR']

/**
 * chokidar reads a directory first and watches it then. What is made in between it does not see: a file once, a directory with all
 * that comes into it from then on. So each time it is done with all that it had found, what is new to it is read once more, and what it did not see
 * is given to it. Must be called before the watcher is given its first path; `isIgnored` is told absolute paths of directories.
 */
export function closeGaps(watcher: FSWatcher, isIgnored: (directory: string) => boolean): void {
  const handler = watcher._nodeFsHandler
  const take = handler._addToNodeFs.bind(handler)
  const add = watcher.add.bind(watcher)
  const fresh = new Set<string>()
  let being_taken = 0
  let checking = false

  handler._addToNodeFs = async (...given) => {
    being_taken += 1
    try {
      return await take(...given)
    } finally {
      being_taken -= 1
      const path = resolve(given[0])
      if (watcher._watched.has(path)) fresh.add(path)
      if (being_taken === 0 && !checking) void check()
    }
  }

  async function check(): Promise<void> {
    checking = true
    for (const directory of fresh) {
      if (watcher.closed || being_taken > 0) break
      fresh.delete(directory)
      for (const path of await unseenIn(directory)) {
        // Told as any other that comes, with all that is in it.
        if (!watcher.closed) add(path, undefined, true)
      }
    }
    checking = false
  }

  async function unseenIn(directory: string): Promise<string[]> {
    const entries = await entriesOf(directory)
    const seen = watcher._watched.get(directory)
    if (seen === undefined) return []
    const unseen: string[] = []
    for (const entry of entries) {
      if (!isUtf8(entry.name) || !(entry.isFile() || entry.isDirectory())) continue
      const name = entry.name.toString('utf8')
      const path = join(directory, name)
      if (!seen.has(name) && !(entry.isDirectory() && isIgnored(path))) unseen.push(path)
    }
    return unseen
  }
}

/**
 * chokidar waits for the end of each directory's list, and lets go of what it held there and the list does not name. So a list that
 * fails (a bad sector, a path longer than the system takes, no descriptor left) goes on with what can be read, ends in any case, and names
 * what is held besides: what is really gone tells of itself. The error is told. Links, which are never followed, are not
 * followed here either: one that leads nowhere fails in more ways than the list takes.
 */
export function endFailedLists(watcher: FSWatcher): void {
  const list = watcher._readdirp.bind(watcher)
  watcher._readdirp = (...given) => {
    const stream = list(...given)
    if (stream === undefined) return stream
    let is_whole = true
    stream._getSymlinkEntryType = async () => ''
    stream._onError = (error) => {
      if (gone_codes.includes(codeOf(error) ?? '')) return
      is_whole = false
      watcher._handleError(error)
    }
    stream.once('end', () => {
      if (is_whole) return
      for (const path of watcher._watched.get(resolve(given[0]))?.getChildren() ?? []) {
        stream.emit('data', { path, stats: { isSymbolicLink: () => false } })
      }
    })
    stream.once('error', () => {
      is_whole = false
      stream.emit('end')
    })
    return stream
  }
}

/** chokidar asks for the state of each entry of a directory. Of these, told by absolute path, it asks nothing. */
export function passOver(watcher: FSWatcher, isLeft: (path: string) => boolean): void {
  const list = watcher._readdirp.bind(watcher)
  watcher._readdirp = (...given) => {
    const stream = list(...given)
    if (stream === undefined) return stream
    const ask = stream._formatEntry.bind(stream)
    stream._formatEntry = (entry, directory) => {
      const name = typeof entry === 'string' ? entry : entry.name
      return isLeft(join(directory, name)) ? Promise.resolve(undefined) : ask(entry, directory)
    }
    return stream
  }
}

/** None where it is gone or cannot be read. */
async function entriesOf(directory: string): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(directory, { withFileTypes: true, encoding: 'buffer' })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}
