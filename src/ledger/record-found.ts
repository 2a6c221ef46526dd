import type { FilesFound } from '../domain/fact.ts'
import type { FileRows } from './file-rows.ts'
import type { FolderRows } from './folder-rows.ts'
import type { FileRecorder, Settled } from './record-file.ts'

/** Applies what a scan found where nobody had looked: as many single files, but that nobody has to be asked for each of them. */
export class FoundRecorder {
  readonly #folders: FolderRows
  readonly #files: FileRows
  readonly #recorder: FileRecorder

  constructor(parts: { folders: FolderRows; files: FileRows; recorder: FileRecorder }) {
    this.#folders = parts.folders
    this.#files = parts.files
    this.#recorder = parts.recorder
  }

  apply(found: FilesFound, at_ms: number): void {
    const folder = this.#folders.named(found.folder)
    // Away by now: the scan that follows its return finds them once more.
    if (!folder || folder.offline_reason !== undefined || found.ends.length === 0) return
    const files = filesOf(found)
    const rows = this.#files.between(folder.id, files.path(0), files.path(found.ends.length - 1))
    for (let index = 0; index < found.ends.length; index++) {
      const file = files.file(index)
      const row = rows.size === 0 ? undefined : rows.get(file.path)
      if (row === undefined || row.state === 'gone') this.#recorder.settle(folder, row, file, at_ms)
    }
  }
}

/** One at a time: thousands of objects that are made together outlive the room for those that soon go. */
function filesOf({ names, ends, stats, md5s }: FilesFound): {
  path(index: number): string
  file(index: number): Settled
} {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const path = (index: number) => bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index])
  return {
    path,
    file: (index) => ({
      path: path(index),
      stat: {
        size: Number(stats[4 * index]),
        mtime_ns: stats[4 * index + 1]!,
        ctime_ns: stats[4 * index + 2]!,
        inode: stats[4 * index + 3]!,
      },
      md5: md5s.slice(32 * index, 32 * index + 32),
    }),
  }
}
